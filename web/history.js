// The history of an experiment: a plot for each series, with changes that can be accepted or dismissed.

import { byId, drawn, element, languageQuery, linkLanguages, load as inWords, percent, rate, ratioInterval, read, seconds } from './page.js';
import { load } from './words.js';

const words = await load();
const search = new URLSearchParams(location.search);
const experiment = search.get('experiment') ?? '';
const lang = languageQuery(search);
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 230, 64, 14, 26, 34];
/** The measures that are better when they are larger. */
const MORE_IS_BETTER = ['throughput', 'capacity', 'max_rate'];
/** The most facts that are shown of a run. */
const MOST_FACTS = 8;
/** The day of a run, such as `11-21`: its id begins with the time. */
const day = (run) => run.slice(5, 10);
const runLink = (run) => element('a', { href: `/run/${encodeURIComponent(run)}${lang}` }, run);

const titleOf = ({ arm, measure, level }) =>
  [`${arm}: ${words.say('measure.' + measure)}`, level ? inWords(words, level) : ''].filter(Boolean).join(', ');

/** The class of a change: what was decided about it, else whether it is for the better. */
function toneOf({ measure }, { ratio, confirmed, decision }) {
  if (decision) return decision.kind === 'accepted' ? 'same' : 'invalid';
  if (!confirmed) return 'inconclusive';
  return ratio > 1 === MORE_IS_BETTER.includes(measure) ? 'better' : 'worse';
}

/** Returns functions from runs and ratios to pixels. */
function scales({ points }) {
  const all = points.flatMap(({ ratio, low, high }) => [ratio, low ?? ratio, high ?? ratio]);
  const [lowest, highest] = [Math.min(1, ...all), Math.max(1, ...all)];
  const room = Math.max(0.06 * (highest - lowest), 0.005);
  const [from, to] = [lowest - room, highest + room];
  const wide = WIDTH - LEFT - RIGHT;
  return {
    x: (index) => LEFT + ((index + 0.5) * wide) / points.length,
    y: (ratio) => TOP + ((to - ratio) / (to - from)) * (HEIGHT - TOP - BOTTOM),
    ticks: [lowest, 1, highest].filter((tick, at, ticks) => ticks.indexOf(tick) === at),
  };
}

/** Draws the level between two changes: the mean of its points. A dismissed change is no border of a level. */
function levels({ points, changes }, { x, y }) {
  const borders = changes.filter(({ decision, confirmed }) => decision ? decision.kind === 'accepted' : confirmed);
  const starts = [0, ...borders.map(({ run }) => points.findIndex((point) => point.run === run)), points.length];
  return starts.slice(1).map((end, index) => {
    const begin = starts[index];
    const level = points.slice(begin, end);
    const mean = Math.exp(level.reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / level.length);
    const half = (x(1) - x(0)) / 2;
    return drawn('line', { class: 'arm0 wide', x1: x(begin) - half, x2: x(end - 1) + half, y1: y(mean), y2: y(mean) });
  });
}

function draw(series) {
  const { points, changes, baseline } = series;
  const scale = scales(series);
  const { x, y, ticks } = scale;
  const picture = drawn('svg', { class: 'plot', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' });
  picture.setAttribute('aria-label', words.say('history.picture', {
    title: titleOf(series), baseline, runs: points.length, last: percent(points.at(-1).ratio), changes: changes.length }));
  for (const tick of ticks) {
    const line = { x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick), class: tick === 1 ? 'zero' : 'grid' };
    const label = { x: LEFT - 6, y: y(tick) + 4, class: 'small end' };
    picture.append(drawn('line', line), drawn('text', label, tick === 1 ? '0 %' : `${percent(tick)} %`));
  }
  const every = Math.ceil(points.length / 12);
  points.forEach(({ run, ratio, low, high }, index) => {
    if (low != null) picture.append(drawn('line', { class: 'arm0 thin', x1: x(index), x2: x(index), y1: y(low), y2: y(high) }));
    const dot = drawn('circle', { class: 'arm0', cx: x(index), cy: y(ratio), r: 3 });
    dot.append(drawn('title', {}, `${run}: ${percent(ratio)} %`));
    picture.append(dot);
    if (index % every === 0) picture.append(drawn('text', { x: x(index), y: HEIGHT - 14, class: 'small middle' }, day(run)));
  });
  picture.append(...levels(series, scale));
  changes.forEach((change, number) => {
    const at = points.findIndex(({ run }) => run === change.run);
    const place = x(at) - (x(1) - x(0)) / 2;
    const tone = toneOf(series, change);
    picture.append(drawn('line', { class: `${tone} dashed`, x1: place, x2: place, y1: TOP - 6, y2: HEIGHT - BOTTOM }));
    picture.append(drawn('text', { x: place, y: TOP - 10, class: 'middle' }, String(number + 1)));
  });
  return picture;
}

const factLine = ({ name, sides }) =>
  element('div', {}, `${name}: ${sides[0] ?? words.say('history.absent')} → ${sides[1] ?? words.say('history.absent')}`);

/** The facts that differ between two runs, and a link to all of them. */
function factList(differs, before, run) {
  const beside = element('a', { href: `/pair?${new URLSearchParams({ a: before, b: run, ...(lang && { lang: search.get('lang') }) })}` },
    words.say('history.beside', { before }));
  if (differs.length === 0) return [element('div', { className: 'faint' }, words.say('history.nothing')), beside];
  const more = differs.length - MOST_FACTS;
  return [...differs.slice(0, MOST_FACTS).map(factLine), ...(more > 0 ? [words.say('history.more', { more })] : []), beside];
}

async function decide(run, kind, comment) {
  byId('error').textContent = '';
  const answer = await fetch('/api/decide', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ experiment, run, kind, comment }),
  });
  if (answer.ok) await show();
  else byId('error').textContent = await answer.text();
}

