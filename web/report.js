// What a report gains with scripts: a menu that follows the reader, and tables that sort by a click on a heading. Without
// scripts, the menu still leads to each part.
"use strict";
(() => {
  const menu = document.querySelector(".menu");
  const fold = menu.querySelector("details");
  const current = menu.querySelector("[data-here]");
  const links = [...menu.querySelectorAll("a")];
  const parts = links.map((link) => document.getElementById(link.hash.slice(1)));

  // Beside the page the menu is always open. Above it, a click on a link folds it.
  const beside = matchMedia("(min-width: 70rem)");
  const place = () => { fold.open = beside.matches; };
  beside.addEventListener("change", place);
  place();
  fold.querySelector("summary").addEventListener("click", (event) => { if (beside.matches) event.preventDefault(); });
  menu.addEventListener("click", ({ target }) => { if (target.closest("a") && !beside.matches) fold.open = false; });

  // The part that is being read is the last one that begins above this line; at the end of the page it is the last.
  const LINE = 140; // pixels from the top of the screen
  let here = -1;
  const follow = () => {
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2 && scrollY > 0;
    const now = atEnd ? parts.length - 1 : parts.findLastIndex((part) => part.getBoundingClientRect().top < LINE);
    if (now === here) return;
    links[here]?.removeAttribute("aria-current");
    links[now]?.setAttribute("aria-current", "location");
    if (beside.matches) links[now]?.scrollIntoView({ block: "nearest" });
    current.textContent = now < 0 ? "" : `: ${links[now].textContent}`;
    here = now;
  };
  let asked = false;
  addEventListener("scroll", () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; follow(); });
  }, { passive: true });
  follow();

  // Tables. Figures are compared by their values, whatever their units are: 950 µs is less than 1.2 ms.
  const UNITS = { ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, k: 1e3, M: 1e6 };
  const FIGURE = /^[^\d+−-]*([+−-]?\d[\d.]*)\s*(ns|µs|ms|min|s|h|KiB|MiB|GiB|B|k|M)?/;
  const words = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const figure = (text) => {
    const [, number, unit] = FIGURE.exec(text) ?? [];
    return number === undefined ? null : Number(number.replace("−", "-")) * (UNITS[unit] ?? 1);
  };
  const compare = (one, next) => (typeof one === "number" ? one - next : words.compare(one, next));

  const sort = (table, index, order) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((one, next) => one.dataset.place - next.dataset.place);
    if (order) {
      const isFigure = rows.some(({ cells }) => cells[index]?.matches(".number, .difference"));
      const key = ({ cells }) => {
        const text = cells[index]?.textContent.trim() ?? "";
        return isFigure ? figure(text) : text || null;
      };
      const keyed = rows.map((row) => ({ row, key: key(row) }));
      // What has no value comes last in either order.
      keyed.sort((one, next) => (one.key === null) - (next.key === null) || (one.key === null ? 0 : order * compare(one.key, next.key)));
      rows.splice(0, rows.length, ...keyed.map(({ row }) => row));
    }
    body.append(...rows);
  };

  const ORDERS = { ascending: [1, "descending"], descending: [-1, "none"], none: [0, "ascending"] };
  for (const table of document.querySelectorAll("table")) {
    if (!table.tHead || table.tBodies[0].rows.length < 3) continue;
    [...table.tBodies[0].rows].forEach((row, place) => { row.dataset.place = place; });
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, index) => {
      if (!heading.matches("th")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      heading.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const next = ORDERS[heading.getAttribute("aria-sort")][1];
        headings.forEach((other) => { if (other.matches("th")) other.setAttribute("aria-sort", "none"); });
        heading.setAttribute("aria-sort", next);
        sort(table, index, ORDERS[next][0]);
      });
    });
  }
})();
