// Workers that run the module.

/** A worker with the module in it. Its answers come in the order of the requests. */
export class Engine {
  #worker;
  #waiting = new Map();
  #next = 1;

  /** Of a compiled module, or a promise of one, and the address of the worker's code. */
  constructor(module, address) {
    this.#worker = new Worker(address);
    this.#worker.onmessage = ({ data }) => {
      this.#waiting.get(data.id)?.(data.answer);
      this.#waiting.delete(data.id);
    };
    this.ready = Promise.resolve(module).then(compiled => this.#post({ module: compiled }));
  }

  #post(message) {
    const id = this.#next++;
    return new Promise(resolve => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ id, ...message });
    });
  }

  /** The answer to a request; an error says what is wrong. */
  async ask(request) {
    await this.ready;
    const answer = await this.#post({ request });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  /** Ends it, whatever it is doing; who waits for an answer gets none. */
  stop() {
    this.#worker.terminate();
  }
}

/** The module that the page carries: base64 of its gzip. */
export async function compiled(text) {
  const bytes = Uint8Array.from(atob(text), char => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}
