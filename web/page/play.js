// Play: one run, drawn, and what can be done with it.
import { byId, datagram, finding, make, shown } from "./dom.js";
import { choice, link } from "./link.js";

/** The greatest amounts that sliders offer, smaller than what links may say; and the units. */
const SLIDERS = { loss: [60, "%"], latency: [500, "ms"], jitter: [300, "ms"], duplicate: [60, "%"], reorder: [60, "%"], outage: [10_000, "ms"] };
/** How long an outage is, in milliseconds. */
const OUTAGE_MS = 1000;

export class Play {
  #engine;
  #catalogue;
  #form = byId("choice");
  #run = 0;
  #state = null;

  /** `engine` runs; `catalogue` says what there is. */
  constructor(engine, catalogue) {
    this.#engine = engine;
    this.#catalogue = catalogue;
    const protocols = catalogue.protocols.map(it => make("option", { value: it.name }, it.title));
    this.#form.elements.protocol.replaceChildren(...protocols);
    for (const { name } of catalogue.settings) byId("sliders").append(slider(name));
    this.#form.elements.protocol.onchange = () => { this.#fill(this.#form.elements.protocol.value); this.#go(); };
    this.#form.elements.case.onchange = () => { this.#form.elements.seed.value = ""; this.#go(); };
    this.#form.elements.with.onchange = () => this.#goWith();
    this.#form.elements.seed.onchange = () => this.#go();
    byId("sliders").onchange = () => this.#go();
    this.#form.onsubmit = event => { event.preventDefault(); this.#go(true); };
    byId("demo").onclick = () => this.#save();
    byId("moment").oninput = () => this.#hold();
    byId("drawing").onclick = event => this.#choose(event);
    byId("drawing").onkeydown = event => step(event);
    byId("drawing").addEventListener("focusin", event => this.#choose(event));
  }

  /** The state that is shown. */
  get state() { return this.#state; }

  /** Shows the run of a state. */
  async show(state) {
    const id = (state.case ?? "fte/reset-lost-both@fte-nq").split("@")[0];
    const scenario = this.#catalogue.scenarios.find(it => it.id === id);
    if (!scenario) throw new Error(`there is no scenario \`${id}\`; the list has those that there are`);
    const name = scenario.cases.includes(state.case) ? state.case : scenario.cases.find(it => it.startsWith(`${state.case}[`)) ?? scenario.cases[0];
    this.#fill(scenario.protocol);
    const { elements } = this.#form;
    elements.protocol.value = scenario.protocol;
    elements.case.value = name;
    elements.with.value = state.with ?? "";
    if (elements.with.value !== (state.with ?? "")) throw new Error(`${scenario.protocol} has no mutant or variant \`${state.with}\``);
    for (const { name } of this.#catalogue.settings) set(name, state.settings?.[name]);
    elements.seed.value = state.seed ?? "";
    await this.#draw({ page: "play", case: name, seed: state.seed, settings: state.settings ?? {}, with: state.with });
  }

  #fill(protocol) {
    const { elements } = this.#form;
    if (elements.case.dataset.protocol === protocol) return;
    elements.case.dataset.protocol = protocol;
    const of = this.#catalogue.scenarios.filter(it => it.protocol === protocol);
    elements.case.replaceChildren(...of.map(it => make("optgroup", { label: it.title }, it.cases.map(name => make("option", { value: name }, name)))));
    const found = this.#catalogue.protocols.find(it => it.name === protocol);
    const option = it => make("option", { value: `${protocol}/${it.name}` }, `${it.side}: ${it.name} (${it.differs})`);
    elements.with.replaceChildren(make("option", { value: "" }, "nothing: the reference runs"),
      make("optgroup", { label: "broken ends (mutants)" }, found.mutants.map(option)),
      make("optgroup", { label: "conforming variants" }, found.variants.map(option)));
  }

  #read() {
    const { elements } = this.#form;
    const settings = {};
    for (const { name } of this.#catalogue.settings) {
      const value = Number(elements[name].value);
      if (value >= 0) settings[name] = name === "outage" ? `${value}-${OUTAGE_MS}` : String(value);
    }
    const seed = elements.seed.value === "" ? undefined : elements.seed.value;
    return { page: "play", case: elements.case.value, seed, settings, with: elements.with.value || undefined };
  }

  /** A mutant is shown where it has to be caught. */
  #goWith() {
    const [protocol, ...rest] = this.#form.elements.with.value.split("/");
    const mutant = this.#catalogue.protocols.find(it => it.name === protocol)?.mutants.find(it => it.name === rest.join("/"));
    const scenario = mutant && this.#catalogue.scenarios.find(it => it.id === mutant.scenario);
    if (scenario) {
      this.#form.elements.case.value = scenario.cases[0];
      this.#form.elements.seed.value = "";
    }
    this.#go();
  }

  #go(again = false) {
    const next = link(this.#read());
    if (next === location.hash && again) this.#draw(this.#read());
    else location.hash = next;
  }

