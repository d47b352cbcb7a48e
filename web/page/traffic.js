// Decode and judge: recorded traffic, in the page.
import { byId, datagram, finding, make, shown } from "./dom.js";

/** Longest file, in bytes. */
const MOST_BYTES = 64 << 20;
/** Datagrams that are opened at first. */
const OPEN = 3;

export class Traffic {
  #engine;
  #form = byId("recording");

  constructor(engine, catalogue) {
    this.#engine = engine;
    const profiles = catalogue.protocols.flatMap(it => it.profiles);
    this.#form.elements.profile.replaceChildren(make("option", { value: "" }, "found from the traffic"),
      ...profiles.map(it => make("option", { value: it.name }, `${it.name}: ${it.title}`)));
    this.#form.onsubmit = event => { event.preventDefault(); this.#decode({ name: "pasted", text: this.#form.elements.text.value }); };
    this.#form.elements.file.onchange = event => { if (event.target.files[0]) this.file(event.target.files[0]); };
  }

  /** Decodes a file. */
  async file(file) {
    if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than ${MOST_BYTES >> 20} MB; split it, or use the command line`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    let hex = "";
    for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
    await this.#decode({ name: file.name, file: hex });
  }

  async #decode(input) {
    const { profile, direction, seen } = this.#form.elements;
    let read;
    try {
      read = await this.#engine.ask({ do: "traffic", ...input, profile: profile.value || null, direction: direction.value, seen_at: seen.value || null });
    } catch (error) {
      byId("decoded").replaceChildren(make("p", { className: "finding" }, error.message));
      return;
    }
    const { observation } = read;
    const head = make("p", {}, `${input.name}: ${read.all} datagrams of ${read.profile}, ${observation.findings.length} findings, ${observation.covered.length} requirements covered.`);
    const unjudged = observation.unjudged.map(it => make("details", {}, make("summary", {}, `${it.requirements.length} requirements not judged: ${it.why}`), make("p", {}, it.requirements.join(", "))));
    const row = (entry, place) => make("details", { open: place < OPEN },
      make("summary", { className: entry.sent.error ? "finding" : "" }, `${place + 1}  ${shown(entry.at_us)}  ${entry.sent.direction}  ${entry.sent.summary}`), datagram(entry.sent));
    byId("decoded").replaceChildren(head, ...read.remarks.map(it => make("p", { className: "dim" }, it)),
      ...observation.findings.map(it => finding(it, it.evidence ? `, at datagram ${it.evidence.datagram}` : "")), ...unjudged,
      ...read.datagrams.map(row), ...(read.all > read.datagrams.length ? [make("p", { className: "dim" }, `${read.all - read.datagrams.length} more datagrams were judged, and are not shown.`)] : []));
  }
}
