// Makes one page of its parts: `node bundle.mjs MODULE.wasm index.html`. The module is inlined, so that the page needs no other file.
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("page/", import.meta.url));
const read = name => readFileSync(folder + name, "utf8");

/** The parts of a script that `name` imports, and itself last; each once. */
function parts(name, seen = []) {
  if (seen.includes(name)) return seen;
  for (const [, other] of read(name).matchAll(/^import .* from "\.\/(.+)";$/gm)) parts(other, seen);
  if (!seen.includes(name)) seen.push(name);
  return seen;
}

/** Those parts as one script, in a scope of its own. */
export function script(name) {
  const plain = part => read(part).replace(/^import .*;\n/gm, "").replace(/^export /gm, "");
  return `"use strict";\n(() => {\n${parts(name).map(plain).join("\n")}\n})();\n`;
}

/** The page, with the bytes of the module in it. */
export function page(module) {
  const worker = `const WORKER = ${JSON.stringify(script("worker.js"))};\n`;
  const inlined = { STYLE: read("page.css"), MODULE: gzipSync(module, { level: 9 }).toString("base64"), SCRIPT: (worker + script("main.js")).replaceAll("</script", "<\\/script") };
  return read("index.html").replace(/\/\*(STYLE|MODULE|SCRIPT)\*\//g, (_, name) => inlined[name]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [module, out] = process.argv.slice(2);
  if (!module || !out) {
    console.error("usage: node bundle.mjs MODULE.wasm index.html");
    process.exit(2);
  }
  writeFileSync(out, page(readFileSync(module)));
}
