// The compiled module under node: every case gives the row that was reviewed. `node --test web/tests/module.test.mjs`
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { ask } from "../page/abi.js";
import { MODULE, reviewed } from "./golden.mjs";

const compiled = new WebAssembly.Module(readFileSync(process.env.DELTAPROOF_MODULE ?? MODULE));
const { exports } = new WebAssembly.Instance(compiled, {});

test("the module imports nothing: it has no way to anything outside", () => {
  assert.deepEqual(WebAssembly.Module.imports(compiled), []);
});

test("every case gives the hash and the counts that were reviewed", () => {
  const rows = reviewed();
  assert.ok(rows.length > 100, `${rows.length} cases`);
  const differences = [];
  for (const { case: name, row } of rows) {
    const answer = ask(exports, { do: "case", case: name });
    if (answer.error || answer.row.join(" ") !== row.join(" ")) differences.push(`${name}: ${answer.error ?? answer.row.join(" ")}, reviewed ${row.join(" ")}`);
  }
  assert.deepEqual(differences, []);
});

test("a request that is none, or too long, is answered", () => {
  assert.match(ask(exports, { do: "dance" }).error, /cannot be read/);
  assert.equal(exports.input(1 << 30), 0);
  assert.match(ask(exports, { do: "play", case: "x" }).error, /there is no case/);
});
