// Reads a .dm2 of protocol 34 with the npm package @quake2ts/engine, and what `deltaproof decode --format json` says of it, and compares
// them value by value: each entity, statistic and value of the player in each frame, sounds, texts and effects.
//
//     node dm2.mjs FILE.dm2 FILE.json
//
// Ends with 1 where they differ. `deltas.mjs` of shims/quake2ts gives the package the bases that it reads nothing against.
import { readFileSync } from "node:fs";
import { NetworkMessageParser } from "@quake2ts/engine";
import { History, Tap, WithBases } from "./deltas.mjs";

// As shims/quake2ts: under this number the package has the numbers of services that protocol 34 has.
const WITH_SERVICES_OF_34 = 33;
const ENTITY = {
  model: "modelindex", model2: "modelindex2", model3: "modelindex3", model4: "modelindex4", frame: "frame", skin: "skinnum",
  effects: "effects", renderfx: "renderfx", sound: "sound", event: "event", solid: "solid",
};
const PLACES = { origin: ["origin_x", "origin_y", "origin_z"], angles: ["pitch", "yaw", "roll"] };
const WHOLE = { pm_type: "pm_type", pm_time: "pm_time", pm_flags: "pm_flags", gravity: "gravity", gunindex: "gun_index", gunframe: "gun_frame", fov: "fov", rdflags: "rdflags" };
const SCALED = [
  ["pm_origin_", "xyz", "origin", 8], ["pm_velocity_", "xyz", "velocity", 8], ["viewoffset_", "xyz", "viewoffset", 4],
  ["gunoffset_", "xyz", "gun_offset", 4],
];
// A frame above 32767 is a short with a sign to the package, which is legal; an angle is a byte of the circle, below or above 0.
const unsigned = (value, name) => (name === "frame" ? value & 0xffff : value < 0 ? value + 2 ** 32 : value);
const turned = degrees => Math.fround((degrees + 720) % 360);
const nothing = () => {};

/** What the package reads: frames by number, and what happened. */
class Theirs {
  history = new History();
  frames = [];
  happened = [];

  message(bytes) {
    const tap = new Tap(bytes);
    this.parser = new NetworkMessageParser(tap, this, true);
    this.readAs(tap);
    this.parser.parseMessage();
    if (tap.hasMore()) throw new Error(`the package reads ${tap.getPosition()} of ${bytes.length} bytes`);
  }

  readAs(tap = this.parser.protocolHandler.tap) {
    this.parser.setProtocolVersion(WITH_SERVICES_OF_34);
    this.parser.protocolHandler = new WithBases(this.parser.protocolHandler, this.history, tap);
  }

  onServerData() { this.history.forget(); this.readAs(); }
  onSpawnBaseline(entity) { this.history.baselines.set(entity.number, entity); }
  onFrame() {
    const read = this.parser.protocolHandler.complete;
    this.history.take(read);
    this.frames.push(read);
  }
  onPrint(level, text) { this.happened.push(["svc_print", level, text]); }
  onCenterPrint(text) { this.happened.push(["svc_centerprint", text]); }
  onStuffText(text) { this.happened.push(["svc_stufftext", text]); }
  onConfigString(index, text) { this.happened.push(["svc_configstring", index, text]); }
  onLayout(text) { this.happened.push(["svc_layout", text]); }
  onMuzzleFlash(entity, weapon) { this.happened.push(["svc_muzzleflash", entity, weapon]); }
  onMuzzleFlash2(entity, weapon) { this.happened.push(["svc_muzzleflash2", entity, weapon]); }
  onSound(flags, sound) { this.happened.push(["svc_sound", flags, sound]); }
  onInventory(counts) { this.happened.push(["svc_inventory", ...counts]); }
  onTempEntity(kind) { this.happened.push(["svc_temp_entity", kind]); }
  onDisconnect = nothing;
  onReconnect = nothing;
  onDownload = nothing;
}

/** The messages of a .dm2. */
function* messages(bytes) {
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = bytes.readInt32LE(at);
    if (length < 0) return;
    yield bytes.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
}

