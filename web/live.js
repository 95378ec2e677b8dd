// The live page of a run. It reads the events of the server, at most one a second, and shows them.

import { byId, clock, element, load as inWords, percent, rate, ratioInterval, seconds, tone } from './page.js';
import { narrowing } from './narrowing.js';
import { Pulse } from './pulse.js';
import { load } from './words.js';

const words = await load();

/** What this page knows of the run. The server sends everything to a new viewer, and then only what is new. */
const run = { state: null, rounds: [], slices: [], gone: 0, ahead: 0, lost: false };
let pulse = null;

/** The time by the clock of the server, in seconds since the epoch. */
const now = () => Date.now() / 1000 + run.ahead;

function listen() {
  const events = new EventSource('/events');
  events.onmessage = ({ data }) => {
    update(JSON.parse(data));
    if (run.state.phase === 'ended') events.close();
  };
  // The browser connects again by itself and then gets everything again.
  events.onerror = () => {
    run.lost = true;
    showState();
  };
}

function update({ fresh, now: serverTime, state, rounds, slices, kept, gone }) {
  if (fresh) Object.assign(run, { rounds: [], slices: [] });
  Object.assign(run, { state, gone, lost: false, ahead: serverTime - Date.now() / 1000 });
  run.rounds.push(...rounds);
  run.slices.push(...slices);
  run.slices.splice(0, run.slices.length - kept);
  showQuestion();
  showState();
  showSteps();
  showFaults();
  showAgents();
  if (fresh || rounds.length || state.results) showRounds();
  pulse ??= new Pulse(words, run);
  if (fresh || slices.length) pulse.show();
}

function showQuestion() {
  const { experiment, run: id } = run.state;
  const question = words.question(run.state);
  document.title = question ? `${question} – prony` : 'prony';
  byId('question').textContent = question;
  byId('experiment').textContent = experiment;
  byId('run').textContent = id;
}

/** What the run is doing, in words. */
function doing({ phase, trial, step: { round, cap, what }, doing: preparation, idle, results, stopping }) {
  if (phase === 'ended') {
    if (!results) return words.say('ended.without');
    const { interrupted, starts: n } = results;
    return interrupted ? words.say('ended.stopped', { n }) : words.say('ended', { n });
  }
  if (stopping) return words.say('stopping');
  const trying = trial ? words.say('trying', { question: words.question(trial) }) : '';
  if (phase === 'preparing') return trying + (preparation[words.lang] || words.say('preparing'));
  const start = cap ? words.say('start.of', { n: round, cap }) : words.say('start', { n: round });
  const at = phase === 'waiting' ? words.say('waiting', { idle: `${Math.round(100 * idle)} %` }) : what[words.lang];
  return trying + start + at;
}

function showState() {
  const { state } = run;
  if (!state) return;
  const ended = state.phase === 'ended';
  byId('doing').textContent = doing(state);
  const share = byId('share');
  // The share is unknown until the run is planned.
  if (state.phase === 'preparing') share.removeAttribute('value');
  else share.value = state.step.share;
  byId('stop').disabled = ended || state.stopping;
  const message = byId('message');
  message.classList.toggle('lost', run.lost);
  if (run.lost && !ended) message.textContent = words.say('lost');
  else if (ended) message.textContent = words.say('ended.where', { run: state.run });
  else message.textContent = '';
  showTimes();
}

function showTimes() {
  const { state } = run;
  if (!state || run.lost) return;
  const ended = state.phase === 'ended';
  const parts = [words.say('elapsed', { time: clock((ended ? state.until : now()) - state.began) })];
  if (!ended && state.until != null) {
    const left = { time: clock(state.until - now()) };
    parts.push(state.trial ? words.say('left.trying', left) : words.say('left', left));
  }
  if (!ended && state.until == null && state.phase !== 'preparing') parts.push(words.say('unlimited'));
  if (state.fleet) parts.push(state.fleet.whole[words.lang]);
  byId('times').textContent = parts.join(' · ');
}

/** The final verdicts, or those after the last start that counts. */
function verdicts() {
  const counted = run.rounds.filter((round) => !round.void);
  return run.state.results?.verdicts ?? counted.at(-1)?.verdicts ?? [];
}

function row(judged, headline) {
  const { arm, measure, ratio, low, high, verdict } = judged;
  const interval = ratioInterval(words, ratio, low, high) || words.say('interval.none');
  const title = words.say('measure.' + measure) + (headline.includes(measure) ? ' *' : '');
  return element('tr', {},
    element('td', {}, arm), element('td', { className: 'keep' }, title),
    element('td', { className: 'keep' }, inWords(words, judged)),
    element('td', { className: 'number' }, ratio == null ? '–' : `${percent(ratio)} %`),
    element('td', { className: 'number' }, interval),
    element('td', { className: `verdict ${tone(verdict)}` }, words.say('verdict.' + verdict)));
}

