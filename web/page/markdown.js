// The little Markdown that the protocols' descriptions use, as HTML.

const escaped = text => text.replace(/[&<>"]/g, char => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[char]);

function inline(text) {
  // Code first: nothing in it means anything.
  return text.split(/(`[^`]*`)/).map(part => part.startsWith("`") && part.endsWith("`") && part.length > 1
    ? `<code>${escaped(part.slice(1, -1))}</code>`
    : escaped(part)
      .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
      .replace(/\*([^*\s][^*]*)\*/g, "<em>$1</em>")
      .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")).join("");
}

function table(rows) {
  const cells = row => row.replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map(cell => inline(cell.trim().replaceAll("\\|", "|")));
  const line = (row, tag) => `<tr>${cells(row).map(cell => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  return `<div class="table"><table>${line(rows[0], "th")}${rows.slice(2).map(row => line(row, "td")).join("")}</table></div>`;
}

/** A text as HTML. Links lead to files that a page does not have: their words stay. */
export function markdown(text) {
  const lines = text.split("\n");
  const out = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    const until = stop => { const from = at; while (at < lines.length && !stop(lines[at])) at++; return lines.slice(from, at); };
    if (line.startsWith("```")) {
      at++;
      out.push(`<pre>${escaped(until(next => next.startsWith("```")).join("\n"))}</pre>`);
      at++;
    } else if (/^#{1,4} /.test(line)) {
      const depth = line.indexOf(" ");
      out.push(`<h${Math.min(depth + 1, 4)}>${inline(line.slice(depth + 1))}</h${Math.min(depth + 1, 4)}>`);
      at++;
    } else if (line.startsWith("|")) {
      out.push(table(until(next => !next.startsWith("|"))));
    } else if (/^([-*]|\d+\.) /.test(line)) {
      const tag = /^\d/.test(line) ? "ol" : "ul";
      const items = until(next => next.trim() === "").join("\n").split(/\n(?=(?:[-*]|\d+\.) )/);
      out.push(`<${tag}>${items.map(item => `<li>${inline(item.replace(/^([-*]|\d+\.) /, ""))}</li>`).join("")}</${tag}>`);
    } else if (line.trim() === "") {
      at++;
    } else {
      out.push(`<p>${inline(until(next => next.trim() === "" || /^(```|#{1,4} |\|)/.test(next)).join(" "))}</p>`);
    }
  }
  return out.join("\n");
}
