// Many seeds of the case that Play shows, in a worker of their own; failures appear as they are found.
import { byId, make } from "./dom.js";
import { choice, link } from "./link.js";

/** Failures that are listed. */
const MOST_FAILURES = 50;
/** Seeds of one sweep. */
const MOST_SEEDS = 1_000_000;

export class Sweep {
  #start;
  #state;
  #engine = null;
  /** Makes failures smaller, beside the sweep. */
  #shrinking = null;

  /** `start` gives an engine of its own; `state` the run that is shown. */
  constructor(start, state) {
    this.#start = start;
    this.#state = state;
    byId("sweep").onsubmit = event => { event.preventDefault(); this.#run(); };
    byId("stop").onclick = () => this.#stop("stopped");
  }

  #stop(why) {
    if (why === "stopped") {
      this.#shrinking?.stop();
      this.#shrinking = null;
    }
    this.#engine?.stop();
    this.#engine = null;
    byId("stop").disabled = true;
    byId("swept").textContent += `, ${why}`;
  }

  async #run() {
    if (this.#engine) this.#stop("stopped");
    const { first, last } = byId("sweep").elements;
    const [from, to] = [Number(first.value), Math.min(Number(last.value), Number(first.value) + MOST_SEEDS)];
    const state = { ...this.#state() };
    const engine = this.#engine = this.#start();
    byId("stop").disabled = false;
    byId("failures").replaceChildren();
    byId("progress").max = Math.max(1, to - from + 1);
    let failed = 0;
    for (let seed = from; seed <= to; seed++) {
      const { report } = await engine.ask({ do: "case", ...choice(state), seed: String(seed) });
      // Stopped, or another sweep has begun.
      if (this.#engine !== engine) return;
      const good = ["pass", "xfail", "vacuous"].includes(report.verdict);
      if (!good && failed++ < MOST_FAILURES) byId("failures").append(this.#failure(state, seed, report, failed === 1));
      byId("progress").value = seed - from + 1;
      byId("swept").textContent = `${seed - from + 1} runs, ${failed} failed`;
    }
    this.#stop("done");
  }

  /** A failure of the list, that can be made smaller; the first is at once. */
  #failure(state, seed, report, first) {
    const ids = [...new Set(report.findings.map(it => it.requirement))].join(", ");
    const button = make("button", { type: "button" }, "Make it smaller");
    const item = make("li", {}, make("a", { href: link({ ...state, seed: String(seed) }) }, `seed ${seed}`), ` ${report.verdict}: ${ids || report.reason} `, button);
    button.onclick = () => this.#shrink(state, seed, button);
    if (first) button.click();
    return item;
  }

  async #shrink(state, seed, button) {
    button.disabled = true;
    button.textContent = "being made smaller…";
    this.#shrinking ??= this.#start();
    try {
      const smaller = await this.#shrinking.ask({ do: "shrink", ...choice(state), seed: String(seed) });
      const summary = `${smaller.failure} with ${smaller.faults} of ${smaller.faults_before} faults, after ${smaller.runs} runs: a scenario for \`deltaproof run --scenarios FOLDER\``;
      button.replaceWith(make("details", {}, make("summary", {}, summary), make("pre", {}, smaller.text)));
    } catch (error) {
      button.replaceWith(make("span", {}, error.message));
    }
  }
}
