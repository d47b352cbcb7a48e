// The npm package @quake2ts/engine as a codec of protocol 34: it reads what a server sends, and shows what it has read.
//
//     node codec.mjs [--own-services] [--own-deltas] [--own-channel]
//
// Each option leaves a part to the package that this file does in its place otherwise; README.md says why it does.
import { ClientConnection, NetworkMessageParser } from "@quake2ts/engine";
import { ANORMS, NetChan } from "@quake2ts/shared";
import { History, Tap, WithBases } from "./deltas.mjs";
import { serve } from "./shim.mjs";

const OPTIONS = ["--own-services", "--own-deltas", "--own-channel"];
const own = Object.fromEntries(OPTIONS.map((name) => [name.slice("--own-".length), process.argv.includes(name)]));
const PROTOCOL = 34;
// Under any number but 34, 2023, 25 and 26, the package has the numbers of services that protocol 34 has; all else is the same.
const WITH_SERVICES_OF_34 = 33;
// A kind of effect whose third place the package calls a direction.
const GRAPPLE_CABLE = 24;

const bits = new DataView(new ArrayBuffer(4));
const floatBits = (value) => (bits.setFloat32(0, value), bits.getInt32(0));
const places = (place) => (place ? [place.x, place.y, place.z] : [0, 0, 0]);
const scaled = (place, scale) => places(place).map((value) => Math.round(value * scale));
// Sums as the notes have them: the parts can be told apart by their places.
const sum = (parts) => parts.reduce((before, part) => (((31 * before + part) % 1000003) + 1000003) % 1000003, 0);
const numberAtEnd = (text) => Number(/[0-9]*$/.exec(text)[0]);
// The package makes characters of signed bytes.
const hex = (text) => Buffer.from(Array.from(text, (char) => char.charCodeAt(0) & 255)).toString("hex");

function adler32(bytes) {
  let [a, b] = [1, 0];
  for (const byte of bytes) [a, b] = [(a + byte) % 65521, (b + a + byte) % 65521];
  return b * 65536 + a;
}

// A client that only reads.
class Codec {
  constructor() {
    this.events = [];
    this.history = new History();
    this.begin();
  }

  // A session begins: the server counts datagrams from one again.
  begin() {
    this.sequence = 0;
    this.protocol = 0;
    this.current = undefined;
    this.file = undefined;
    this.history.forget();
    this.connection = new ClientConnection({ username: "", model: "", skin: "" });
    this.channel = new NetChan();
  }

  note(note, ...args) {
    this.events.push({ event: "note", note, args });
  }

  command(command) {
    if (command.command === "connect") this.begin();
    if (command.command === "verb" && command.verb === "download") this.file = [];
  }

  datagram(datagram) {
    if (datagram.length >= 4 && datagram.readInt32LE(0) === -1) {
      if (datagram.toString("latin1", 4).startsWith("client_connect")) this.begin();
      return;
    }
    const message = own.channel ? this.channel.process(datagram) : this.sequenced(datagram);
    if (message?.length) this.message(message);
  }

  // Two numbers of four bytes are in front of a server's messages, and nothing else.
  sequenced(datagram) {
    if (datagram.length < 8) {
      this.events.push({ event: "rejected", peer: 0, offset: 0, field: "sequence" });
      return undefined;
    }
    const sequence = datagram.readUInt32LE(0) & 0x7fffffff;
    if (sequence <= this.sequence) {
      this.note("stale datagram", sequence, 0);
      return undefined;
    }
    this.sequence = sequence;
    return datagram.subarray(8);
  }

  message(bytes) {
    this.tap = new Tap(bytes);
    this.parser = new NetworkMessageParser(this.tap, this, true);
    if (this.protocol || !own.services) this.readAs(this.protocol);
    try {
      this.parser.parseMessage();
      if (this.tap.hasMore()) throw new Error("svc");
    } catch {
      this.events.push({ event: "rejected", peer: 0, offset: this.tap.getPosition(), field: "svc" });
    }
  }

  readAs(protocol) {
    this.parser.setProtocolVersion(own.services ? protocol : WITH_SERVICES_OF_34);
    if (!own.deltas) this.parser.protocolHandler = new WithBases(this.parser.protocolHandler, this.history, this.tap);
  }

  // What the package says that it has read.

  onServerData(protocol, serverCount, attractLoop, gameDir, playerNum) {
    this.protocol = protocol;
    this.number = playerNum + 1;
    this.current = undefined;
    this.history.forget();
    this.connection.onServerData(protocol, serverCount, attractLoop, gameDir, playerNum, "");
    this.connection.entities.clear();
    this.readAs(protocol);
  }

