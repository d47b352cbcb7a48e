// How the module is asked: a request and its answer are JSON in the module's memory.

/** The answer to a request. */
export function ask(exports, request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const room = exports.input(bytes.length);
  if (!room) return { error: "the request is too long" };
  new Uint8Array(exports.memory.buffer, room, bytes.length).set(bytes);
  const length = exports.answer();
  return JSON.parse(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, exports.output(), length)));
}
