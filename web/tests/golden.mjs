// What was reviewed of every case: the rows of golden/*/runs.snap.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Each case with its row: seeds, datagrams, lost, duplicated, reordered, findings, hash. */
export function reviewed() {
  const rows = [];
  for (const protocol of readdirSync(`${root}golden`).sort()) {
    const path = `${root}golden/${protocol}/runs.snap`;
    if (!existsSync(path)) continue;
    for (const line of readFileSync(path, "utf8").trim().split("\n").filter(line => /^ *\d/.test(line))) {
      const words = line.trim().split(/\s+/);
      rows.push({ case: words[7], row: words.slice(0, 7) });
    }
  }
  return rows;
}

export const MODULE = `${root}target/wasm32-unknown-unknown/web/module.wasm`;
export const PAGE = `${root}web/dist/index.html`;
export const ROOT = root;
