// Runs the module beside the page, so that the page stays live.
import { ask } from "./abi.js";

let module = null;
let exports = null;

onmessage = async ({ data }) => {
  if (data.module) module = data.module;
  let answer = {};
  try {
    exports ??= (await WebAssembly.instantiate(module, {})).exports;
    if (data.request) answer = ask(exports, data.request);
  } catch (error) {
    // What is left of a module that has trapped is not to be trusted.
    exports = null;
    answer = { error: `the module failed: ${error.message}; please report this, with the link` };
  }
  postMessage({ id: data.id, answer });
};