function decisionOf({ decision }) {
  if (!decision) return [];
  const { kind, by, at, comment } = decision;
  const text = words.say('history.' + kind);
  return [element('div', {}, element('strong', {}, text), element('span', { className: 'faint' }, ` ${[by, at].filter(Boolean).join(', ')}`)),
    element('div', { className: 'comment' }, comment)];
}

function form(change) {
  const { run, decision } = change;
  const comment = element('input', { type: 'text', maxLength: 1000, ariaLabel: words.say('history.comment', { run }), placeholder: words.say('history.why') });
  const button = (word, kind) => {
    const made = element('button', { type: 'button', ariaLabel: `${word} ${run}` }, word);
    made.onclick = () => decide(run, kind, comment.value);
    return made;
  };
  const others = [['accepted', words.say('history.accept')], ['dismissed', words.say('history.dismiss')]];
  const buttons = others.filter(([kind]) => kind !== decision?.kind).map(([kind, word]) => button(word, kind));
  if (decision) buttons.push(button(words.say('history.undecide'), null));
  return element('div', { className: 'controls' }, comment, ...buttons);
}

function changeRow(series, change, number, mayDecide) {
  const { run, before, ratio, p, confirmed, differs = [] } = change;
  const how = words.say(confirmed ? 'history.confirmed' : 'history.suspected');
  return element('tr', {},
    element('td', { className: 'number' }, String(number + 1)),
    element('td', { className: 'keep' }, runLink(run)),
    element('td', { className: 'keep' }, element('span', { className: `verdict ${toneOf(series, change)}` }, `${percent(ratio)} %`),
      element('div', { className: 'faint' }, `${how}, p ${p.toFixed(3)}`)),
    element('td', { className: 'wide' }, ...factList(differs, before, run)),
    element('td', { className: 'wide' }, ...decisionOf(change), ...(mayDecide ? [form(change)] : [])));
}

const headRow = (...names) => element('thead', {}, element('tr', {}, ...names.map((name) => element('th', {}, name))));

/** A table that scrolls by itself. */
const table = (head, rows) => element('div', { className: 'scroll', tabIndex: 0 }, element('table', {}, head, element('tbody', {}, ...rows)));

function pointRow({ run, ratio, low, high }, facts) {
  const bounds = ` ${ratioInterval(words, ratio, low, high)}`;
  const changed = facts.find((one) => one.run === run);
  return element('tr', {}, element('td', { className: 'keep' }, runLink(run)), element('td', { className: 'number' }, `${percent(ratio)} %${bounds}`.trim()),
    element('td', { className: 'wide' }, ...(changed ? factList(changed.differs, changed.before, run) : [])));
}

function section(series, { facts = [], may_decide: mayDecide }) {
  const { points, changes, baseline, at_other_rates: others } = series;
  const parts = [element('h2', {}, titleOf(series)), element('p', { className: 'faint' }, words.say('history.against', { baseline }))];
  if (others > 0) parts.push(element('p', { className: 'faint' }, words.say('history.rates', { runs: others })));
  if (points.length > 1) parts.push(element('div', { className: 'scroll', tabIndex: 0 }, draw(series)));
  if (changes.length > 0) {
    const head = headRow('#', words.say('history.since'), words.say('difference'), words.say('history.facts'), words.say('history.decision'));
    parts.push(table(head, changes.map((change, number) => changeRow(series, change, number, mayDecide))));
  }
  const head = headRow(words.say('run'), words.say('difference'), words.say('history.facts'));
  const rows = [...points].reverse().map((point) => pointRow(point, facts));
  parts.push(element('details', {}, element('summary', {}, words.say('history.points', { runs: points.length })), table(head, rows)));
  return element('section', { className: 'series' }, ...parts);
}

