// Parts of the page that need no browser. `node --test web/tests/page.test.mjs`
import assert from "node:assert/strict";
import test from "node:test";
import { script } from "../bundle.mjs";
import { choice, link, state } from "../page/link.js";
import { markdown } from "../page/markdown.js";
import { claims } from "../page/verify.js";

test("a link is read as it was written", () => {
  for (const text of ["#fte/reset-lost-both@fte-nq&seed=7&loss=5", "#fte/reset-lost-both@fte-nq&seed=18446744073709551615&outage=2000-1000&with=fte%2Fforgets-resets", "#learn/nvs", "#traffic", "#verify"]) {
    assert.equal(link(state(text)), text);
  }
  assert.deepEqual(state("").page, "play");
  assert.equal(state("#fte/clean@fte-nq[client_fte2=0x28]").case, "fte/clean@fte-nq[client_fte2=0x28]");
  assert.deepEqual(state("#fte/clean&seed=x&loss=-1&speed=9").unknown, ["seed=x", "loss=-1", "speed=9"]);
});

test("a link says what the module is asked for", () => {
  assert.deepEqual(choice(state("#fte/clean&loss=5&with=fte%2Fx")), { case: "fte/clean", settings: ["loss-5"], candidate: "fte/x" });
});

test("a text becomes HTML, and nothing in it is taken for HTML", () => {
  assert.equal(markdown("# A <b>\n\nx `<i>` **y**\nz"), "<h2>A &lt;b&gt;</h2>\n<p>x <code>&lt;i&gt;</code> <strong>y</strong> z</p>");
  assert.equal(markdown("| a | b |\n|---|---|\n| 1 | `c` |"), '<div class="table"><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><code>c</code></td></tr></table></div>');
  assert.equal(markdown("```\na < b\n```\n- one\n  more\n- two"), "<pre>a &lt; b</pre>\n<ul><li>one\n  more</li><li>two</li></ul>");
});

test("what a report or a certificate claims is found, and what cannot be run here is said", () => {
  const run = { case: "fte/clean@fte-nq", trace_hash: "a", verdict: "pass", seeds: 1, replay: "deltaproof replay fte/clean@fte-nq --seed 1 --server fte/slow" };
  assert.deepEqual(claims({ cases: [run] })[0], { case: run.case, trace: "a", verdict: "pass", seeds: 1, candidate: "fte/slow", why: null });
  assert.match(claims({ cases: [{ ...run, replay: "… --shim x" }] })[0].why, /a page cannot start/);
  const certificate = { levels: [], implementation: { name: "mine" }, cases: [{ case: "c", trace: "b", verdict: "pass" }] };
  assert.match(claims(certificate)[0].why, /certify --verify/);
  assert.equal(claims({ ...certificate, implementation: { name: "deltaproof reference" } })[0].why, null);
  assert.equal(claims({}), null);
});

test("the scripts are bundled without anything to load", () => {
  for (const name of ["main.js", "worker.js"]) assert.doesNotMatch(script(name), /^(import|export) /m);
});