/** The steps of the sessions in the present start: the arms of a step are neighbours. */
function showSteps() {
  const { steps = [], arms, session_steps: now } = run.state;
  byId('steps-part').hidden = !now?.rows.length;
  if (!now?.rows.length) return;
  byId('steps-load').textContent = words.say('start', { n: now.round }) + inWords(words, { ...now, sessions: true });
  const row = ({ step, arm, throughput, wrong, p50, p99 }, index) => {
    const { name, group, transaction } = steps[step];
    const known = group ? `${group}: ${name}` : name;
    const title = transaction ? words.say('steps.group', { name: known }) : known;
    const counted = transaction ? words.say('counted.groups') : words.say('counted.steps');
    const isFirst = index === 0 || now.rows[index - 1].step !== step;
    return element('tr', {},
      element('td', {}, isFirst ? title : ''), element('td', {}, arms[arm]),
      ...[rate(throughput, counted), String(wrong), seconds(p50), seconds(p99)].map((figure) => element('td', { className: 'number' }, figure)));
  };
  byId('steps').replaceChildren(...now.rows.map(row));
}

/** What went wrong so far, by kind. */
function showFaults() {
  const { faults, arms } = run.state;
  byId('faults-part').hidden = !faults.length;
  const row = ({ arm, kind, count, share, newest }) => element('tr', {},
    element('td', { className: 'keep' }, kind[words.lang]), element('td', {}, arms[arm]),
    ...[count.toLocaleString(words.lang), `${(100 * share).toPrecision(2)} %`, newest.toLocaleString(words.lang)]
      .map((figure) => element('td', { className: 'number' }, figure)));
  byId('faults').replaceChildren(...faults.map(row));
}

/** Each machine of a fleet, with its clock and its generator. */
function showAgents() {
  const { fleet } = run.state;
  byId('agents-part').hidden = !fleet;
  if (!fleet) return;
  byId('agents-whole').textContent = fleet.whole[words.lang];
  const row = ({ agent, there, requests, clock: offset, bound, link, cpu, lag }) => {
    const sign = offset < 0 ? '−' : '+';
    const figures = [
      requests.toLocaleString(words.lang), `${sign}${seconds(Math.abs(offset))} ± ${seconds(bound)}`, seconds(link),
      cpu == null ? '–' : `${Math.round(100 * cpu)} %`, seconds(lag),
    ];
    return element('tr', {},
      element('td', { className: 'keep' }, there ? agent : words.say('agents.gone', { agent })),
      ...figures.map((figure) => element('td', { className: 'number keep' }, figure)));
  };
  byId('agents').replaceChildren(...fleet.rows.map(row));
}

function showRounds() {
  // Which percentile belongs to the headline is known when a start has come to the fixed rate.
  const headline = run.rounds.at(-1)?.headline ?? run.state.headline;
  const judged = verdicts().filter(({ ratio }) => ratio != null);
  byId('verdicts-part').hidden = judged.length === 0;
  byId('verdicts').replaceChildren(...judged.map((one) => row(one, headline)));
  const select = byId('measure');
  const measures = [...new Set(judged.map(({ measure }) => measure))];
  if (measures.length !== select.options.length) {
    const options = measures.map((id) => element('option', { value: id, selected: id === headline[0] }, words.say('measure.' + id)));
    select.replaceChildren(...options);
  }
  byId('narrowing').replaceChildren(...narrowing(words, run, select.value || headline[0], byId('narrowing').clientWidth));
  byId('rounds-part').hidden = run.rounds.length === 0;
  const rounds = run.rounds.map(({ round, elapsed, void: why }) => {
    const time = clock(elapsed);
    const text = why ? words.say('start.void', { n: round, time, why: why[words.lang] }) : words.say('start.counts', { n: round, time });
    return element('li', {}, text);
  });
  const remarks = run.state.remarks.map((remark) => element('li', {}, remark[words.lang]));
  byId('rounds').replaceChildren(...rounds.reverse(), ...remarks);
}

async function stop() {
  byId('sure').close();
  byId('stop').disabled = true;
  const answer = await fetch('/stop', { method: 'POST' }).catch(() => null);
  if (answer?.ok) return;
  byId('stop').disabled = false;
  byId('message').textContent = words.say('stop.failed');
}

byId('stop').onclick = () => byId('sure').showModal();
byId('no').onclick = () => byId('sure').close();
byId('yes').onclick = stop;
byId('measure').onchange = showRounds;
window.onresize = () => run.state && showRounds();
setInterval(showTimes, 1000);
listen();
