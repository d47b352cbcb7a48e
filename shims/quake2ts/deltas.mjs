// What a frame builds on. The package reads each entity and each player against nothing and tells nobody which entities a frame
// removes; its readers of one entity can take a base, though. This stands around them and gives them theirs.
import { BinaryStream } from "@quake2ts/shared";
import { U_REMOVE, createEmptyEntityState, createEmptyProtocolPlayerState } from "@quake2ts/engine";

// A frame can build on any of the newest so many.
const UPDATE_BACKUP = 32;

// The package's stream, which remembers the integers of 32 bits that were read from it.
export class Tap extends BinaryStream {
  constructor(bytes) {
    super(bytes);
    this.bytes = bytes;
    this.longs = [];
  }

  readLong() {
    const value = super.readLong();
    this.longs.push(value);
    return value;
  }
}

// Which field of the player each flag of 16 bits has, from bit 0 on.
const PLAYER_FLAGS = [
  ["pm_type"], ["origin"], ["velocity"], ["pm_time"], ["pm_flags"], ["gravity"], ["delta_angles"], ["viewoffset"], ["viewangles"],
  ["kick_angles"], ["blend"], ["fov"], ["gun_index"], ["gun_frame", "gun_offset", "gun_angles"], ["rdflags"],
];

// The frames of one client, and the baselines of its map.
export class History {
  constructor() {
    this.forget();
  }

  forget() {
    this.frames = new Map();
    this.baselines = new Map();
  }

  take(frame) {
    this.frames.set(frame.number % UPDATE_BACKUP, frame);
  }

  base(number) {
    const frame = this.frames.get(number % UPDATE_BACKUP);
    return frame?.number === number && frame.valid ? frame : undefined;
  }
}

// Has the methods of the package's ProtocolHandler, and all reading is done by the one of the package inside of it.
export class WithBases {
  constructor(inner, history, tap) {
    this.inner = inner;
    this.history = history;
    this.tap = tap;
    this.protocolVersion = inner.protocolVersion;
    // The frame that is being read; none while a baseline is.
    this.frame = undefined;
    // The newest frame that was read to its end.
    this.complete = undefined;
  }

  translateCommand(command) {
    return this.inner.translateCommand(command);
  }

  parseServerData(stream) {
    return this.inner.parseServerData(stream);
  }

  // The player comes before the entities: here a frame begins. Its two numbers were the last ones of 32 bits.
  parsePlayerState(stream) {
    const [number, delta] = this.tap.longs.slice(-2);
    const base = delta > 0 ? this.history.base(delta) : undefined;
    const at = this.tap.getPosition();
    const flags = this.tap.bytes[at] | (this.tap.bytes[at + 1] << 8);
    const read = this.inner.parsePlayerState(stream);
    const mask = this.tap.longs.at(-1);
    const player = structuredClone(base?.player ?? createEmptyProtocolPlayerState());
    PLAYER_FLAGS.forEach((fields, bit) => {
      if (flags & (1 << bit)) for (const field of fields) player[field] = read[field];
    });
    for (let i = 0; i < 32; i++) if (mask & (1 << i)) player.stats[i] = read.stats[i];
    const entities = new Map();
    for (const [entity, state] of base?.entities ?? []) entities.set(entity, this.read(state, entity, 0, 0, stream));
    this.frame = { number, valid: delta <= 0 || base !== undefined, player, entities, base };
    return read;
  }

  parseEntityBits(stream) {
    const header = this.inner.parseEntityBits(stream);
    if (this.frame && header.number === 0) {
      this.complete = this.frame;
      this.frame = undefined;
    } else if (this.frame && header.bits & U_REMOVE) {
      this.frame.entities.delete(header.number);
    }
    return header;
  }

  parseDelta(nothing, to, number, bits, bitsHigh, stream) {
    if (!this.frame) {
      this.inner.parseDelta(nothing, to, number, bits, bitsHigh, stream);
      return;
    }
    const from = this.frame.base?.entities.get(number) ?? this.history.baselines.get(number) ?? nothing;
    this.inner.parseDelta(from, to, number, bits, bitsHigh, stream);
    this.frame.entities.set(number, structuredClone(to));
  }

  read(from, number, bits, bitsHigh, stream) {
    const to = createEmptyEntityState();
    this.inner.parseDelta(from, to, number, bits, bitsHigh, stream);
    return to;
  }
}
