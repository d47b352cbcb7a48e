// Elements. Text is only ever set as text.

/** The element with this id. */
export const byId = id => document.getElementById(id);

/** A new element with these properties, and children that are elements or text. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

/** A time as people read it. */
export const shown = us => `${(us / 1e6).toFixed(6)} s`;

/** So many of something. */
export const many = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** A table of the fields of a datagram, or a message. */
export function fields(list) {
  const row = field => make("tr", {},
    make("td", { className: "number" }, String(field.offset)),
    make("td", { className: `d${Math.min(field.depth, 6)}` }, field.field),
    make("td", {}, field.value ?? ""));
  return make("div", { className: "table" }, make("table", {}, make("tbody", {}, list.map(row))));
}

/** A datagram, as a history has it. */
export function datagram(sent) {
  const fate = sent.lost !== undefined
    ? make("p", { className: "lost" }, `lost: ${sent.lost}`)
    : make("p", { className: "dim" }, `arrives ${(sent.arrives ?? []).map(arrival => shown(arrival.at_us)).join(" and ")}`);
  const carries = sent.carries.map(it => it.number ? `${it.kind} ${it.number}` : it.kind).join(", ");
  return make("div", {},
    make("p", {}, `${sent.client} ${sent.direction} #${sent.index}, ${sent.bytes.length / 2} bytes: ${sent.summary}`),
    carries ? make("p", { className: "dim" }, `carries ${carries}`) : null,
    fate,
    sent.error ? make("p", { className: "finding" }, `cannot be decoded: ${sent.error}`) : null,
    fields(sent.fields),
    sent.messages.map(message => [make("p", {}, `reassembled message, ${message.bytes.length / 2} bytes`), fields(message.fields)]),
    hex(sent.bytes));
}

/** Bytes, sixteen to a line. */
export function hex(bytes) {
  return make("pre", { className: "hex" }, bytes.match(/.{1,32}/g)?.map(line => line.replace(/../g, "$& ").trim()).join("\n") ?? "");
}

/** A finding, as reports have it. */
export function finding(it, more = "") {
  return make("p", { className: "finding" }, `${it.requirement} ${it.level} ${it.host} at ${shown(it.at_us)}: ${it.what}${more}`);
}
