// The time line of a report: one panel for each quantity, all over the same time axis. Slices are dots without lines, because the other
// arms were loaded between two slices of an arm. The strip on top shows the whole run; a span that is selected there is what all
// panels show. The reader can also zoom in any panel by dragging or with two fingers; strip and panels follow. Under the pointer
// are the values of the nearest slice of each arm.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("series").textContent);
  const words = Object.fromEntries(data.words);
  const section = document.getElementById("timeline");
  const panels = document.getElementById("panels");
  const strip = document.getElementById("overview");
  const span = document.getElementById("span");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ink = () => colour("--faint");
  const grid = () => ({ show: true, stroke: () => colour("--line"), width: 1 });
  const whole = { min: 0, max: data.at[data.at.length - 1] + 1 };
  const filter = { load: null, start: null };
  const plots = [];
  let overview = null;
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
    mark({ min, max });
  };
  const show = (range) => plots.length && plots[0].setScale("x", range);

  // Shows on the strip which span the panels show.
  const mark = ({ min, max }) => {
    const isAll = min <= data.at[0] + 0.01 && max >= data.at[data.at.length - 1] - 0.01;
    const [left, right] = [min, max].map((at) => overview.valToPos(Math.min(Math.max(at, whole.min), whole.max), "x"));
    overview.setSelect({ left, width: isAll ? 0 : right - left, top: 0, height: overview.over.clientHeight }, false);
    span.textContent = isAll ? "" : `${min.toFixed(1)} – ${max.toFixed(1)} s`;
  };
  const LEAST = 0.5; // the shortest span, in seconds
  const selected = (plot) => {
    const { left, width } = plot.select;
    if (width > 0) show({ min: plot.posToVal(left, "x"), max: plot.posToVal(left + width, "x") });
  };

  // A finger selects a span as the mouse does, which is all that uPlot knows.
  const select = (plot) => {
    let begin = null;
    const at = ({ clientX }) => plot.posToVal(clientX - plot.over.getBoundingClientRect().left, "x");
    plot.over.style.touchAction = "pan-y";
    plot.over.addEventListener("pointerdown", (event) => { begin = event.pointerType === "touch" ? at(event) : null; });
    plot.over.addEventListener("pointermove", (event) => {
      if (begin === null) return;
      const [min, max] = [begin, at(event)].sort((one, next) => one - next);
      if (max - min > LEAST) show({ min, max });
    });
    for (const end of ["pointerup", "pointercancel"]) plot.over.addEventListener(end, () => { begin = null; });
  };

  // Moves or scales the span that is shown. The share is one of its length; the factor shrinks or grows it around its middle.
  const change = (share, factor) => {
    const { min, max } = plots[0].scales.x;
    const length = Math.min(Math.max((max - min) * factor, LEAST), whole.max - whole.min);
    const middle = (min + max) / 2 + share * length;
    const from = Math.min(Math.max(middle - length / 2, whole.min), whole.max - length);
    show({ min: from, max: from + length });
  };
  const KEYS = {
    ArrowLeft: () => change(-0.25, 1), ArrowRight: () => change(0.25, 1),
    "+": () => change(0, 0.5), "=": () => change(0, 0.5), "-": () => change(0, 2), Escape: () => show(whole),
  };
  strip.addEventListener("keydown", (event) => {
    if (!KEYS[event.key] || !plots.length || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  // The place of the value of a series that is nearest to a place: the arms were loaded in turn.
  const FAR = 60; // places
  const nearest = (plot, series, place) => {
    const values = plot.data[series];
    if (series === 0 || values[place] !== null) return place;
    for (let far = 1; far <= FAR; far++) {
      if (values[place - far] != null) return place - far;
      if (values[place + far] != null) return place + far;
    }
    return place;
  };

  // The values under the pointer, in a box beside it.
  const tips = (time) => {
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    return {
      init: (plot) => plot.over.append(tip),
      setCursor: (plot) => {
        const { left, top, idxs, idx } = plot.cursor;
        tip.hidden = left < 0 || idx == null || !plot.over.matches(":hover");
        if (tip.hidden) return;
        const lines = data.arms.map((name, arm) => {
          const value = plot.data[arm + 1][idxs[arm + 1]];
          if (value == null || !plot.series[arm + 1].show) return null;
          const line = document.createElement("div");
          const dot = document.createElement("span");
          dot.textContent = "● ";
          dot.style.color = colour(`--arm${arm % 8}`);
          const strong = document.createElement("b");
          strong.textContent = short(value, time);
          line.append(dot, `${name} `, strong);
          return line;
        });
        const at = document.createElement("div");
        at.textContent = `${plot.data[0][idx].toFixed(1)} s`;
        tip.replaceChildren(at, ...lines.filter(Boolean));
        const isRight = left > plot.over.clientWidth / 2;
        tip.style.left = isRight ? "" : `${left + 12}px`;
        tip.style.right = isRight ? `${plot.over.clientWidth - left + 12}px` : "";
        tip.style.top = `${Math.min(top + 8, Math.max(plot.over.clientHeight - tip.offsetHeight, 0))}px`;
      },
    };
  };

  const series = (name, arm, time) => ({
    label: name,
    stroke: () => colour(`--arm${arm % 8}`),
    fill: () => colour(`--arm${arm % 8}`),
    paths: () => null,
    points: { show: true, size: 5, width: 0, fill: () => colour(`--arm${arm % 8}`) },
    value: (_, value) => short(value, time),
  });

  // The strip with the whole run. Its legend names the arms of all panels, and a click on a name hides an arm in all of them.
  const wholeRun = (track) => {
    const plot = new uPlot({
      title: words.strip,
      width: wide,
      height: 110,
      scales: { x: { time: false, range: [whole.min, whole.max] }, y: { range: (_, low, high) => [Math.min(low ?? 0, 0), high || 1] } },
      cursor: { drag: { x: true, y: false, setScale: false }, y: false, points: { show: false } },
      legend: { live: false },
      series: [{ label: "s" }, ...data.arms.map((name, arm) => ({ ...series(name, arm, track.time), points: { show: true, size: 3, width: 0, fill: () => colour(`--arm${arm % 8}`) } }))],
      axes: [
        { stroke: ink, grid: { show: false }, ticks: grid(), values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
        { stroke: ink, grid: { show: false }, ticks: { show: false }, size: 64, values: () => [] },
      ],
      hooks: {
        setSelect: [selected],
        setSeries: [(_, index, { show: shown }) => { if (shown !== undefined) plots.forEach((each) => each.setSeries(index, { show: shown }, false)); }],
      },
    }, columns(track), strip);
    plot.over.addEventListener("dblclick", () => show(whole));
    select(plot);
    return plot;
  };

  const panel = (track, last) => {
    const tip = tips(track.time);
    const options = {
      title: track.title,
      width: wide,
      height: last ? 190 : 160,
      scales: { x: { time: false } },
      cursor: { sync: { key: "timeline" }, drag: { x: true, y: false }, dataIdx: nearest },
      legend: { show: false },
      series: [{ label: "s", value: (_, value) => (value === null ? "–" : value.toFixed(1)) }, ...data.arms.map((name, arm) => series(name, arm, track.time))],
      axes: [
        { stroke: ink, grid: grid(), ticks: grid(), values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
        { stroke: ink, grid: grid(), ticks: grid(), size: 64, values: (_, ticks) => ticks.map((tick) => short(tick, track.time)) },
      ],
      hooks: { setScale: [zoomed], init: [tip.init], setCursor: [tip.setCursor] },
    };
    const plot = new uPlot(options, columns(track), panels);
    fingers(plot, (range) => show(range ?? whole));
    return plot;
  };

  // Drawn after the rest of the page is visible, and panel by panel, because a long run has many thousand points.
  const draw = () => {
    overview ??= wholeRun(data.tracks[0]);
    const track = data.tracks[plots.length];
    plots.push(panel(track, plots.length === data.tracks.length - 1));
    if (plots.length < data.tracks.length) setTimeout(draw);
    else section.dataset.panels = String(plots.length);
  };
  const all = () => [overview, ...plots].filter(Boolean);
  const redraw = () => all().forEach((plot) => plot.redraw());
  const refill = () => plots.forEach((plot, index) => {
    const { min, max } = plot.scales.x;
    plot.setData(columns(data.tracks[index]), false);
    plot.setScale("x", { min, max });
  });
  const refillAll = () => {
    overview?.setData(columns(data.tracks[0]), false);
    overview?.redraw();
    refill();
  };

  const choice = (id, all, names, chosen) => {
    const select = document.getElementById(id);
    select.setAttribute("aria-label", all);
    [all, ...names].forEach((name, index) => select.add(new Option(name, String(index - 1))));
    select.hidden = names.length < 2;
    select.addEventListener("change", () => chosen(Number(select.value)));
  };

  // An arm is shown alone by hiding the others, as a click on their names in the legend does.
  const choose = (arm) => all().forEach((plot) =>
    data.arms.forEach((_, index) => plot.setSeries(index + 1, { show: arm < 0 || arm === index }, false)));

  const spans = new Map();
  data.start.forEach((start, index) => {
    const span = spans.get(start) ?? { min: data.at[index], max: data.at[index] };
    spans.set(start, { min: Math.min(span.min, data.at[index]), max: Math.max(span.max, data.at[index]) });
  });
  const starts = [...spans.keys()].sort((a, b) => a - b);

  document.querySelector("#timeline .controls").hidden = false;
  choice("arm", words.arms, data.arms, choose);
  choice("load", words.loads, data.loads, (load) => { filter.load = load < 0 ? null : load; refillAll(); });
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
    all().forEach((plot) => plot.setSize({ width, height: plot.height }));
    if (plots.length) mark(plots[0].scales.x);
  };
  paper.addEventListener("change", () => { fit(); redraw(); });
  // For browsers in which a style rule cannot open these.
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
  new ResizeObserver(fit).observe(panels);

  addEventListener("load", () => setTimeout(draw));
})();
