// Draws how the intervals of one measure narrow from start to start: one drawing for each arm at each load.

import { drawn, element, load as inWords, percent } from './page.js';

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [190, 68, 8, 10, 24];
/** The least width of a column of drawings and the gap between two columns, in pixels, as in live.css. */
const [COLUMN, GAP] = [400, 16];
/** The number of starts that the axis has room for at first, if the run has no maximum. */
const DEFAULT_STARTS = 12;

const same = (one, other) =>
  one.arm === other.arm && one.measure === other.measure && one.users === other.users;

/** Returns all drawings of a measure. The second argument is what the live page knows of the run; `room` is the width for all
 * drawings of a row, in pixels. */
export function narrowing(words, { state, rounds }, measure, room) {
  const counted = rounds.filter((round) => !round.void);
  const last = state.results?.verdicts ?? counted.at(-1)?.verdicts ?? [];
  const starts = Math.max(counted.length, state.cap ?? DEFAULT_STARTS);
  const judged = last.filter((one) => one.measure === measure && one.ratio != null);
  // A drawing is as wide as it is shown, so that its text is not scaled.
  const columns = Math.max(1, Math.min(judged.length, Math.floor((room + GAP) / (COLUMN + GAP))));
  const width = Math.max(280, Math.floor((room - (columns - 1) * GAP) / columns));
  return judged.map((one) => {
    const history = counted.map(({ verdicts }) => verdicts.find((other) => same(one, other)));
    const caption = [one.arm, inWords(words, one)].filter(Boolean).join(', ');
    const picture = draw(history, { starts, width, margin: one.margin }, `arm${state.arms.indexOf(one.arm) % 8}`);
    picture.setAttribute('role', 'img');
    picture.setAttribute('aria-label', `${caption}: ${percent(one.ratio)} %`);
    return element('figure', {}, picture, element('figcaption', {}, caption));
  });
}

/** How far the axis reaches to either side of "no difference". The wide intervals of the first half may be cut off. */
function reach(history, margin) {
  const distance = (ratio) => (ratio == null ? 0 : Math.abs(ratio - 1));
  const known = history.filter(Boolean);
  const later = known.slice(Math.floor(known.length / 2));
  const values = known.map(({ ratio }) => distance(ratio));
  const bounds = later.flatMap(({ low, high }) => [distance(low), distance(high)]);
  return 1.15 * Math.max(2 * margin, ...values, ...bounds);
}

function draw(history, { starts, width, margin }, colour) {
  const far = reach(history, margin);
  const middle = TOP + (HEIGHT - TOP - BOTTOM) / 2;
  const y = (ratio) => {
    const share = Math.max(-1, Math.min(1, (ratio - 1) / far));
    return middle - share * (middle - TOP);
  };
  const x = (index) => LEFT + ((index + 0.5) * (width - LEFT - RIGHT)) / starts;
  const picture = drawn('svg', { viewBox: `0 0 ${width} ${HEIGHT}` });
  const band = { x: LEFT, y: y(1 + margin), width: width - LEFT - RIGHT, height: y(1 - margin) - y(1 + margin) };
  picture.append(drawn('rect', { ...band, class: 'margin' }));
  for (const ratio of [1 - far / 1.15, 1, 1 + far / 1.15]) {
    const line = { x1: LEFT, x2: width - RIGHT, y1: y(ratio), y2: y(ratio), class: ratio === 1 ? 'zero' : 'grid' };
    const label = { x: LEFT - 6, y: y(ratio) + 4, 'text-anchor': 'end' };
    picture.append(drawn('line', line), drawn('text', label, ratio === 1 ? '0 %' : `${percent(ratio)} %`));
  }
  const every = Math.ceil(starts / 12);
  for (let start = every; start <= starts; start += every) {
    picture.append(drawn('text', { x: x(start - 1), y: HEIGHT - 6, 'text-anchor': 'middle' }, String(start)));
  }
  history.forEach((one, index) => {
    if (one?.ratio == null) return;
    if (one.low != null && one.high != null) {
      const line = { x1: x(index), x2: x(index), y1: y(one.low), y2: y(one.high), class: `interval ${colour}` };
      picture.append(drawn('line', line));
    }
    picture.append(drawn('circle', { cx: x(index), cy: y(one.ratio), r: 3.5, class: colour }));
  });
  return picture;
}