const latin = text => Array.from(text, char => String.fromCharCode(char.charCodeAt(0) & 255)).join("");
/** An event of ours as theirs has it; none for what it does not tell. */
function event(it) {
  switch (it.event) {
    case "svc_print": return [it.event, it.level, it.text];
    case "svc_configstring": return [it.event, it.index, it.text];
    case "svc_muzzleflash":
    case "svc_muzzleflash2": return [it.event, it.entity, it.weapon];
    case "svc_sound": return [it.event, it.flags, it.sound];
    case "svc_temp_entity": return [it.event, it.type];
    case "svc_inventory": return [it.event, ...it.counts.match(/..../g).map(word => Buffer.from(word, "hex").readInt16LE())];
    case "svc_centerprint":
    case "svc_stufftext":
    case "svc_layout": return [it.event, it.text];
    default: return null;
  }
}

const [demo, lines] = process.argv.slice(2);
if (!lines) {
  console.error("usage: node dm2.mjs FILE.dm2 FILE.json");
  process.exit(2);
}
for (const name of ["log", "warn", "info"]) console[name === "log" ? "debug" : name] = nothing;
const theirs = new Theirs();
const ours = readFileSync(lines, "utf8").trim().split("\n").map(line => JSON.parse(line));
const counts = new Map();
let [examples, isCut] = [0, false];
try {
  for (const message of messages(readFileSync(demo))) theirs.message(message);
} catch (error) {
  // Beams of heat and of a widow, which it takes for longer than they are: findings 6 and 7 of shims/quake2ts.
  console.log(`@quake2ts/engine cannot read it to its end: ${error.message}; what it has read is compared`);
  isCut = true;
}
const short = value => JSON.stringify(value)?.slice(0, 100);
function compare(what, one, other, where) {
  const count = counts.get(what) ?? { same: 0, different: 0 };
  counts.set(what, count);
  const same = JSON.stringify(one) === JSON.stringify(other);
  count[same ? "same" : "different"] += 1;
  if (!same && examples++ < 5) console.log(`  ${what}, ${where}: ours ${short(one)}, theirs ${short(other)}`);
}

const defaults = ours[0].defaults;
const frames = ours.filter(it => it.server_frame !== undefined && it.frame);
const byNumber = new Map(theirs.frames.map(it => [it.number, it]));
for (const frame of frames) {
  const read = byNumber.get(frame.server_frame);
  if (!read && isCut) continue;
  if (!read) { compare("frames", frame.server_frame, null, `frame ${frame.server_frame}`); continue; }
  const where = `frame ${frame.server_frame}`;
  compare("entities there", Object.keys(frame.entities).map(Number), [...read.entities.keys()].sort((a, b) => a - b), where);
  for (const [number, changed] of Object.entries(frame.entities)) {
    const held = { ...defaults, ...changed };
    const state = read.entities.get(Number(number));
    if (!state) continue;
    for (const [name, field] of Object.entries(ENTITY)) compare("fields of entities", held[name], unsigned(state[field], name), `${where}, ${number} ${name}`);
    for (const [field, names] of Object.entries(PLACES)) {
      names.forEach((name, axis) => {
        const kept = field === "angles" ? turned : Math.fround;
        compare("places and angles of entities", kept(held[name]), kept(Object.values(state[field])[axis]), `${where}, ${number} ${name}`);
      });
    }
  }
  for (const [name, field] of Object.entries(WHOLE)) compare("values of the player", frame.player[name], read.player[field], `${where}, ${name}`);
  for (const [prefix, axes, field, scale] of SCALED) {
    [...axes].forEach(axis => compare("values of the player", frame.player[prefix + axis], Math.round(read.player[field][axis] * scale), `${where}, ${prefix}${axis}`));
  }
  const named = Object.values(frame.stats);
  compare("statistics that are not 0", named.filter(Boolean).length, read.player.stats.filter(Boolean).length, where);
}
const happened = ours.flatMap(it => it.events ?? []).map(event).filter(Boolean).map(it => it.map(part => (typeof part === "string" ? latin(part) : part)));
const told = theirs.happened.map(it => it.map(part => (typeof part === "string" ? latin(part) : part)));
const kinds = new Set([...happened, ...told].map(it => it[0]));
for (const kind of [...kinds].sort()) {
  const [one, other] = [happened, told].map(all => all.filter(it => it[0] === kind));
  for (let at = 0; at < (isCut ? other.length : Math.max(one.length, other.length)); at++) compare(kind, one[at], other[at], `number ${at + 1}`);
}
let different = 0;
for (const [what, count] of counts) {
  console.log(`@quake2ts/engine, ${what}: ${count.same} equal, ${count.different} not`);
  different += count.different;
}
process.exit(different > 0 ? 1 : 0);
