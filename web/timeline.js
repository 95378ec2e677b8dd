// The time line of a report: one panel for each quantity, all over the same time axis. Slices are dots without lines, because the other
// arms were loaded between two slices of an arm. The reader can zoom in any panel by dragging or with two fingers; all panels
// follow.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("series").textContent);
  const words = Object.fromEntries(data.words);
  const section = document.getElementById("timeline");
  const panels = document.getElementById("panels");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ink = () => colour("--faint");
  const grid = () => ({ show: true, stroke: () => colour("--line"), width: 1 });
  const whole = { min: 0, max: data.at[data.at.length - 1] + 1 };
  const filter = { load: null, start: null };
  const plots = [];
  let zooming = false;

  // The values of an arm at the chosen load and start.
  const values = (track, arm) => track.values.map((value, index) =>
    data.arm[index] === arm
      && (filter.load === null || data.load[index] === filter.load)
      && (filter.start === null || data.start[index] === filter.start) ? value : null);
  const columns = (track) => [data.at, ...data.arms.map((_, arm) => values(track, arm))];

  // Short labels for axes: 1.5k, 0.04, or a time with its unit, 20 ms.
  const COUNTS = [[1e6, "M"], [1e3, "k"], [1, ""]];
  const TIMES = [[1, " s"], [1e-3, " ms"], [1e-6, " µs"]];
  const short = (value, time) => {
    if (value === null || value === undefined) return "–";
    const units = time ? TIMES : COUNTS;
    const [unit, letter] = units.find(([unit]) => Math.abs(value) >= unit) ?? units.at(-1);
    return value === 0 ? "0" : `${Number((value / unit).toPrecision(3))}${letter}`;
  };

  // When one panel is zoomed, the others follow. The attributes of the section tell tests the visible range.
  const zoomed = (plot, key) => {
    if (key !== "x" || zooming) return;
    const { min, max } = plot.scales.x;
    zooming = true;
    for (const other of plots) if (other !== plot) other.setScale("x", { min, max });
    zooming = false;
    section.dataset.from = min.toFixed(2);
    section.dataset.to = max.toFixed(2);
  };
  const show = (range) => plots.length && plots[0].setScale("x", range);

  const series = (name, arm, time) => ({
    label: name,
    stroke: () => colour(`--arm${arm % 8}`),
    fill: () => colour(`--arm${arm % 8}`),
    paths: () => null,
    points: { show: true, size: 5, width: 0, fill: () => colour(`--arm${arm % 8}`) },
    value: (_, value) => short(value, time),
  });

  const panel = (track, last) => {
    const options = {
      title: track.title,
      width: wide,
      height: last ? 190 : 160,
      scales: { x: { time: false } },
      cursor: { sync: { key: "timeline" }, drag: { x: true, y: false } },
      legend: { live: true },
      series: [{ label: "s", value: (_, value) => (value === null ? "–" : value.toFixed(1)) }, ...data.arms.map((name, arm) => series(name, arm, track.time))],
      axes: [
        { stroke: ink, grid: grid(), ticks: grid(), values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
        { stroke: ink, grid: grid(), ticks: grid(), size: 64, values: (_, ticks) => ticks.map((tick) => short(tick, track.time)) },
      ],
      hooks: { setScale: [zoomed] },
    };
    const plot = new uPlot(options, columns(track), panels);
    fingers(plot, (range) => show(range ?? whole));
    return plot;
  };

  // Drawn after the rest of the page is visible, and panel by panel, because a long run has many thousand points.
  const draw = () => {
    const track = data.tracks[plots.length];
    plots.push(panel(track, plots.length === data.tracks.length - 1));
    if (plots.length < data.tracks.length) setTimeout(draw);
    else section.dataset.panels = String(plots.length);
  };
  const redraw = () => plots.forEach((plot) => plot.redraw());
  const refill = () => plots.forEach((plot, index) => {
    const { min, max } = plot.scales.x;
    plot.setData(columns(data.tracks[index]), false);
    plot.setScale("x", { min, max });
  });

  const choice = (id, all, names, chosen) => {
    const select = document.getElementById(id);
    select.setAttribute("aria-label", all);
    [all, ...names].forEach((name, index) => select.add(new Option(name, String(index - 1))));
    select.hidden = names.length < 2;
    select.addEventListener("change", () => chosen(Number(select.value)));
  };

  // An arm is shown alone by hiding the others, as a click on their names in the legend does.
  const choose = (arm) => plots.forEach((plot) =>
    data.arms.forEach((_, index) => plot.setSeries(index + 1, { show: arm < 0 || arm === index }, false)));

  const spans = new Map();
  data.start.forEach((start, index) => {
    const span = spans.get(start) ?? { min: data.at[index], max: data.at[index] };
    spans.set(start, { min: Math.min(span.min, data.at[index]), max: Math.max(span.max, data.at[index]) });
  });
  const starts = [...spans.keys()].sort((a, b) => a - b);

  document.querySelector("#timeline .controls").hidden = false;
  choice("arm", words.arms, data.arms, choose);
  choice("load", words.loads, data.loads, (load) => { filter.load = load < 0 ? null : load; refill(); });
  choice("start", words.starts, starts.map((start) => `# ${start}`), (index) => {
    const span = index < 0 ? whole : spans.get(starts[index]);
    show({ min: span.min - 0.5, max: span.max + 0.5 });
  });
  document.getElementById("reset").addEventListener("click", () => show(whole));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  // Paper has its own width and colours, and it is laid out before a script can learn its size.
  const PAPER = 660;
  const paper = matchMedia("print");
  let wide = panels.clientWidth;
  const fit = () => {
    const width = paper.matches ? PAPER : panels.clientWidth;
    // Drawing a panel changes only the height.
    if (width === wide) return;
    wide = width;
    plots.forEach((plot) => plot.setSize({ width, height: plot.height }));
  };
  paper.addEventListener("change", () => { fit(); redraw(); });
  // For browsers in which a style rule cannot open these.
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
  new ResizeObserver(fit).observe(panels);

  addEventListener("load", () => setTimeout(draw));
})();
