// Decode and judge: recorded traffic, in the page.
import { byId, datagram, fields, finding, hex, make, many, shown } from "./dom.js";

/** Longest file, in bytes. */
const MOST_BYTES = 64 << 20;
/** So many bytes of a file are made digits at a time. */
const PART_BYTES = 1 << 16;
/** Datagrams, or messages, that are open at first. */
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
    byId("decoded").replaceChildren(make("p", { className: "dim" }, `${file.name} is being read …`));
    const bytes = new Uint8Array(await file.arrayBuffer());
    const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
    const parts = [];
    for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(Array.from(bytes.subarray(at, at + PART_BYTES), byte => digits[byte]).join(""));
    await this.#decode({ name: file.name, file: parts.join("") });
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
    const rows = read.demo ? read.messages.map(message) : read.datagrams.map(row);
    const left = read.all - rows.length;
    byId("decoded").replaceChildren(
      ...(read.demo ? [about(input.name, read)] : []),
      ...read.remarks.map(it => make("p", { className: "dim" }, it)),
      ...read.observations.flatMap(it => observed(input.name, it, read.demo ? "message" : "datagram")),
      ...rows, ...(left ? [make("p", { className: "dim" }, `${left} more were judged, and are not shown.`)] : []));
  }
}

/** What a demo is. */
function about(name, { demo, all }) {
  const read = demo.unread === 0 ? "all decoded" : demo.unread < all ? `${all - demo.unread} decoded` : "none decoded";
  const others = demo.others.length ? `: it is in ${demo.others.join(" and ")}, which is not read` : "";
  return make("p", {}, `${name}: a .${demo.container} of ${(demo.length_us / 1e6).toFixed(1)} s, ${many(all, "message")}, ${read}${others}.`);
}

/** What an oracle says of all that is of one profile. */
function observed(name, it, unit) {
  const said = it.not_judged ? `not judged: ${it.not_judged}` : many(it.findings.length, "finding");
  const unjudged = it.unjudged.map(group => make("details", {}, make("summary", {}, `${many(group.requirements.length, "requirement")} not judged: ${group.why}`), make("p", {}, group.requirements.join(", "))));
  return [make("p", { className: it.not_judged ? "finding" : "" }, `${name}: ${many(it.datagrams, unit)} of ${it.profile}, ${said}, ${many(it.covered.length, "requirement")} covered.`),
    ...it.remarks.map(text => make("p", { className: "dim" }, text)),
    ...it.findings.map(one => finding(one, one.evidence ? `, at ${unit} ${one.evidence.datagram}` : "")), ...unjudged];
}

/** A datagram, which opens. */
function row(entry, place) {
  return opens(place, entry.sent.error, `${shown(entry.at_us)}  ${entry.sent.direction}  ${entry.sent.summary}`, () => datagram(entry.sent));
}

/** A message of a demo, which opens: where it stands in the file, and its fields with their places there. */
function message(it, place) {
  return opens(place, it.error, `${shown(it.at_us)}  ${it.to ? `${it.to}  ` : ""}${it.summary}`, () => make("div", {},
    make("p", { className: "dim" }, `${it.bytes.length / 2} bytes, from byte ${it.place} of the file on`),
    it.error ? make("p", { className: "finding" }, `cannot be decoded: ${it.error}`) : null,
    fields(it.fields), hex(it.bytes)));
}

/** A line that opens; what is in it is made when it does. */
function opens(place, error, text, content) {
  const line = make("details", {}, make("summary", { className: error ? "finding" : "" }, `${place + 1}  ${text}`));
  line.ontoggle = () => { if (line.open && line.children.length === 1) line.append(content()); };
  line.open = place < OPEN;
  return line;
}
