// The shim protocol of deltaproof, version 1, as far as a codec needs it: lines of JSON in, lines of JSON out.
import { createInterface } from "node:readline";

// Answers the harness until it says bye. `make(request)` makes what one run of one host needs: an object with `command(command)`,
// `datagram(bytes)` and `observe()`, and `events`, the list that they fill.
export async function serve(hello, make) {
  const hosts = new Map();
  const answer = (request) => {
    const host = hosts.get(request.host);
    switch (request.op) {
      case "hello":
        return { version: 1, ...hello };
      case "open":
        hosts.set(request.host, make(request));
        return {};
      case "step":
        if (request.input === "datagram") host.datagram(Buffer.from(request.bytes, "hex"));
        if (request.input === "command") host.command(request);
        return { ev: host.events.splice(0) };
      case "observe":
        return host.observe();
      case "close":
        hosts.delete(request.host);
        return {};
      case "bye":
        return {};
      default:
        return { error: { unsupported: `the op ${request.op}` } };
    }
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    process.stdout.write(JSON.stringify({ seq: request.seq, ...answer(request) }) + "\n");
    if (request.op === "bye") break;
  }
  // The pipe is still open: node would wait for more.
  process.stdin.destroy();
}
