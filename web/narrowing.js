// The intervals of one measure, start by start, as they narrow: a drawing for each arm at each load.

import { drawn, element, load as inWords, percent } from './page.js';

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [190, 68, 8, 10, 24];
/** A column of drawings is at least so wide where the screen is, and what lies between two: as in live.css. */
const [COLUMN, GAP] = [400, 16];
/** Starts that a run without a cap has room for at first. */
const ROOM = 12;

const same = (one, other) =>
  one.arm === other.arm && one.measure === other.measure && one.users === other.users;

/** All drawings of a measure; `run` is what the live page knows, `room` how wide they may be together. */
export function narrowing(words, { state, rounds }, measure, room) {
  const counted = rounds.filter((round) => !round.void);
  const last = state.found?.standing ?? counted.at(-1)?.standing ?? [];
  const starts = Math.max(counted.length, state.cap ?? ROOM);
  const judged = last.filter((one) => one.measure === measure && one.ratio != null);
  // Drawn as wide as it is shown, so that its letters keep their size.
  const columns = Math.max(1, Math.min(judged.length, Math.floor((room + GAP) / (COLUMN + GAP))));
  const width = Math.max(280, Math.floor((room - (columns - 1) * GAP) / columns));
  return judged.map((one) => {
    const course = counted.map(({ standing }) => standing.find((other) => same(one, other)));
    const caption = [one.arm, inWords(words, one)].filter(Boolean).join(', ');
    const picture = draw(course, { starts, width, margin: one.margin }, `arm${state.arms.indexOf(one.arm) % 8}`);
    picture.setAttribute('role', 'img');
    picture.setAttribute('aria-label', `${caption}: ${percent(one.ratio)} %`);
    return element('figure', {}, picture, element('figcaption', {}, caption));
  });
}

/** How far the axis goes to either side of "no difference": the first, wide intervals may leave the picture. */
function reach(course, margin) {
  const away = (ratio) => (ratio == null ? 0 : Math.abs(ratio - 1));
  const known = course.filter(Boolean);
  const later = known.slice(Math.floor(known.length / 2));
  const values = known.map(({ ratio }) => away(ratio));
  const bounds = later.flatMap(({ low, high }) => [away(low), away(high)]);
  return 1.15 * Math.max(2 * margin, ...values, ...bounds);
}

function draw(course, { starts, width, margin }, colour) {
  const far = reach(course, margin);
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
  course.forEach((one, index) => {
    if (one?.ratio == null) return;
    if (one.low != null && one.high != null) {
      const line = { x1: x(index), x2: x(index), y1: y(one.low), y2: y(one.high), class: `interval ${colour}` };
      picture.append(drawn('line', line));
    }
    picture.append(drawn('circle', { cx: x(index), cy: y(one.ratio), r: 3.5, class: colour }));
  });
  return picture;
}
