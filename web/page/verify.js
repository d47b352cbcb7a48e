// Verify: what a report or a certificate says, run again here.
import { byId, make } from "./dom.js";

/** The runs that a report or a certificate tells of: the case, what it says, what takes an end's place; or why it cannot be run here. */
export function claims(document) {
  if (Array.isArray(document.levels)) {
    const by = document.implementation?.name ?? "";
    const why = by === "deltaproof reference" ? null : `${by || "somebody's implementation"} runs in a process, which a page cannot start: \`deltaproof certify --verify\` does`;
    const rows = (document.cases ?? []).map(it => ({ case: it.case, trace: it.trace, verdict: it.verdict, why }));
    const together = [...(document.more ?? []), document.clean, document.faulted].filter(Boolean);
    return [...rows, ...together.map(it => ({ case: it.case, why: why ?? `${it.runs} runs as one entry, with seeds of the certificate's: \`deltaproof certify --verify\` does them` }))];
  }
  if (Array.isArray(document.cases)) {
    return document.cases.map(it => {
      const replay = it.replay ?? "";
      const candidate = / --(?:server|client) (\S+)/.exec(replay)?.[1] ?? null;
      const seeded = it.failed_seed === null || it.failed_seed === undefined ? {} : { failed_seed: it.failed_seed };
      const why = replay.includes("--shim") ? "somebody's implementation runs in a process, which a page cannot start" : replay.includes("--knowledge wire") ? "its oracle was told nothing of the server's world" : null;
      return { case: it.case, trace: it.trace_hash, verdict: it.verdict, seeds: it.seeds, candidate, why, ...seeded };
    });
  }
  return null;
}

export class Verify {
  #start;
  #engine = null;

  constructor(start) {
    this.#start = start;
    byId("evidence").onchange = event => { for (const file of event.target.files) this.file(file); };
    byId("halt").onclick = () => { this.#engine?.stop(); this.#engine = null; byId("halt").disabled = true; };
  }

  /** Runs again what a file tells of. */
  async file(file) {
    let document;
    try { document = JSON.parse(await file.text()); } catch (error) { throw new Error(`${file.name} is no JSON: ${error.message}`); }
    const all = claims(document);
    if (!all) throw new Error(`${file.name} is neither a report (\`result.json\`) nor a certificate (\`certificate.json\`)`);
    this.#engine?.stop();
    const engine = this.#engine = this.#start();
    byId("halt").disabled = false;
    byId("differences").replaceChildren();
    byId("verifying").max = Math.max(1, all.length);
    const counts = { same: 0, other: 0, not: 0 };
    for (const [place, claim] of all.entries()) {
      const difference = claim.why ?? await differs(engine, claim);
      if (this.#engine !== engine) return;
      counts[claim.why ? "not" : difference ? "other" : "same"]++;
      if (difference && (!claim.why || counts.not <= 20)) byId("differences").append(make("p", { className: claim.why ? "dim" : "finding" }, `${claim.case}: ${difference}`));
      byId("verifying").value = place + 1;
      byId("compared").textContent = `${file.name}: ${place + 1} of ${all.length}: ${counts.same} the same, ${counts.other} different, ${counts.not} not run here`;
    }
    byId("halt").disabled = true;
    this.#engine.stop();
    this.#engine = null;
  }
}

/** In what a run here is not what was claimed; nothing if it is. */
async function differs(engine, claim) {
  try {
    const one = claim.seeds === 1 && claim.failed_seed !== undefined ? String(claim.failed_seed) : null;
    const { report } = await engine.ask({ do: "case", case: claim.case, candidate: claim.candidate ?? null, seed: one });
    if (report.trace_hash !== claim.trace) return `the trace is ${report.trace_hash} here, ${claim.trace} there`;
    // A case alone knows nothing of its control, nor of what others cover.
    const across = ["blocked", "not-applicable", "vacuous"];
    if (claim.verdict && report.verdict !== claim.verdict && !across.includes(claim.verdict)) return `the verdict is ${report.verdict} here, ${claim.verdict} there`;
    return null;
  } catch (error) {
    return error.message;
  }
}
