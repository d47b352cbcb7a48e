// Learn: what each protocol is, and each requirement with a button that plays what covers it.
import { byId, make } from "./dom.js";
import { markdown } from "./markdown.js";

export class Learn {
  #catalogue;
  #protocol = null;

  constructor(catalogue) {
    this.#catalogue = catalogue;
    byId("protocols").replaceChildren(...catalogue.protocols.map(it => make("a", { href: `#learn/${it.name}` }, it.title)));
    byId("filter").oninput = () => this.#list();
  }

  /** Shows a protocol, or the first. */
  show(name) {
    this.#protocol = this.#catalogue.protocols.find(it => it.name === name) ?? this.#catalogue.protocols[0];
    for (const link of byId("protocols").children) {
      if (link.hash === `#learn/${this.#protocol.name}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    // The text is part of the module, and escaped.
    byId("text").innerHTML = markdown(this.#protocol.text);
    this.#list();
  }

  #list() {
    const wanted = byId("filter").value.trim().toLowerCase();
    const has = it => [it.id, it.text, it.source].some(text => text.toLowerCase().includes(wanted));
    byId("requirements").replaceChildren(...this.#protocol.requirements.filter(has).map(it => this.#requirement(it)));
  }

  #requirement(it) {
    const known = [["statement", it.text], ["source", it.source], ["shows as", it.observed], ["errata", it.errata], ["engines", it.engines],
      ["binds in", it.profiles?.join(", ")], ["untestable", it.untestable], ["decided by", it.decided]].filter(([, text]) => text);
    const mutant = this.#protocol.mutants.find(other => other.requirement === it.id);
    // What a scenario names is what it is about; many more cover it by the way.
    const scenarios = this.#catalogue.scenarios;
    const named = scenarios.find(other => other.requirements.includes(it.id)) ?? scenarios.find(other => other.id === it.covered_by?.[0]);
    const play = (text, href) => make("a", { href }, text);
    return make("details", { id: it.id }, make("summary", {}, make("strong", {}, it.id), ` ${it.level}, ${it.role}: ${it.text}`),
      make("dl", {}, known.map(([name, text]) => [make("dt", {}, name), make("dd", {}, text)])),
      make("p", {}, named ? play(`Play ${named.id}`, `#${encodeURI(named.cases[0])}`) : "No scenario covers it.",
        mutant ? " · " : "", mutant ? play(`Break it: ${mutant.name}`, this.#broken(mutant)) : ""));
  }

  #broken(mutant) {
    const scenario = this.#catalogue.scenarios.find(it => it.id === mutant.scenario);
    return `#${encodeURI(scenario?.cases[0] ?? mutant.scenario)}&with=${encodeURIComponent(`${this.#protocol.name}/${mutant.name}`)}`;
  }
}
