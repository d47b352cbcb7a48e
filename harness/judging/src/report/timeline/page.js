"use strict";
(() => {
  const panel = document.getElementById("detail");
  const marks = [...document.querySelectorAll(".drawing a")];
  let pinned = null;
  const show = mark => {
    const block = document.getElementById(mark.getAttribute("href").slice(1));
    if (!block) return;
    const copy = block.cloneNode(true);
    copy.removeAttribute("id");
    panel.replaceChildren(copy);
    panel.scrollTop = 0;
    for (const other of marks) other.classList.toggle("on", other === mark);
  };
  for (const mark of marks) {
    mark.addEventListener("mouseenter", () => { if (!pinned) show(mark); });
    mark.addEventListener("focus", () => { pinned = mark; show(mark); });
    mark.addEventListener("click", event => { event.preventDefault(); pinned = mark; show(mark); });
  }
  addEventListener("keydown", event => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const at = marks.indexOf(document.activeElement);
    if (event.key === "Escape") { pinned = null; document.activeElement.blur(); }
    if (!step || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = marks[at + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  });
  const first = marks.find(mark => mark.getAttribute("href") === "#" + panel.dataset.first);
  if (first) show(first);
})();