  async #draw(state) {
    const run = ++this.#run;
    this.#state = state;
    byId("verdict").setAttribute("aria-busy", "true");
    const played = await this.#engine.ask({ do: "play", ...choice(state), seed: state.seed ?? null });
    // Another one was asked for in the meantime.
    if (run !== this.#run) return;
    this.#state = { ...state, seed: played.seed };
    this.#form.elements.seed.value = played.seed;
    byId("link").href = link(this.#state);
    byId("about").textContent = played.why;
    byId("verdict").replaceChildren(...verdict(played));
    byId("verdict").removeAttribute("aria-busy");
    byId("demo").hidden = !played.demo;
    // The drawing is the harness's own, which escapes what it shows.
    byId("drawing").innerHTML = played.svg;
    byId("events").replaceChildren(...played.events.slice(0, 400).map(it => this.#event(it)));
    byId("moment").max = played.end_us;
    byId("moment").step = Math.max(1, Math.round(played.end_us / 1000));
    const first = played.events.find(it => it.place === played.first_finding);
    byId("moment").value = first ? first.at_us : played.end_us;
    await Promise.all([this.#hold(), played.first_finding === null ? null : this.#tell(played.first_finding)]);
  }

  /** Saves what the first client received. */
  async #save() {
    const { name, bytes } = await this.#engine.ask({ do: "demo" });
    const file = new Blob([Uint8Array.from(bytes.match(/../g), digits => parseInt(digits, 16))]);
    const link = make("a", { href: URL.createObjectURL(file), download: name });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  #event(it) {
    const button = make("button", { type: "button", className: it.kind }, it.kind === "finding" ? `${shown(it.at_us)}  ${it.text}` : it.text.trim());
    button.onclick = () => { this.#tell(it.place); byId("moment").value = it.at_us; this.#hold(); };
    return make("li", {}, button);
  }

  #choose(event) {
    const mark = event.target.closest("a");
    if (!mark) return;
    event.preventDefault();
    this.#tell(Number(mark.getAttribute("href").slice(2)));
  }

  async #tell(place) {
    const run = this.#run;
    const { entry, line } = await this.#engine.ask({ do: "entry", place });
    if (run !== this.#run) return;
    for (const mark of byId("drawing").querySelectorAll("a")) mark.classList.toggle("on", mark.getAttribute("href") === `#e${place}`);
    const body = entry.sent ? datagram(entry.sent) : entry.finding ? finding(entry.finding) : make("p", {}, line ?? "");
    byId("detail").replaceChildren(make("p", { className: "dim" }, shown(entry.at_us)), body);
    byId("detail").scrollTop = 0;
  }

  async #hold() {
    const at = Number(byId("moment").value);
    byId("when").textContent = shown(at);
    const run = this.#run;
    const { held } = await this.#engine.ask({ do: "held", ...choice(this.#state), seed: this.#state.seed, at_us: at });
    if (run === this.#run && at === Number(byId("moment").value)) byId("held").replaceChildren(beside(held));
  }
}

/** What the ends hold, an entity a row; what a client has otherwise than the server is marked. */
export function beside(held) {
  const numbers = [...new Set(held.flatMap(it => it.entities.map(([number]) => number)))].sort((a, b) => a - b);
  const text = list => list.map(([name, value]) => `${name} ${value}`).join(", ");
  const of = (it, number) => { const found = it.entities.find(([other]) => other === number); return found ? text(found[1]) : "–"; };
  const row = number => {
    const server = of(held[0], number);
    return make("tr", {}, make("td", { className: "number" }, String(number)),
      held.map((it, place) => make("td", { className: place && of(it, number) !== server ? "differs" : "" }, of(it, number))));
  };
  const head = held.map(it => make("th", {}, `${it.host}${it.state ? `, ${it.state}` : ""}`));
  return make("table", {}, make("thead", {}, make("tr", {}, make("th", {}, ""), head)), make("tbody", {}, numbers.slice(0, 100).map(row)));
}

function verdict({ report, seed }) {
  const bad = !["pass", "xfail", "fail-should"].includes(report.verdict);
  const line = make("p", { className: `verdict${bad ? " bad" : ""}` },
    make("strong", {}, report.verdict), ` ${report.case}, seed ${seed}: ${report.datagrams} datagrams, ${report.lost} lost, ${report.duplicated} duplicated, ${report.reordered} reordered; trace `,
    make("code", { id: "trace" }, report.trace_hash), report.reason ? `. ${report.reason}` : "");
  const findings = report.findings.slice(0, 5).map(it => finding(it, it.others.length ? ` (or ${it.others.join(", ")})` : ""));
  return [line, ...findings, make("p", { className: "dim" }, "The same on the command line: ", make("code", {}, report.replay))];
}

function slider(name) {
  const [most, unit] = SLIDERS[name] ?? [100, ""];
  const output = make("output", {}, "as it says");
  const input = make("input", { type: "range", name, min: -1, max: most, value: -1 });
  input.dataset.unit = unit;
  input.oninput = () => { output.textContent = input.value < 0 ? "as it says" : name === "outage" ? `1 s from ${input.value} ms on` : `${input.value} ${unit}`; };
  return make("label", {}, make("span", {}, `${name} `, output), input);
}

function set(name, value) {
  const input = byId("choice").elements[name];
  input.value = value === undefined ? -1 : value.split("-")[0];
  input.oninput();
}

/** The arrow keys go from mark to mark. */
function step(event) {
  const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  const marks = [...byId("drawing").querySelectorAll("a")];
  const at = marks.indexOf(document.activeElement);
  if (!by || at < 0 || !marks[at + by]) return;
  event.preventDefault();
  marks[at + by].focus();
  marks[at + by].scrollIntoView({ block: "nearest" });
}