  onConfigString(index, text) {
    if (this.current) this.note("configstring", index, numberAtEnd(text));
  }

  onSpawnBaseline(entity) {
    this.history.baselines.set(entity.number, entity);
  }

  onFrame(frame) {
    let read = this.parser.protocolHandler.complete;
    if (own.deltas) {
      this.connection.onFrame(frame);
      const { entities } = this.connection;
      read = { number: frame.serverFrame, valid: true, player: frame.playerState, entities: new Map(entities) };
    }
    this.history.take(read);
    if (!this.protocol) return;
    if (read.valid) this.current = read;
    this.note(read.valid ? "frame" : "invalid frame", read.number);
  }

  onPrint(level, text) {
    this.events.push({ event: "print", text: hex(text) });
  }

  onCenterPrint(text) {
    this.events.push({ event: "print", text: hex(text) });
  }

  onSound(flags, sound, volume = -1, attenuation = -1, offset = -1, both = 0, place = undefined) {
    const rest = sum([volume, attenuation, offset, ...scaled(place, 8)]);
    this.note("sound", sound, (both & 0xffff) >> 3, both & 7, rest);
  }

  onTempEntity(kind, first, second, third, count = 0, colour = 0, entity = 0, source = 0, target = 0) {
    const grapple = kind === GRAPPLE_CABLE;
    const direction = grapple ? -1 : ANORMS.findIndex((normal) => places(third).every((value, i) => value === normal[i]));
    const parts = [first, second, grapple ? third : undefined].flatMap((place) => scaled(place, 8));
    this.note("temp entity", kind, sum([...parts, count, Math.max(direction, 0), colour, entity || source, target, 0, 0]));
  }

  onLayout(text) {
    this.note("layout", numberAtEnd(text));
  }

  onInventory(counts) {
    const first = counts.findIndex((count) => count !== 0);
    this.note("inventory", first, first < 0 ? 0 : counts[first], sum(counts));
  }

  onMuzzleFlash(entity, weapon) {
    this.note("muzzleflash", entity, weapon);
  }

  onMuzzleFlash2() {}

  onStuffText() {}

  onReconnect() {}

  onDisconnect() {
    this.begin();
  }

  onDownload(size, percent, data) {
    if (!this.file) return;
    if (size === -1) {
      this.file = undefined;
      this.note("download refused");
      return;
    }
    this.file.push(...(data ?? []));
    if (percent < 100) return;
    this.note("download bytes", this.file.length);
    this.note("download sum", adler32(this.file));
    this.file = undefined;
  }

  // What is held, in the order of `deltaproof list --words`.

  observe() {
    if (!this.current) return { valid: false };
    const { number, player, entities } = this.current;
    const rows = [...entities.values()].sort((a, b) => a.number - b.number).map((state) => this.row(state, player));
    const stats = player.stats.flatMap((int, stat) => (int ? [{ stat, int }] : []));
    return { valid: true, server_time: floatBits(number / 10), own_entity: this.number, entities: rows, stats };
  }

  row(state, player) {
    const floats = (place) => places(place).map(floatBits);
    return [
      state.number, state.modelindex, state.modelindex2, state.modelindex3, state.modelindex4, state.frame, state.skinnum,
      state.effects, state.renderfx, ...floats(state.origin), ...floats(state.angles), ...floats(state.old_origin), state.sound,
      state.event, state.solid, ...(state.number === this.number ? ownPlayer(player) : new Array(36).fill(0)),
    ];
  }
}

// The integers of the wire again: the package has multiplied them.
function ownPlayer(player) {
  return [
    player.pm_type, ...scaled(player.origin, 8), ...scaled(player.velocity, 8), player.pm_time, player.pm_flags, player.gravity,
    ...scaled(player.delta_angles, 32768 / 180), ...scaled(player.viewoffset, 4), ...scaled(player.viewangles, 65536 / 360),
    ...scaled(player.kick_angles, 4), player.gun_index, player.gun_frame, ...scaled(player.gun_offset, 4),
    ...scaled(player.gun_angles, 4), ...player.blend, player.fov, player.rdflags,
  ];
}

// The package says what it does not understand on standard output, which is ours.
for (const name of ["log", "warn", "error", "info"]) console[name] = () => {};
await serve(
  {
    name: "@quake2ts/engine",
    build: "0.0.836",
    roles: ["codec"],
    profiles: ["r1q2-35"],
  },
  () => new Codec(),
);