/** The name of a figure of another tool: a word, a percentile, or the name that the tool has given it. */
function foreignName(measure) {
  if (typeof measure === 'string') return words.say('foreign.' + measure);
  return measure.named ?? `p${measure.percentile}`;
}

/** A value of another tool in its unit. */
function foreignValue(unit, value) {
  if (unit === 'seconds') return seconds(value);
  if (unit === 'per_second') return rate(value);
  return unit === 'share' ? `${(100 * value).toFixed(1)} %` : `${value.toFixed(3)} ${unit.other}`;
}

/** Draws the values of a figure of another tool from time to time. */
function drawForeign({ measure, unit, points }) {
  const [lowest, highest] = [Math.min(...points.map(({ value }) => value)), Math.max(...points.map(({ value }) => value))];
  const [height, wide] = [110, WIDTH - LEFT - RIGHT];
  const x = (index) => LEFT + 20 + ((index + 0.5) * (wide - 20)) / points.length;
  const y = (value) => (highest > lowest ? TOP + ((highest - value) / (highest - lowest)) * (height - TOP - BOTTOM) : height / 2);
  const picture = drawn('svg', { class: 'plot', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img' });
  picture.setAttribute('aria-label', `${foreignName(measure)}: ${points.map(({ value }) => foreignValue(unit, value)).join(', ')}`);
  for (const value of new Set([lowest, highest])) {
    picture.append(drawn('line', { class: 'grid', x1: LEFT + 20, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      drawn('text', { class: 'small end', x: LEFT + 14, y: y(value) + 4 }, foreignValue(unit, value)));
  }
  const every = Math.ceil(points.length / 12);
  points.forEach(({ at, value }, index) => {
    const dot = drawn('circle', { class: 'arm6', cx: x(index), cy: y(value), r: 3 });
    dot.append(drawn('title', {}, `${at}: ${foreignValue(unit, value)}`));
    picture.append(dot);
    if (index % every === 0) picture.append(drawn('text', { class: 'small middle', x: x(index), y: height - 10 }, day(at)));
  });
  return picture;
}

/** A series of another tool, which has no changes and no verdict. */
function foreignSection({ series, tool, figures }) {
  const parts = figures.map((figure) => [
    element('h4', {}, `${foreignName(figure.measure)}: ${foreignValue(figure.unit, figure.points.at(-1).value)}`),
    ...(figure.points.length > 1 ? [element('div', { className: 'scroll', tabIndex: 0 }, drawForeign(figure))] : []),
  ]);
  return element('section', { className: 'foreign' }, element('h3', {}, `${series} (${words.say('tool.' + tool)})`), ...parts.flat());
}

/** What a nightly job is told. */
function gateLines({ newest, anchor, series, runs, needed, worse }) {
  if (newest == null) return [words.say('history.none')];
  if (worse.length > 0) {
    const line = (one) => element('li', {}, `${titleOf(one)} ${words.say('history.worse.since', { percent: percent(one.change.ratio), run: one.change.run })}`);
    return [words.say('history.worse', { anchor }), element('ul', {}, ...worse.map(line))];
  }
  if (series === 0) return [words.say('history.void', { run: newest })];
  return [words.say(runs < needed ? 'history.few' : 'history.fine', { run: newest, runs, needed })];
}

async function show() {
  const history = await read(`/api/history/${encodeURIComponent(experiment)}`);
  const { drift, left_out: left = [], gate, headline, foreign = [], may_decide: mayDecide } = history;
  byId('gate').className = `card ${gate.worse.length > 0 ? 'worse' : gate.series === 0 ? 'invalid' : 'same'}`;
  byId('gate').replaceChildren(...gateLines(gate));
  byId('left').replaceChildren(...left.map(({ why, runs }) => element('li', { className: 'faint' }, words.say('left.' + why, { runs }))));
  const sections = (decides) => drift.filter(({ measure }) => headline.includes(measure) === decides).map((series) => section(series, history));
  byId('headline').replaceChildren(...sections(true));
  byId('other').replaceChildren(...sections(false));
  byId('others').hidden = byId('other').childElementCount === 0;
  byId('tools').replaceChildren(...foreign.map(foreignSection));
  byId('foreign').hidden = foreign.length === 0;
  byId('reader').hidden = mayDecide;
  byId('history').hidden = false;
}

byId('all').href = `/${lang}`;
byId('title').textContent = words.say('history', { experiment });
linkLanguages(search);
try {
  await show();
} catch (error) {
  byId('error').textContent = error.message;
}
