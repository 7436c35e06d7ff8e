import { defineCommand, type Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { asFailure, Failure } from '../../errors.ts';
import { argument, flag, nameOf } from '../../input/options.ts';
import type { Fields } from '../../terminal/fields.ts';
import { type Device, deviceFor, readStatus, remember } from './device.ts';
import { pairingFields } from './fields.ts';
import { alreadyConnected } from './pairing/already-connected.ts';
import { isRead, readCode } from './pairing/code.ts';
import { cancelledRow, rowOf } from './pairing/event-row.ts';
import { leftBehind, stateLeft } from './pairing/leaving.ts';
import {
  defaultRounds,
  defaultTimeout,
  followingBy,
  followingOptions,
  pairingOptions,
  pictureFileFor,
  refuseWithout,
  startPatience,
  waitingOptions,
} from './pairing/options.ts';
import { awaitClarity, repairSteps } from './repairing.ts';
import { pictureOf, type StatusView, stateOf } from './state.ts';
import { type Verdict, type VerdictState, verdictOf } from './verdict.ts';
import { phoneOf, typedAs } from './words.ts';

export const repair = defineCommand({
  name: 'repair',
  summary: 'Start a device anew whose state makes no sense',
  description:
    'Disconnects the device, waits until it has stopped, connects it, and waits for a new code: each step with ' +
    'what was seen. A device that is ready, or waits with a good code, is left alone, and one that comes back by ' +
    'itself is not touched: --force does it all the same, and its code or its phone is given up. After a repair the ' +
    'pairing follows on a terminal; elsewhere, and for a device that waits already, with --wait. The last event says ' +
    'how it ended, as with connect.',
  arguments: { device: argument('the device, by name or id', nameOf('device')) },
  options: {
    force: flag('--force', 'do it also where waiting is better, or nothing is wrong'),
    ...waitingOptions('return once there is a new code'),
    ...pairingOptions,
  },
  examples: [
    { line: 'botctl device repair Reception', does: 'Look at a device, and start it anew if that helps' },
    {
      line: 'botctl device repair Reception --yes --no-wait -o ndjson',
      does: 'Start it anew in a script, with the evidence of each step',
    },
    {
      line: 'botctl device repair Reception --force',
      does: 'Give a pairing up, and pair it with a phone anew',
    },
  ],
  needs: 'session',
  effect: 'changes',
  output: { kind: 'events', fields: repairFields() },
  async prepare(session, input) {
    const waits = input.wait ?? session.terminal.interactive;
    if (!waits) refuseWithout('--wait', input, ['timeout', 'qrFile', 'revealQr', ...followingOptions]);
    const device = deviceFor(session, input.device, 'write');
    const file = pictureFileFor(input);
    const first = await readStatus(session, device, session.signal);
    await remember(session, device);
    const view = input.force ? first : await awaitClarity(session, device, first);
    const verdict = verdictOf(view, device, session.clock.now());
    if (!input.force && isToWait(verdict.state)) throw refusal(device, verdict);
    const isHealthy = !input.force && (verdict.state === 'ready' || (await hasGoodCode(view)));
    return { device, view, verdict, waits, file, isHealthy };
  },
  async confirm(_session, _input, { device, view, isHealthy, waits, file }) {
    const picture = waits ? file?.confirmation()?.question : undefined;
    const questions = [isHealthy ? undefined : questionFor(device, view), picture];
    const question = questions.filter((one) => one !== undefined).join('\n');
    return question === '' ? undefined : { level: 'yes', question };
  },
  async run(session, input, { device, view, verdict, waits, file, isHealthy }) {
    const { timeout = defaultTimeout, expect } = input;
    const pairing = async (fresh: boolean): Promise<Row | AsyncIterable<Row>> => {
      const { follow } = await import('./pairing/follow.ts');
      const how = { timeout, rounds: defaultRounds, fresh, patience: startPatience, file };
      return follow(session, device, { ...followingBy(input), ...how });
    };
    // The session that shows its code is not this command's to open, unless that is asked for.
    const isToJoin = waits && (verdict.state === 'ready' || input.wait === true);
    if (isHealthy && !isToJoin) return healthy(session, device, view, verdict);
    if (isHealthy) {
      session.terminal.note(`${nothingToRepair(device, verdict)} ${anewAllTheSame(device, verdict)}`);
      return verdict.state === 'ready'
        ? alreadyConnected(session, device, view, { asEvents: true, expect, timeout })
        : pairing(false);
    }
    const steps = endingWithEvent(session, device, repairSteps(session, device, view));
    const rows = repaired(session, device, steps, waits ? () => pairing(true) : undefined);
    if (!session.terminal.interactive || session.io.stdout.isTTY !== true) return rows;
    return lastOf(rows, (row) => tell(session, row));
  },
});

/** The steps, and the pairing that follows them where it is wanted. */
async function* repaired(
  session: Session,
  device: Device,
  steps: AsyncIterable<Row>,
  pair: (() => Promise<Row | AsyncIterable<Row>>) | undefined,
): AsyncGenerator<Row> {
  let last: Row = {};
  for await (const row of steps) {
    last = row;
    yield row;
  }
  if (last.event === 'connected') return;
  if (!pair) {
    session.terminal.note(`Pair it: botctl device connect ${typedAs(device)}`);
    return;
  }
  const pairing = await pair();
  if (isMany(pairing)) yield* pairing;
  else yield pairing;
}

/** The steps; where they break off, the last event says how. */
async function* endingWithEvent(
  { clock, signal }: Session,
  device: Device,
  steps: AsyncIterable<Row>,
): AsyncGenerator<Row> {
  const begun = clock.now();
  let done = 0;
  try {
    for await (const row of steps) {
      done += 1;
      yield row;
    }
  } catch (error) {
    const at = clock.now();
    const reason: unknown = signal.reason;
    if (signal.aborted && reason instanceof Failure) {
      yield cancelledRow(device, reason.kind, at, at - begun);
      // The first step only looks.
      throw leftBehind(reason.kind, device, stateLeft(done > 1 ? { kind: 'renewing' } : undefined, device));
    }
    yield rowOf({ kind: 'lost', at, reason: asFailure(error).message }, device, undefined);
    throw error;
  }
}

/** The last of several rows; each is told as it comes. */
async function lastOf(rows: AsyncIterable<Row>, told: (row: Row) => void): Promise<Row> {
  let last: Row = {};
  for await (const row of rows) {
    told(row);
    last = row;
  }
  return last;
}

/** Tells a person of a step; of the pairing after it the screen has told. */
function tell({ terminal }: Session, { event, evidence, took }: Row): void {
  if (typeof evidence !== 'string') return;
  if (event === 'found') terminal.note(`Found it: ${evidence}.`);
  else terminal.done(`${evidence} (${took} s)`);
}

function isMany(pairing: Row | AsyncIterable<Row>): pairing is AsyncIterable<Row> {
  return Symbol.asyncIterator in pairing;
}

/** What a step has, then what a pairing has beyond it. */
function repairFields(): Fields {
  const own: Fields = [
    { name: 'event' },
    { name: 'evidence' },
    { name: 'connected', kind: 'flag', detail: true },
    { name: 'logged_in', heading: 'Logged in', kind: 'flag', detail: true },
    { name: 'next', kind: 'command', detail: true },
  ];
  const more = pairingFields.filter(({ name }) => !own.some((field) => field.name === name));
  return [...own, ...more.map((field) => ({ ...field, detail: true }))];
}

/** Whether a new pairing would cost what time gives back, or would not help. */
function isToWait(state: VerdictState): boolean {
  return state === 'reconnecting' || state === 'blocked';
}

/** Whether a device shows a code that a phone can scan. */
async function hasGoodCode(view: StatusView): Promise<boolean> {
  const picture = stateOf(view) === 'waiting' ? pictureOf(view) : undefined;
  return picture !== undefined && isRead(await readCode(picture));
}

function refusal(device: Device, { state, text }: Verdict): Failure {
  const name = typedAs(device);
  const why =
    state === 'blocked'
      ? 'A new pairing does not lift that'
      : 'A new pairing would cost a scan, and waiting costs nothing';
  const message = `${device.label} is ${text}. ${why}; --force gives the pairing up. Nothing was changed.`;
  return new Failure('usage', message, { hint: `Wait for it: botctl device status ${name} --watch` });
}

/** Where a phone may be paired, or a code about to be scanned, that is lost. */
function questionFor(device: Device, view: StatusView): string | undefined {
  const state = stateOf(view);
  if (state === 'stopped' || state === 'starting') return undefined;
  if (state === 'waiting')
    return `This makes the code that ${device.label} shows worthless, and brings a new one. Go on?`;
  const phone = phoneOf(view.phone_number);
  const who = phone === undefined ? 'a phone that is paired with it' : `its phone, ${phone},`;
  return `This disconnects ${device.label} and starts it anew: ${who} is unlinked, and somebody has to scan a new code. Go on?`;
}

function healthy({ terminal, clock }: Session, device: Device, view: StatusView, verdict: Verdict): Row {
  const { state, text, next } = verdict;
  terminal.done(nothingToRepair(device, verdict));
  terminal.note(anewAllTheSame(device, verdict));
  if (state === 'waiting') terminal.note(`Pair it: botctl device connect ${typedAs(device)}`);
  return {
    event: state,
    device_id: device.id,
    ...(device.name !== undefined && { name: device.name }),
    evidence: text,
    phone_number: phoneOf(view.phone_number) ?? null,
    next: next ?? null,
    at: new Date(clock.now()).toISOString(),
  };
}

function nothingToRepair({ label }: Device, { text }: Verdict): string {
  return `${label} is ${text}: there is nothing to repair.`;
}

function anewAllTheSame(device: Device, { state }: Verdict): string {
  const what = state === 'waiting' ? 'For new codes' : 'To pair it anew';
  return `${what} all the same: botctl device repair ${typedAs(device)} --force`;
}
