// Two runs side by side: the facts that differ, the verdicts, and the measured values.

import { byId, clock, element, languageQuery, linkLanguages, load as inWords, interval, percent, ratioInterval, read, tone, value } from './page.js';
import { load } from './words.js';

const words = await load();
const search = new URLSearchParams(location.search);
const lang = languageQuery(search);
byId('all').href = `/${lang}`;
const cell = (text, className = '') => element('td', { className }, text);

function head(sides) {
  const summary = ({ run, starts, elapsed, interrupted, ...asked }) => element('th', {},
    element('a', { href: `/run/${run}${lang}` }, run),
    element('div', {}, words.question(asked)),
    element('div', { className: 'faint' }, words.say('pair.side', { n: starts, time: clock(elapsed) })),
    element('div', { className: 'faint' }, interrupted ? words.say('run.interrupted') : ''));
  byId('sides').replaceChildren(element('tr', {}, ...sides.map(summary)));
}

const fact = ({ name, sides }) => element('tr', {}, element('th', {}, name), ...sides.map((side) => cell(side ?? '–')));

const rowHead = (row) => [
  cell(row.arm), cell(words.say('measure.' + row.measure), 'keep'),
  cell(row.fixed ? words.say('load.fixed') : inWords(words, row), 'keep'),
];

/** A cell such as `+1.2 % [−0.3, +2.7] same`. */
function verdictCell(one) {
  if (!one) return cell('–');
  const { ratio, verdict } = one;
  const bounds = ratio == null ? '' : ` ${ratioInterval(words, ratio.value, ratio.low, ratio.high)}`;
  const by = ratio == null ? '' : `${`${percent(ratio.value)} %${bounds}`.trim()} `;
  return element('td', {}, by, element('span', { className: `verdict ${tone(verdict)}` }, words.say('verdict.' + verdict)));
}

function valueCell(measure, one) {
  if (!one) return cell('–', 'number');
  const bounds = interval(words, one.value, one.low, one.high, (end) => value(measure, end));
  return cell(`${value(measure, one.value)} ${bounds}`.trim(), 'number');
}

const rows = (all, show) => all.map((row) => element('tr', {}, ...rowHead(row), ...row.sides.map((side) => show(row.measure, side))));

try {
  const pair = await read(`/api/pair/${encodeURIComponent(search.get('a'))}/${encodeURIComponent(search.get('b'))}`);
  head(pair.sides);
  byId('differ').replaceChildren(...pair.differ.map(fact));
  byId('alike').textContent = words.say('pair.alike', { n: pair.alike });
  byId('verdicts').replaceChildren(...rows(pair.verdicts, (_, side) => verdictCell(side)));
  byId('values').replaceChildren(...rows(pair.values, valueCell));
  byId('both').hidden = false;
} catch (error) {
  byId('error').textContent = error.message;
}
linkLanguages(search);
