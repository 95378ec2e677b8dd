// The flame graph of two arms: the reader zooms into a call, searches, and switches between the widths of either arm, by mouse or by
// keyboard. Without this script the drawing shows all calls with the widths of the arm, and each call tells its figures.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const XHTML = "http://www.w3.org/1999/xhtml";
  // Pixels of a letter, and of the space beside a label; narrower boxes are not drawn.
  const LETTER = 6.6;
  const BESIDE = 6;
  const NARROWEST = 0.3;

  const flame = (svg) => {
    const { words, box } = JSON.parse(svg.dataset.flame);
    const said = svg.querySelector(".said");
    const widths = svg.querySelector(".widths");
    const calls = [];
    const above = [];
    for (const element of svg.querySelectorAll(".call")) {
      const [depth, baseline, arm] = element.dataset.call.split(" ").map(Number);
      while (above.length > depth) above.pop().end = calls.length;
      const title = element.querySelector("title").textContent.split("\n");
      calls.push({
        element, depth, times: [baseline, arm], parent: above.at(-1) ?? null, place: calls.length,
        name: title[0], figures: title.slice(1).join(" "), rect: element.querySelector("rect"),
        text: element.querySelector("text"), sign: element.dataset.sign ?? "", x: 0, width: 0,
      });
      above.push(calls.at(-1));
    }
    // The end of a call is the place behind the last one below it.
    for (const call of above) call.end = calls.length;
    const byElement = new Map(calls.map((call) => [call.element, call]));
    let of = 1;
    let zoomed = calls[0];
    let current = calls[0];
    let hits = [];

    const label = (call) => {
      const letters = Math.floor((call.width - BESIDE) / LETTER);
      const short = call.name.split(".").slice(-2).join(".");
      const fits = [call.name, short].find((name) => call.sign.length + name.length <= letters);
      if (fits) return call.sign + fits;
      return letters < 3 ? "" : `${(call.sign + short).slice(0, letters - 1)}…`;
    };

    const draw = () => {
      if (!zoomed.times[of]) zoomed = calls[0];
      const path = new Set();
      for (let call = zoomed.parent; call; call = call.parent) path.add(call);
      const scale = box.width / zoomed.times[of];
      const next = [];
      for (const call of calls) {
        const within = call.place >= zoomed.place && zoomed.end > call.place;
        call.width = path.has(call) || call === zoomed ? box.width : within ? call.times[of] * scale : 0;
        call.x = call === zoomed || path.has(call) ? box.left : next[call.depth] ?? box.left;
        next.length = call.depth;
        next[call.depth] = call.x + call.width;
        next[call.depth + 1] = call.x;
        call.shown = call.width >= NARROWEST;
        call.element.classList.toggle("gone", !call.shown);
        call.element.classList.toggle("above", path.has(call));
        if (!call.shown) continue;
        call.rect.setAttribute("x", call.x.toFixed(1));
        call.rect.setAttribute("width", call.width.toFixed(1));
        if (!call.text) {
          call.text = call.element.appendChild(document.createElementNS(SVG, "text"));
          call.text.setAttribute("y", Number(call.rect.getAttribute("y")) + box.baseline);
        }
        call.text.setAttribute("x", (call.x + BESIDE / 2).toFixed(1));
        call.text.textContent = label(call);
      }
      if (!current.shown) current = zoomed;
      for (const call of calls) call.element.setAttribute("tabindex", call === current ? 0 : -1);
      svg.dataset.zoomed = zoomed.name;
      svg.dataset.of = box.arms[of];
    };

    const tell = (call) => { said.textContent = `${call.name} · ${call.figures}`; };
    const go = (call, preventScroll = false) => {
      if (!call) return;
      current.element.setAttribute("tabindex", -1);
      current = call;
      call.element.setAttribute("tabindex", 0);
      call.element.focus({ preventScroll });
      tell(call);
    };
    const zoom = (call) => { zoomed = call; draw(); go(call, true); };

    // The share of what matches: a match within another one counts once.
    const search = (term) => {
      const wanted = term.trim().toLowerCase();
      hits = wanted ? calls.filter((call) => call.name.toLowerCase().includes(wanted)) : [];
      const found = new Set(hits);
      for (const call of calls) call.element.classList.toggle("hit", found.has(call));
      svg.classList.toggle("searching", wanted !== "");
      let seconds = 0;
      for (let place = 0; calls.length > place; place = found.has(calls[place]) ? calls[place].end : place + 1) {
        if (found.has(calls[place])) seconds += calls[place].times[of];
      }
      const share = calls[0].times[of] ? 100 * seconds / calls[0].times[of] : 0;
      if (wanted) said.textContent = words.found.replace("{share}", share.toFixed(1)).replace("{arm}", box.arms[of]);
      svg.dataset.found = wanted ? share.toFixed(1) : "";
    };
    const nextHit = (step) => {
      const shown = hits.filter((call) => call.shown);
      const at = shown.indexOf(current);
      if (shown.length) go(shown[(at + step + shown.length) % shown.length]);
    };

    const tool = (name, attributes, text) => {
      const made = document.createElementNS(XHTML, name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      made.textContent = text;
      return made;
    };
    const place = document.createElementNS(SVG, "foreignObject");
    for (const [key, value] of Object.entries(box.tools)) place.setAttribute(key, value);
    const bar = place.appendChild(tool("div", {}, ""));
    const input = bar.appendChild(tool("input", { type: "search", placeholder: words.search, "aria-label": words.search }, ""));
    const other = bar.appendChild(tool("button", { type: "button" }, ""));
    const all = bar.appendChild(tool("button", { type: "button" }, words.all));
    const turn = (to) => {
      of = to;
      widths.textContent = words.widths.replace("{arm}", box.arms[of]);
      other.textContent = words.width.replace("{arm}", box.arms[1 - of]);
      draw();
      if (input.value) search(input.value);
    };
    svg.appendChild(place);
    input.addEventListener("input", () => search(input.value));
    other.addEventListener("click", () => turn(1 - of));
    all.addEventListener("click", () => { input.value = ""; search(""); zoom(calls[0]); });

    const called = (event) => byElement.get(event.target.closest?.(".call"));
    svg.addEventListener("click", (event) => { const call = called(event); if (call) zoom(call); });
    svg.addEventListener("mouseover", (event) => { const call = called(event); if (call) tell(call); });
    svg.addEventListener("focusin", (event) => { const call = called(event); if (call) { current = call; tell(call); } });

    const beside = (call, step) => {
      for (let at = call.place + step; calls[at]; at += step) {
        if (calls[at].shown && calls[at].depth === call.depth) return calls[at];
      }
      return null;
    };
    const inner = (call) => calls.slice(call.place + 1, call.end).find((one) => one.shown && one.depth === call.depth + 1);
    const KEYS = {
      ArrowDown: () => go(inner(current)),
      ArrowUp: () => go(current.parent),
      ArrowLeft: () => go(beside(current, -1)),
      ArrowRight: () => go(beside(current, 1)),
      Enter: () => zoom(current),
      " ": () => zoom(current),
      "+": () => zoom(current),
      "-": () => zoom(zoomed.parent ?? zoomed),
      Escape: () => zoom(calls[0]),
      "/": () => input.focus(),
      n: () => nextHit(1),
      N: () => nextHit(-1),
      w: () => { turn(1 - of); go(current); },
    };
    svg.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.target === input) {
        if (event.key === "Enter") nextHit(1);
        if (event.key === "Escape") { input.value = ""; search(""); go(current); }
        return;
      }
      const act = called(event) ? KEYS[event.key] : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    });
    said.textContent = words.keys;
    turn(1);
  };
  for (const svg of document.querySelectorAll("svg.flame")) flame(svg);
})();
