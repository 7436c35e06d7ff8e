import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { eachOf, flag, nameOf } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { command, type Remark, remark } from '../../lib/text/remark.ts';
import type { Fields, Row } from '../../output/fields.ts';
import { alreadyConnected, connectedRows } from '../../pairing/already-connected.ts';
import { eventsOrLast } from '../../pairing/event-view.ts';
import type { FollowOptions } from '../../pairing/follow.ts';
import { noteOthers, noteUnseenPairing, withUnseenPairing } from '../../pairing/others.ts';
import { interruptedResult } from '../../pairing/outcome.ts';
import {
  defaultRounds,
  followingOptions,
  pairingOptions,
  pictureFileFor,
  refuseWithout,
  waitingOptions,
} from '../../pairing/pairing-options.ts';
import { pairingTimeoutMs } from '../../resources/devices/connection-times.ts';
import { type Device, deviceFor, readAndNote } from '../../resources/devices/device.ts';
import { stateOf } from '../../resources/devices/device-state.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import type { DiagnosedState } from '../../resources/devices/device-words.ts';
import { type Diagnosis, diagnose } from '../../resources/devices/diagnosis.ts';
import { eventRow } from '../../resources/devices/event-row.ts';
import { activePairingOfOthers, pairingToEnd } from '../../resources/devices/other-agents.ts';
import { isRead, readCode } from '../../resources/devices/pairing/code.ts';
import { awaitClarity, repairSteps } from '../../resources/devices/repair-steps.ts';
import { fieldsOfAll, pairingFields } from './fields.ts';

/** The fields of a step, beyond those of a pairing. */
const stepFields: Fields = [
  { name: 'event' },
  { name: 'evidence' },
  { name: 'connected', kind: 'flag' },
  { name: 'logged_in', heading: 'Logged in', kind: 'flag' },
  { name: 'next', kind: 'command' },
];

export const repair = defineCommand({
  name: 'repair',
  summary: 'Restart a device that is stuck',
  description:
    'Disconnects the device, waits until it has stopped, connects it, and waits for a new code. A device is not ' +
    'repaired if it is ready, has a good code or reconnects without help. --force repairs it even then, and it loses ' +
    'its code or its phone. On a terminal, a repair goes on with pairing. In a script, it stops at the new code; ' +
    '--wait goes on with pairing. If the device is already waiting with a good code, --wait pairs it without a ' +
    'repair. With -o ndjson, each step is an event, and pairing prints the events of device connect.',
  arguments: { device: eachOf('device, by name or id', nameOf('device')) },
  options: {
    force: flag('--force', 'repair it even if it is better to wait, or nothing is wrong'),
    ...waitingOptions('return when there is a new code'),
    ...pairingOptions,
  },
  examples: [
    { line: 'botctl device repair Reception', does: 'Check a device, and restart it if that helps' },
    {
      line: 'botctl device repair Reception --yes --no-wait -o ndjson',
      does: 'Restart it in a script, and print each step',
    },
    {
      line: 'botctl device repair Reception --force',
      does: 'Drop a pairing, and pair again',
    },
  ],
  needs: 'api',
  effect: 'changes',
  output: { kind: 'events', fields: fieldsOfAll([...stepFields, ...pairingFields], ['event', 'evidence']) },
  async prepare(session, input) {
    const waits = input.wait ?? (session.terminal.interactive && !session.isOneOfSeveral);
    if (!waits) refuseWithout('--wait', input, ['timeout', 'qrFile', 'revealQr', ...followingOptions]);
    const device = await deviceFor(session, input.device);
    const file = pictureFileFor(input);
    const first = await readAndNote(session, device);
    const status = input.force ? first : await awaitClarity(session, device, first);
    const diagnosis = diagnose(status, device, session.clock.now());
    if (!input.force && isToWait(diagnosis.state)) throw refusal(device, diagnosis);
    const isHealthy = !input.force && (diagnosis.state === 'ready' || (await hasGoodCode(status)));
    return { device, status, diagnosis, waits, file, isHealthy };
  },
  idOf: ({ device }) => device.id,
  async confirm(session, _input, { device, status, isHealthy, waits, file }) {
    const picture = waits ? file?.confirmation() : undefined;
    const others = isHealthy ? undefined : await pairingToEnd(session, device, status);
    const own = isHealthy ? undefined : lossOf(device, status);
    const loss =
      others === undefined
        ? own && (await withUnseenPairing(session, device, status, own))
        : `This restarts ${device.label} and ${others}.`;
    if (loss === undefined) return picture;
    const replaced = picture && `The picture of the code replaces ${file?.path}.\n`;
    return { level: 'yes', statement: `${replaced ?? ''}${loss}` };
  },
  async run(session, input, { device, status, diagnosis, waits, file, isHealthy }) {
    const { timeout = pairingTimeoutMs, expect } = input;
    const following = { ...input, timeout, rounds: defaultRounds, file };
    // Following a device that is already waiting requires --wait.
    const isToJoin = waits && (diagnosis.state === 'ready' || input.wait === true);
    const others = isHealthy
      ? await noteOthers(session, device, status, await activePairingOfOthers(session, device, status))
      : undefined;
    if (!isHealthy && session.options.yes) await noteUnseenPairing(session, device, status);
    if (isHealthy && !isToJoin) return healthy(session, device, status, diagnosis);
    if (isHealthy) {
      session.terminal.note(
        remark`${nothingToRepair(device, diagnosis)} ${repairAllTheSame(device, diagnosis)}`,
      );
      if (diagnosis.state === 'ready')
        return alreadyConnected(session, device, status, { asEvents: true, expect, timeout });
      const { follow } = await import('../../pairing/follow.ts');
      return follow(session, device, { ...following, justConnected: false, others });
    }
    const rows = repaired(session, device, status, waits ? following : undefined);
    return eventsOrLast(session, true, rows, (row) => tellStep(session, row));
  },
});

