// Live throughput and latency: a point for each slice, a line for each arm, on one axis of time; drag to zoom, or
// spread two fingers.

import { byId, element, rate, seconds } from './page.js';

const HEIGHT = 260;
const ALL = 'all';

const colour = (arm) => getComputedStyle(document.documentElement).getPropertyValue(`--arm${arm % 8}`).trim();
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const time = (at) => (at == null ? '–' : new Date(at * 1000).toLocaleTimeString('en-GB'));

/** The two plots of the page; `run` is what the live page knows. */
export class Pulse {
  constructor(words, run) {
    Object.assign(this, { words, run, plots: [], names: '' });
    byId('level').onchange = () => this.show();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.repaint());
    new ResizeObserver(() => this.plots.forEach((plot) => plot.setSize(this.size()))).observe(byId('throughput'));
  }

  /** In the colours of day or night. */
  repaint() {
    if (this.plots.length === 0) return;
    this.make();
    this.show();
  }

  size() {
    return { width: Math.max(240, byId('throughput').clientWidth), height: HEIGHT };
  }

  /** Draws what is there; the reader's zoom stays. */
  show() {
    const { run } = this;
    byId('pulse-part').hidden = run.slices.length === 0;
    if (run.slices.length === 0) return;
    this.offer();
    const names = run.state.arms.join('\n');
    if (names !== this.names) this.make();
    this.names = names;
    const [closed, rated] = [this.closed(), run.slices.filter((slice) => slice.rate != null)];
    const [throughput, latency] = this.plots;
    this.fill(throughput, closed, [(slice) => slice.throughput]);
    // Two kinds of times: where nothing is measured at a fixed rate, there are only those of the closed loop.
    byId('times-of').textContent = rated.length ? this.words.say('pulse.response') : this.words.say('pulse.service');
    this.fill(latency, rated.length ? rated : closed, [(slice) => slice.p50, (slice) => slice.p99]);
    const { gone, slices } = run;
    byId('gone').textContent = gone ? this.words.say('pulse.gone', { gone, kept: slices.length }) : '';
  }

  /** New data in a plot: it follows the run unless the reader has zoomed. */
  fill(plot, slices, values) {
    plot.setData(columns(slices, this.run.state.arms, values), !plot.zoomed);
    if (plot.zoomed) plot.redraw();
    plot.place.dataset.points = slices.length;
  }

  /** The levels of the closed loop that can be chosen, where there are several. */
  offer() {
    const { levels } = this.run.state;
    const select = byId('level');
    if (select.options.length) return;
    const users = levels.map((n) => element('option', { value: String(n) }, this.words.say('load.users', { n })));
    select.append(element('option', { value: ALL }, this.words.say('load.all')), ...users);
    byId('levels').hidden = levels.length < 2;
  }

  /** The slices of the closed loop at the level that was chosen. */
  closed() {
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
        // Seconds that are in sight: for tests, which cannot read a canvas.
        setScale: [(plot) => { byId(place).dataset.span = plot.scales.x.max - plot.scales.x.min; }],
      },
    };
    const made = new uPlot(options, [[], ...lines.map(() => [])], byId(place));
    made.place = byId(place);
    // uPlot itself shows everything again on a double click.
    made.over.addEventListener('dblclick', () => { made.zoomed = false; });
    fingers(made, (range) => this.zoom(range));
    return made;
  }

  /** Shows that span of time in both plots, or all there is. */
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

/** No line is drawn between two starts, whose servers are not the same, nor between two loads. */
function parted(slices) {
  const ordered = [...slices].sort((one, next) => one.at - next.at);
  return ordered.flatMap((slice, index) => {
    const before = ordered[index - 1];
    const parts = before && ['round', 'users', 'rate'].some((what) => before[what] !== slice[what]);
    const gap = parts ? [{ at: (before.at + slice.at) / 2, gap: true }] : [];
    return [...gap, slice];
  });
}

/** Rows by time, one column for each value of each arm. To uPlot null is a gap, and undefined nothing at all: a slice belongs
 * to one arm, and the lines of the others pass it by. */
function columns(slices, arms, values) {
  const rows = parted(slices);
  const column = (arm, value) => rows.map((row) => (row.gap ? null : row.arm === arm ? value(row) : undefined));
  return [rows.map((row) => row.at), ...arms.flatMap((_, arm) => values.map((value) => column(arm, value)))];
}
