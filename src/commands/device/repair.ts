import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { argument, flag, nameOf } from '../../cli/options.ts';
import { asFailure, Failure } from '../../lib/errors.ts';
import { command, type Remark, remark } from '../../lib/text/remark.ts';
import type { Fields } from '../../output/fields.ts';
import type { Row } from '../../output/row.ts';
import { type Device, deviceFor, readStatus, remember } from '../../resources/devices/device.ts';
import { stateOf } from '../../resources/devices/device-state.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import type { DiagnosedState } from '../../resources/devices/device-words.ts';
import { type Diagnosis, diagnose } from '../../resources/devices/diagnosis.ts';
import { eventRow } from '../../resources/devices/event-row.ts';
import { isRead, readCode } from '../../resources/devices/pairing/code.ts';
import { awaitClarity, repairSteps } from '../../resources/devices/repair-steps.ts';
import { pairingFields } from './fields.ts';
import { alreadyConnected } from './pairing/already-connected.ts';
import { cancelledFailure, remainingState } from './pairing/cancelled.ts';
import { cancelledRow, rowOf } from './pairing/event-row.ts';
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

export const repair = defineCommand({
  name: 'repair',
  summary: 'Restart a device whose state makes no sense',
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
    { line: 'botctl device repair Reception', does: 'Look at a device, and restart it if that helps' },
    {
      line: 'botctl device repair Reception --yes --no-wait -o ndjson',
      does: 'Restart it in a script, with the evidence of each step',
    },
    {
      line: 'botctl device repair Reception --force',
      does: 'Give a pairing up, and pair it with a phone again',
    },
  ],
  needs: 'session',
  effect: 'changes',
  output: { kind: 'events', fields: repairFields() },
  async prepare(session, input) {
    const waits = input.wait ?? session.terminal.interactive;
    if (!waits) refuseWithout('--wait', input, ['timeout', 'qrFile', 'revealQr', ...followingOptions]);
    const device = await deviceFor(session, input.device);
    const file = pictureFileFor(input);
    const first = await readStatus(session, device, session.signal);
    await remember(session, device);
    const view = input.force ? first : await awaitClarity(session, device, first);
    const diagnosis = diagnose(view, device, session.clock.now());
    if (!input.force && isToWait(diagnosis.state)) throw refusal(device, diagnosis);
    const isHealthy = !input.force && (diagnosis.state === 'ready' || (await hasGoodCode(view)));
    return { device, view, diagnosis, waits, file, isHealthy };
  },
  async confirm(_session, _input, { device, view, isHealthy, waits, file }) {
    const picture = waits ? file?.confirmation()?.question : undefined;
    const questions = [isHealthy ? undefined : questionFor(device, view), picture];
    const question = questions.filter((one) => one !== undefined).join('\n');
    return question === '' ? undefined : { level: 'yes', question };
  },
  async run(session, input, { device, view, diagnosis, waits, file, isHealthy }) {
    const { timeout = defaultTimeout, expect } = input;
    const pairing = async (justConnected: boolean): Promise<Row | AsyncIterable<Row>> => {
      const { follow } = await import('./pairing/follow.ts');
      const how = { timeout, rounds: defaultRounds, justConnected, patience: startPatience, file };
      return follow(session, device, { ...followingBy(input), ...how });
    };
    // The session that shows its code is not this command's to open, unless that is asked for.
    const isToJoin = waits && (diagnosis.state === 'ready' || input.wait === true);
    if (isHealthy && !isToJoin) return healthy(session, device, view, diagnosis);
    if (isHealthy) {
      session.terminal.note(
        remark`${nothingToRepair(device, diagnosis)} ${repairAllTheSame(device, diagnosis)}`,
      );
      return diagnosis.state === 'ready'
        ? alreadyConnected(session, device, view, { asEvents: true, expect, timeout })
        : pairing(false);
    }
    const steps = endingWithEvent(session, device, repairSteps(session, device, view));
    const rows = repaired(session, device, steps, waits ? () => pairing(true) : undefined);
    if (!session.terminal.interactive || session.io.stdout.isTTY !== true) return rows;
    return lastOf(rows, (row) => tell(session, row));
  },
});

/** Yields the steps, and the pairing that follows them if it is wanted. */
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
    session.terminal.note(pairIt(device));
    return;
  }
  const pairing = await pair();
  if (isMany(pairing)) yield* pairing;
  else yield pairing;
}

/** Yields the steps; if they break off, the last event says how. */
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
      throw cancelledFailure(
        reason.kind,
        device,
        remainingState(done > 1 ? { kind: 'renewing' } : undefined, device),
      );
    }
    yield rowOf(
      { kind: 'failed', at, reason: asFailure(error).message, because: 'error' },
      device,
      undefined,
    );
    throw error;
  }
}

/** Returns the last of several rows; each is told as it comes. */
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

/** The fields of a step, then those that a pairing has beyond them. */
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

/** True if a new pairing would cost what time gives back, or would not help. */
function isToWait(state: DiagnosedState): boolean {
  return state === 'reconnecting' || state === 'blocked';
}

/** True if a device shows a code that a phone can scan. */
async function hasGoodCode(view: DeviceStatus): Promise<boolean> {
  const picture = stateOf(view) === 'waiting' ? view.qrCode : undefined;
  return picture !== undefined && isRead(await readCode(picture));
}

function refusal(device: Device, { state, text }: Diagnosis): Failure {
  const why =
    state === 'blocked'
      ? 'A new pairing does not lift that'
      : 'A new pairing would cost a scan, and waiting costs nothing';
  const wait = command('device', 'status', device.word, '--watch');
  const message = `${device.label} is ${text}. ${why}; --force gives the pairing up. Nothing was changed.`;
  return new Failure('usage', message, { hint: remark`Wait for it: ${wait}` });
}

/** Returns the question to ask if a pairing, or a code that is about to be scanned, would be lost. */
function questionFor(device: Device, view: DeviceStatus): string | undefined {
  const state = stateOf(view);
  if (state === 'stopped' || state === 'starting') return undefined;
  if (state === 'waiting')
    return `This makes the code that ${device.label} shows worthless, and brings a new one. Go on?`;
  const phone = view.phoneNumber;
  const who = phone === undefined ? 'a phone that is paired with it' : `its phone, ${phone},`;
  return `This disconnects ${device.label} and starts it again: ${who} is unlinked, and a new code has to be scanned. Go on?`;
}

function healthy(
  { terminal, clock, options }: Session,
  device: Device,
  view: DeviceStatus,
  diagnosis: Diagnosis,
): Row {
  const { state, text, next } = diagnosis;
  terminal.done(nothingToRepair(device, diagnosis));
  terminal.note(repairAllTheSame(device, diagnosis));
  if (state === 'waiting') terminal.note(pairIt(device));
  const phone = view.phoneNumber ?? null;
  const event = state === 'ready' ? 'ready' : 'waiting';
  return eventRow(event, device, clock.now(), {
    evidence: text,
    phone_number: phone,
    next: next?.text(options.profile) ?? null,
  });
}

function nothingToRepair({ label }: Device, { text }: Diagnosis): string {
  return `${label} is ${text}: there is nothing to repair.`;
}

function repairAllTheSame(device: Device, { state }: Diagnosis): Remark {
  const what = state === 'waiting' ? 'For new codes' : 'To pair it again';
  return remark`${what} all the same: ${command('device', 'repair', device.word, '--force')}`;
}

function pairIt(device: Device): Remark {
  return remark`Pair it: ${command('device', 'connect', device.word)}`;
}
