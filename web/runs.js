// The list of stored runs, newest first. Two of them can be shown side by side.

import { byId, clock, element, load as inWords, percent, read, tone } from './page.js';
import { load } from './words.js';

const words = await load();
let runs = [];
let more = false;

function verdictLine({ arm, measure, ratio, verdict, ...load }) {
  const at = inWords(words, load);
  const by = ratio == null ? '' : ` ${percent(ratio.value)} %`;
  const title = words.say('measure.' + measure);
  return element('div', {}, `${arm}: ${title}${at && `, ${at}`}${by} `,
    element('span', { className: `verdict ${tone(verdict)}` }, words.say('verdict.' + verdict)));
}

function row({ run, experiment, live, result, error }) {
  const check = element('input', { type: 'checkbox', value: run, ariaLabel: words.say('pair.this', { run }) });
  check.onchange = () => { byId('pair').disabled = chosen().length !== 2; };
  const verdicts = result?.verdicts.map(verdictLine) ?? [];
  if (error) verdicts.push(element('span', { className: 'lost' }, error));
  else if (live?.url) verdicts.push(element('a', { href: live.url }, words.say('run.live')));
  else if (live) verdicts.push(words.say('run.live.token'));
  else if (!result) verdicts.push(words.say('run.unfinished'));
  if (result && verdicts.length === 0) verdicts.push(words.say('run.load'));
  if (result?.interrupted) verdicts.push(element('div', { className: 'faint' }, words.say('run.interrupted')));
  return element('tr', {},
    element('td', {}, check),
    element('td', { className: 'keep' }, element('a', { href: `/run/${run}${location.search}` }, run)),
    element('td', { className: 'wide' }, element('div', {}, experiment), element('a', { href: historyOf(experiment) }, words.say('history.open')), element('div', { className: 'faint' }, result ? words.question(result) : '')),
    element('td', { className: 'number' }, result ? String(result.starts) : ''),
    element('td', { className: 'number' }, result ? clock(result.elapsed) : ''),
    element('td', { className: 'wide' }, ...verdicts));
}

/** The address of the page of an experiment's history. */
function historyOf(experiment) {
  const search = new URLSearchParams(location.search);
  search.set('experiment', experiment);
  return `/history?${search}`;
}

const chosen = () => [...document.querySelectorAll('#runs input:checked')].map(({ value }) => value);

function show() {
  const { value } = byId('experiment');
  byId('runs').replaceChildren(...runs.filter(({ experiment }) => !value || experiment === value).map(row));
  byId('pair').disabled = true;
}

function compare() {
  // The older run is shown first; ids sort by time.
  const [one, other] = chosen().sort();
  const search = new URLSearchParams(location.search);
  search.set('a', one);
  search.set('b', other);
  location.href = `/pair?${search}`;
}

try {
  ({ runs, more } = await read('/api/runs'));
} catch (error) {
  byId('error').textContent = error.message;
}
byId('none').hidden = runs.length > 0;
byId('some').hidden = runs.length === 0;
byId('more').hidden = !more;
byId('more').textContent = words.say('runs.more', { count: runs.length });
const names = [...new Set(runs.map(({ experiment }) => experiment))].sort();
byId('experiment').replaceChildren(
  element('option', { value: '' }, words.say('load.all')),
  ...names.map((value) => element('option', { value }, value)));
byId('experiment').onchange = show;
byId('pair').onclick = compare;
show();