/**
 * Yields the steps, and then the pairing if it is wanted. If the steps fail, the last event has the reason.
 * @param pairing options of the pairing; undefined if none follows
 */
export async function* repaired(
  session: Session,
  device: Device,
  status: DeviceStatus,
  pairing: Omit<FollowOptions, 'justConnected'> | undefined,
): AsyncGenerator<Row> {
  const { clock, signal } = session;
  const begun = clock.now();
  let last: Row = { event: 'found' };
  try {
    for await (const row of repairSteps(session, device, status)) {
      last = row;
      yield row;
    }
  } catch (error) {
    // The first step changes nothing.
    const was = last.event === 'found' ? undefined : ({ kind: 'renewing' } as const);
    const end = interruptedResult(error, signal, was, device, begun, clock.now());
    yield end.row;
    throw end.error;
  }
  if (last.event === 'connected') {
    // It came back with its earlier phone, which may not be the expected one.
    const phoneNumber = typeof last.phone_number === 'string' ? last.phone_number : undefined;
    if (pairing?.expect) yield* connectedRows(session, device, { phoneNumber }, pairing);
    return;
  }
  if (!pairing) {
    session.terminal.note(pairIt(device));
    return;
  }
  const { pairingRows } = await import('../../pairing/follow.ts');
  yield* pairingRows(session, device, { ...pairing, justConnected: true });
}

/** Prints a step. On a terminal the pairing screen follows it. */
export function tellStep({ terminal }: Session, { event, evidence, took }: Row): void {
  if (typeof evidence !== 'string') return;
  if (event === 'found') terminal.note(`Found: ${evidence}.`);
  else terminal.done(`${evidence} (${took} s)`);
}

/** Returns whether waiting is better than a new pairing. */
function isToWait(state: DiagnosedState): boolean {
  return state === 'reconnecting' || state === 'blocked' || state === 'limited';
}

/** Returns whether a device shows a code that a phone can scan. */
async function hasGoodCode(status: DeviceStatus): Promise<boolean> {
  const picture = stateOf(status) === 'waiting' ? status.qrCode : undefined;
  return picture !== undefined && isRead(await readCode(picture));
}

function refusal(device: Device, { state, text }: Diagnosis): Failure {
  const why =
    state === 'reconnecting'
      ? 'A new pairing needs a scan, and waiting needs none'
      : 'A new pairing does not help';
  const wait = command('device', 'watch', device.word);
  const message = `${device.label} is ${text}. ${why}. Nothing was changed; --force repairs it anyway.`;
  return new Failure('notConfirmed', message, { hint: remark`Wait for it: ${wait}` });
}

/** Returns which pairing or code that is about to be scanned is lost; undefined if neither is. */
function lossOf(device: Device, status: DeviceStatus): string | undefined {
  const state = stateOf(status);
  if (state === 'stopped' || state === 'starting') return undefined;
  if (state === 'waiting')
    return `${device.label} gets a new code, and the one that it shows now becomes invalid.`;
  const phone = status.phoneNumber;
  const who = phone === undefined ? 'any paired phone' : `its phone, ${phone},`;
  return `This restarts ${device.label}: ${who} is unlinked, and a new code has to be scanned.`;
}

function healthy(
  { terminal, clock, options }: Session,
  device: Device,
  status: DeviceStatus,
  diagnosis: Diagnosis,
): Row {
  const { state, text, next } = diagnosis;
  terminal.done(nothingToRepair(device, diagnosis));
  terminal.note(repairAllTheSame(device, diagnosis));
  if (state === 'waiting') terminal.note(pairIt(device));
  const phone = status.phoneNumber ?? null;
  const event = state === 'ready' ? 'ready' : 'waiting';
  return eventRow(event, device, clock.now(), {
    evidence: text,
    phone_number: phone,
    next: next?.text(options) ?? null,
  });
}

function nothingToRepair({ label }: Device, { text }: Diagnosis): string {
  return `${label} is ${text}: there is nothing to repair.`;
}

function repairAllTheSame(device: Device, { state }: Diagnosis): Remark {
  const what = state === 'waiting' ? 'To get new codes' : 'To pair it again';
  return remark`${what} anyway: ${command('device', 'repair', device.word, '--force')}`;
}

function pairIt(device: Device): Remark {
  return remark`Pair it: ${command('device', 'connect', device.word)}`;
}
