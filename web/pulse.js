// The plots of live throughput and latency: a point for each slice and a line for each arm, over a common time axis. They can be zoomed
// by dragging, or with two fingers.

import { byId, element, rate, seconds } from './page.js';

const HEIGHT = 260;
const ALL = 'all';

const colour = (arm) => getComputedStyle(document.documentElement).getPropertyValue(`--arm${arm % 8}`).trim();
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const time = (at) => (at == null ? '–' : new Date(at * 1000).toLocaleTimeString('en-GB'));

/** The two plots of the page. `run` is what the live page knows of the run. */
export class Pulse {
  constructor(words, run) {
    Object.assign(this, { words, run, plots: [], names: '' });
    byId('level').onchange = () => this.show();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.repaint());
    new ResizeObserver(() => this.plots.forEach((plot) => plot.setSize(this.size()))).observe(byId('throughput'));
  }

  /** Draws the plots again after the colour scheme has changed. */
  repaint() {
    if (this.plots.length === 0) return;
    this.make();
    this.show();
  }

  size() {
    return { width: Math.max(240, byId('throughput').clientWidth), height: HEIGHT };
  }

  /** Draws all slices; if the reader has zoomed, the zoom stays. */
  show() {
    const { run } = this;
    byId('pulse-part').hidden = run.slices.length === 0;
    if (run.slices.length === 0) return;
    this.fillLevels();
    const names = run.state.arms.join('\n');
    if (names !== this.names) this.make();
    this.names = names;
    const [closed, rated] = [this.closedLoopSlices(), run.slices.filter((slice) => slice.rate != null)];
    const [throughput, latency] = this.plots;
    this.fill(throughput, closed, [(slice) => slice.throughput]);
    // Response times at the fixed rate if there are any, else service times of the closed loop.
    byId('times-of').textContent = rated.length ? this.words.say('pulse.response') : this.words.say('pulse.service');
    this.fill(latency, rated.length ? rated : closed, [(slice) => slice.p50, (slice) => slice.p99]);
    const { gone, slices } = run;
    byId('gone').textContent = gone ? this.words.say('pulse.gone', { gone, kept: slices.length }) : '';
  }

  /** Sets the data of a plot. The time axis follows the run, unless the reader has zoomed. */
  fill(plot, slices, values) {
    plot.setData(columns(slices, this.run.state.arms, values), !plot.zoomed);
    if (plot.zoomed) plot.redraw();
    plot.place.dataset.points = slices.length;
  }

  /** Fills the list of levels of the closed loop, if the run has several. */
  fillLevels() {
    const { levels } = this.run.state;
    const select = byId('level');
    if (select.options.length) return;
    const users = levels.map((n) => element('option', { value: String(n) }, this.words.say('load.users', { n })));
    select.append(element('option', { value: ALL }, this.words.say('load.all')), ...users);
    byId('levels').hidden = levels.length < 2;
  }

  /** Returns the slices of the closed loop at the chosen level. */
  closedLoopSlices() {
    const { value } = byId('level');
    return this.run.slices.filter(({ rate, users }) => rate == null && (value === ALL || String(users) === value));
  }

  make() {
    this.plots.forEach((plot) => plot.destroy());
    const { arms } = this.run.state;
    const one = arms.map((arm, index) => series(arm, index, rate));
    const two = arms.flatMap((arm, index) => [
      series(`${arm} p50`, index, seconds),
      { ...series(`${arm} p99`, index, seconds), dash: [4, 4] },
    ]);
    this.plots = [
      this.plot('throughput', one, { range: (_, low, high) => [0, (high || 1) * 1.08] }, rate),
      this.plot('latency', two, { distr: 3 }, seconds),
    ];
  }

  plot(place, lines, scale, format) {
    const axis = { stroke: ink('--faint'), grid: { stroke: ink('--line'), width: 1 }, ticks: { stroke: ink('--line') } };
    const options = {
      ...this.size(),
      cursor: { sync: { key: 'run' }, drag: { x: true, y: false } },
      scales: { x: { time: true }, y: scale },
      axes: [{ ...axis, space: 72, values: (_, ticks) => ticks.map(time) }, { ...axis, size: 72, values: (_, ticks) => ticks.map((tick) => (tick == null ? '' : format(tick))) }],
      series: [{ label: this.words.say('time.of.day'), value: (_, at) => time(at) }, ...lines],
      hooks: {
        setSelect: [(plot) => { plot.zoomed = plot.select.width > 0; }],
        // The visible span in seconds, for tests, which cannot read a canvas.
        setScale: [(plot) => { byId(place).dataset.span = plot.scales.x.max - plot.scales.x.min; }],
      },
    };
    const made = new uPlot(options, [[], ...lines.map(() => [])], byId(place));
    made.place = byId(place);
    // On a double click uPlot itself shows everything again.
    made.over.addEventListener('dblclick', () => { made.zoomed = false; });
    fingers(made, (range) => this.zoom(range));
    return made;
  }

  /** Shows a span of time in both plots, or everything for `null`. */
  zoom(range) {
    for (const plot of this.plots) {
      plot.zoomed = range !== null;
      if (range) plot.setScale('x', range);
    }
    if (!range) this.show();
  }
}

function series(label, arm, format) {
  return {
    label, stroke: colour(arm), width: 1.5, points: { size: 5 },
    value: (_, value) => format(value),
  };
}

/** Sorts slices by time and inserts gaps, so that no line connects two starts, whose servers differ, or two loads. */
function withGaps(slices) {
  const ordered = [...slices].sort((one, next) => one.at - next.at);
  return ordered.flatMap((slice, index) => {
    const before = ordered[index - 1];
    const differs = before && ['round', 'users', 'rate'].some((key) => before[key] !== slice[key]);
    const gap = differs ? [{ at: (before.at + slice.at) / 2, gap: true }] : [];
    return [...gap, slice];
  });
}

/** Returns the times and one column for each value of each arm. For uPlot, null is a gap and undefined is no point: a slice belongs to one
 * arm, and the lines of the other arms are not interrupted by it. */
function columns(slices, arms, values) {
  const rows = withGaps(slices);
  const column = (arm, value) => rows.map((row) => (row.gap ? null : row.arm === arm ? value(row) : undefined));
  return [rows.map((row) => row.at), ...arms.flatMap((_, arm) => values.map((value) => column(arm, value)))];
}
