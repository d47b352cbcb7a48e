// The page: which part is shown, and what a link says.
import { byId } from "./dom.js";
import { compiled, Engine } from "./engine.js";
import { Learn } from "./learn.js";
import { PAGES, state } from "./link.js";
import { Play } from "./play.js";
import { Sweep } from "./sweep.js";
import { Traffic } from "./traffic.js";
import { Verify } from "./verify.js";

/* global WORKER */

function fail(error) {
  byId("fault").hidden = !error;
  byId("fault").textContent = error ? error.message : "";
}

function open(page) {
  for (const name of PAGES) byId(name).hidden = name !== page;
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

async function begin() {
  open(state(location.hash).page);
  const worker = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  // The page is painted before anything else is done.
  await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
  const module = compiled(byId("module").textContent.trim());
  const start = () => new Engine(module, worker);
  const engine = start();
  const catalogue = await engine.ask({ do: "catalogue" });
  byId("version").textContent = `deltaproof ${catalogue.version}, fate model ${catalogue.fate_model}.`;
  const play = new Play(engine, catalogue);
  const traffic = new Traffic(engine, catalogue);
  const verify = new Verify(start);
  const learn = new Learn(catalogue);
  new Sweep(start, () => play.state);

  const follow = async () => {
    const wanted = state(location.hash);
    fail(null);
    open(wanted.page);
    try {
      if (wanted.unknown.length) throw new Error(`the link has \`${wanted.unknown.join("`, `")}\`, which means nothing here`);
      if (wanted.page === "play") await play.show(wanted);
      if (wanted.page === "learn") learn.show(wanted.protocol);
    } catch (error) {
      fail(error);
    }
  };
  addEventListener("hashchange", follow);
  addEventListener("dragover", event => { event.preventDefault(); document.body.classList.add("drop"); });
  addEventListener("dragleave", () => document.body.classList.remove("drop"));
  addEventListener("drop", async event => {
    event.preventDefault();
    document.body.classList.remove("drop");
    for (const file of event.dataTransfer.files) {
      const page = file.name.endsWith(".json") ? "verify" : "traffic";
      open(page);
      history.replaceState(null, "", `#${page}`);
      try { await (page === "verify" ? verify : traffic).file(file); } catch (error) { fail(error); }
    }
  });
  await follow();
  document.documentElement.dataset.ready = "true";
}

begin().catch(fail);
