"use strict";
// What the page does beyond showing: sorting, filtering, linked panes, flame graphs. Nothing is loaded, nothing leaves the page.
const all = (s, in_ = document) => [...in_.querySelectorAll(s)];

// Sorting: the head of a column becomes a button. Rows without a value stay below.
for (const th of all(".sortable thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = th.textContent;
  th.replaceChildren(button);
  button.addEventListener("click", () => {
    const table = th.closest("table"), body = table.tBodies[0], column = th.cellIndex;
    const up = th.getAttribute("aria-sort") !== "ascending";
    for (const other of all("th", table.tHead)) other.setAttribute("aria-sort", "none");
    th.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = (row) => parseFloat(row.cells[column].dataset.v);
    body.append(...[...body.rows].sort((a, b) => {
      const x = value(a), y = value(b);
      if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
      return up ? x - y : y - x;
    }));
  });
}

// Filtering by a part of the name.
const filter = document.getElementById("filter");
filter.hidden = false;
filter.querySelector("input").addEventListener("input", (e) => {
  const part = e.target.value.toLowerCase();
  for (const x of all("[data-name]")) x.classList.toggle("out", !x.dataset.name.toLowerCase().includes(part));
});

// A link into what is folded up unfolds it.
function reveal() {
  let x;
  try { x = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
  if (!x) return;
  for (let d = x; d; d = d.parentElement) if (d.tagName === "DETAILS") d.open = true;
  x.scrollIntoView();
}
addEventListener("hashchange", reveal);
reveal();

// Linked panes. What belongs to a line: in the source, the same line; in IR and code the same group of instructions, or
// all of the line if it is one of the source.
function related(line) {
  const listing = line.closest(".listing"), { s, i } = line.dataset;
  return all(".l", listing).filter((x) => {
    if (x === line) return true;
    const bySource = s !== undefined && x.dataset.s === s;
    if (i === undefined || x.closest(".so")) return bySource;
    return x.dataset.i === i;
  });
}
function mark(listing, line) {
  for (const x of all(".l.on, .l.cur", listing)) x.classList.remove("on", "cur");
  if (!line) return [];
  const list = related(line);
  for (const x of list) x.classList.add("on");
  line.classList.add("cur");
  return list;
}
// Scrolls a pane, and not the page, to a line.
function toView(pane, line) {
  const a = pane.getBoundingClientRect(), b = line.getBoundingClientRect();
  if (b.top < a.top + 24) pane.scrollTop -= a.top + 24 - b.top;
  else if (b.bottom > a.bottom) pane.scrollTop += b.bottom - a.bottom;
}
for (const listing of all(".listing")) {
  let kept = null;
  const lineOf = (e) => e.target.closest(".l[data-s], .l[data-i]");
  const keep = (line) => {
    kept = line;
    const seen = new Set(line ? [line.closest(".pane")] : []);
    if (line) toView(line.closest(".pane"), line);
    for (const x of mark(listing, line)) {
      const pane = x.closest(".pane");
      if (seen.has(pane)) continue;
      seen.add(pane);
      toView(pane, x);
    }
  };
  listing.addEventListener("mouseover", (e) => { const line = lineOf(e); if (line && !kept) mark(listing, line); });
  listing.addEventListener("mouseleave", () => { if (!kept) mark(listing, null); });
  listing.addEventListener("click", (e) => { if (!e.target.closest("a, summary")) { const line = lineOf(e); keep(line === kept ? null : line); } });
  for (const pane of all(".pane", listing)) {
    pane.addEventListener("keydown", (e) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (e.key === "Escape") return keep(null);
      if (!step) return;
      e.preventDefault();
      const lines = all(".l[data-s], .l[data-i]", pane).filter((x) => x.offsetParent);
      const at = lines.findIndex((x) => x.classList.contains("cur"));
      const on = lines.findIndex((x) => x.classList.contains("on"));
      keep(lines[at >= 0 ? Math.min(Math.max(at + step, 0), lines.length - 1) : Math.max(on, 0)] || null);
    });
  }
}

// Flame graphs: a frame becomes as wide as the graph, with all above and below it.
for (const graph of all(".flame")) {
  const frames = all(".frame", graph);
  const box = (f) => ({ x: +f.dataset.x, w: +f.dataset.w, d: +f.dataset.d });
  const inside = (a, b) => a.x >= b.x - 1e-6 && a.x + a.w <= b.x + b.w + 1e-6;
  let at = frames[0];
  const enlarge = (top) => {
    const t = box(top);
    for (const f of frames) {
      const b = box(f), above = b.d < t.d && inside(t, b), below = b.d >= t.d && inside(b, t);
      f.setAttribute("x", above ? "0%" : 100 * (b.x - t.x) / t.w + "%");
      f.setAttribute("width", above ? "100%" : 100 * b.w / t.w + "%");
      f.setAttribute("visibility", above || below ? "visible" : "hidden");
    }
  };
  const go = (f) => {
    if (!f) return;
    at.classList.remove("on");
    at = f;
    at.classList.add("on");
    graph.setAttribute("aria-label", f.getAttribute("aria-label"));
  };
  const near = (test) => frames.find((f) => test(box(f), box(at)));
  const keys = {
    ArrowDown: () => near((b, a) => b.d === a.d + 1 && inside(b, a)),
    ArrowUp: () => near((b, a) => b.d === a.d - 1 && inside(a, b)),
    ArrowRight: () => frames.filter((f) => box(f).d === box(at).d && box(f).x > box(at).x + 1e-6).sort((a, b) => box(a).x - box(b).x)[0],
    ArrowLeft: () => frames.filter((f) => box(f).d === box(at).d && box(f).x < box(at).x - 1e-6).sort((a, b) => box(b).x - box(a).x)[0],
  };
  graph.addEventListener("click", (e) => { const f = e.target.closest(".frame"); if (f) { go(f); enlarge(f); } });
  graph.addEventListener("keydown", (e) => {
    if (keys[e.key]) { e.preventDefault(); go(keys[e.key]()); }
    if (e.key === "Enter") enlarge(at);
    if (e.key === "Escape") { go(frames[0]); enlarge(frames[0]); }
  });
}
document.documentElement.dataset.script = "done";
