// A headless Chromium, spoken to over pipes: no library is needed.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Answers are waited for so long, in milliseconds. */
const PATIENCE = 120_000;

/** A page in a browser of its own; `events` has what it told. */
export class Browser {
  events = [];
  #waiting = new Map();
  #next = 1;
  #session;

  static async start(program = process.env.CHROMIUM ?? "chromium") {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), "deltaproof-web-"));
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", `--user-data-dir=${browser.folder}`, "--remote-debugging-pipe"];
    browser.process = spawn(program, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    let text = "";
    browser.process.stdio[4].on("data", data => {
      text += data;
      const whole = text.split("\0");
      text = whole.pop();
      whole.forEach(message => browser.#hear(JSON.parse(message)));
    });
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
    browser.#session = (await browser.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network", "DOM"]) await browser.send(`${domain}.enable`);
    return browser;
  }

  #hear(message) {
    if (message.id === undefined) { this.events.push(message); return; }
    const { resolve, reject } = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }

  send(method, params = {}) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      setTimeout(() => { if (this.#waiting.delete(id)) reject(new Error(`${method} was not answered`)); }, PATIENCE).unref();
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.#session })}\0`);
    });
  }

  /** The value of an expression in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true. */
  async until(expression, patience = PATIENCE) {
    for (const end = Date.now() + patience; !(await this.value(`Boolean(${expression})`));) {
      if (Date.now() > end) throw new Error(`it never came to ${expression}`);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }

  async close() {
    this.process.kill();
    await new Promise(resolve => this.process.once("exit", resolve));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
