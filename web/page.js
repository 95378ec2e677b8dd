// What the pages share: creating elements, and formatting figures.

/** Creates an element with properties and children. Strings become text nodes, so that no data can become markup. */
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Creates an SVG element with attributes and a text. */
export function drawn(tag, attributes = {}, text = '') {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  return made;
}

export const byId = (id) => document.getElementById(id);

/** Formats a ratio as a difference in percent, such as `+1.3`. */
export const percent = (ratio) => {
  const value = 100 * (ratio - 1);
  const digits = Math.abs(value) < 99.95 ? 1 : 0;
  return (value < 0 ? '−' : '+') + Math.abs(value).toFixed(digits);
};

/** Formats a value with three significant digits and the unit that fits it. */
function scaled(value, units) {
  const [size, unit] = units.find(([size]) => value >= size) ?? units.at(-1);
  const number = value / size;
  return `${number.toFixed(number >= 100 ? 0 : number >= 10 ? 1 : 2)} ${unit}`;
}

/** Formats seconds, such as `1.23 ms`. */
export const seconds = (value) => (value == null ? '–' : scaled(value, [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']]));

/** Formats a rate per second with what is counted, such as `12.3 k requests/s`; without that it is `12.3 k/s`. */
export function rate(value, counted = '') {
  const unit = (factor) => `${factor}${factor && counted ? ' ' : ''}${counted}/s`;
  return value == null ? '–' : scaled(value, [[1e6, unit('M')], [1e3, unit('k')], [1, unit('')]]);
}

/** Formats a duration in seconds, such as `1:02:03` or `2:03`. */
export function clock(span) {
  const whole = Math.max(0, Math.round(span));
  const two = (number) => String(number).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Describes the load of a comparison: users of the closed loop, a rate (of sessions, if it is one), or nothing if the measure has no load. */
export function load(words, { users, rate: perSecond, sessions }) {
  if (users != null) return words.say('load.users', { n: users });
  const counted = sessions ? words.say('counted.sessions') : '';
  return perSecond == null ? '' : words.say('load.rate', { rate: rate(perSecond, counted) });
}

/** The language of the URL as a query, so that links to other pages keep it; empty if the URL names none. */
export const languageQuery = (search) => (search.has('lang') ? `?lang=${encodeURIComponent(search.get('lang'))}` : '');

/** Lets the links to other languages show this page in them. */
export function linkLanguages(search) {
  for (const link of document.querySelectorAll('[data-lang]')) {
    const other = new URLSearchParams(search);
    other.set('lang', link.dataset.lang);
    link.href = `?${other}`;
  }
}

/** Formats bytes, such as `12.3 MiB`. */
const bytes = (size) => scaled(size, [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']]);

/** Formats a value of a measure in the unit of the measure. */
export function value(measure, number) {
  if (['throughput', 'capacity', 'max_rate'].includes(measure)) return rate(number);
  return measure === 'peak_memory' ? bytes(number) : seconds(number);
}

/** Whether an interval says nothing, because it is wider than half of the value to each side. Reports have the same rule. */
const saysNothing = (value, low, high) => high - low > Math.abs(value);

/** Formats the interval of a value, such as `[1.2 ms, 3.4 ms]`; empty where there is none. */
export function interval(words, value, low, high, show) {
  if (low == null || high == null) return '';
  return saysNothing(value, low, high) ? `[${words.say('interval.wide')}]` : `[${show(low)}, ${show(high)}]`;
}

/** Formats the interval of a ratio, such as `[−1.2, +3.4]`. One that lies on one side of 1 tells the direction, however wide it is. */
export function ratioInterval(words, ratio, low, high) {
  const decides = low != null && high != null && (low >= 1 || high <= 1);
  return decides ? `[${percent(low)}, ${percent(high)}]` : interval(words, ratio, low, high, percent);
}

/** Reads JSON from the server; throws the text that the server sends instead if there is none. */
export async function read(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const TONES = { faster: 'better', cheaper: 'better', smaller: 'better', slower: 'worse', dearer: 'worse', larger: 'worse' };

/** Returns the class in the style sheets of a verdict: what it says, whatever its word is. */
export const tone = (verdict) => TONES[verdict] ?? verdict;
