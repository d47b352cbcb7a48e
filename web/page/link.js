// A link holds the whole state: `#fte/reset-lost-both@fte-nq&seed=7&loss=5`.

export const PAGES = ["play", "traffic", "verify", "learn"];
const SETTINGS = ["loss", "latency", "jitter", "duplicate", "reorder", "outage"];

/** The link to a state: a page and its protocol, or a run. */
export function link(state) {
  if (state.page !== "play") return `#${state.page}${state.protocol ? `/${state.protocol}` : ""}`;
  if (!state.case) return "#play";
  const parts = [encodeURI(state.case)];
  if (state.seed !== undefined && state.seed !== null) parts.push(`seed=${state.seed}`);
  for (const name of SETTINGS) if (state.settings?.[name] !== undefined) parts.push(`${name}=${state.settings[name]}`);
  if (state.with) parts.push(`with=${encodeURIComponent(state.with)}`);
  return `#${parts.join("&")}`;
}

/** The state that a link holds; what it does not understand is listed in `unknown`. */
export function state(hash) {
  const [head, ...parts] = hash.replace(/^#/, "").split("&");
  const [page, protocol] = head.split("/");
  if (head === "" || PAGES.includes(page)) return { page: page || "play", protocol, unknown: [] };
  const found = { page: "play", case: decode(head), settings: {}, unknown: [] };
  for (const part of parts) {
    const [name, value] = part.split("=", 2);
    const known = value !== undefined && value !== "";
    if (known && name === "seed" && /^\d+$/.test(value)) found.seed = value;
    else if (known && name === "with") found.with = decode(value);
    else if (known && SETTINGS.includes(name) && /^\d+(-\d+)?$/.test(value)) found.settings[name] = value;
    else found.unknown.push(part);
  }
  return found;
}

/** What the module is asked for, of a run. */
export function choice(state) {
  const settings = Object.entries(state.settings ?? {}).map(([name, value]) => `${name}-${value}`);
  return { case: state.case, settings, candidate: state.with || null };
}

function decode(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}
