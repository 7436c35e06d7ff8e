import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { argument, flag, nameOf } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import { alreadyConnected } from '../../pairing/already-connected.ts';
import { callWithDeadline, deadlineRows } from '../../pairing/call-deadline.ts';
import { eventsOrLast } from '../../pairing/event-view.ts';
import type { FollowOptions } from '../../pairing/follow.ts';
import { noteOthers } from '../../pairing/others.ts';
import {
  defaultRounds,
  followingOptions,
  pairingOptions,
  pictureFileFor,
  refuseWithout,
  waitingOptions,
} from '../../pairing/pairing-options.ts';
import { pairingRow } from '../../pairing/pairing-row.ts';
import { minCallMs, pairingTimeoutMs } from '../../resources/devices/connection-times.ts';
import { type Device, deviceFor, readAndNote } from '../../resources/devices/device.ts';
import { type StateName, stateOf } from '../../resources/devices/device-state.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import type { DiagnosedState } from '../../resources/devices/device-words.ts';
import { type Diagnosis, diagnose } from '../../resources/devices/diagnosis.ts';
import { eventRow } from '../../resources/devices/event-row.ts';
import { recentPairingOfOthers } from '../../resources/devices/other-agents.ts';
import { Contradiction, start } from '../../resources/devices/transition.ts';
import { pairingFields } from './fields.ts';
import { repaired, tellStep } from './repair.ts';

export const connect = defineCommand({
  name: 'connect',
  summary: 'Connect a device and pair it by QR code',
  description:
    'On a terminal, draws the code, replaces it whenever the service does, and waits until a phone has scanned it. ' +
    'In a script, it shows no code and returns at once; with --wait, it waits and prints each change as an event. ' +
    'The "cancelled" event has a "reason": "left" (q), "interrupted" (Ctrl-C) or "terminated". If another person ' +
    'stopped the device, the "failed" event names the person in "by" and the machine in "from". If the device is ' +
    'already waiting for a phone, the command shows its code and does not start it again; it says who else connected ' +
    'it in the last five minutes. If another program took over the connection, or the service contradicts itself ' +
    'about the device, botctl has to disconnect and start it again: it asks in a terminal, and a script needs ' +
    '--repair. If botctl waits, the exit code is 9 if the device is not paired, and 13 if the number is not the one ' +
    'of --expect.',
  arguments: { device: argument('device, by name or id', nameOf('device')) },
  options: {
    ...waitingOptions('return at once'),
    repair: flag('--repair', 'if the device is stuck, disconnect and start it again without asking'),
    ...pairingOptions,
  },
  examples: [
    { line: 'botctl device connect Reception', does: 'Pair a device with the phone in your hand' },
    {
      line: 'botctl device connect Reception --qr-file pair.png',
      does: 'Also save the code as a picture, if the window is too small for it',
    },
    {
      line: 'botctl device connect Reception --expect "+55 11 91234-5678"',
      does: 'Check that the right phone is paired',
    },
    {
      line: 'botctl device connect Reception --no-qr --qr-web',
      does: 'Print each change as a line; show the code in a browser',
    },
    {
      line: 'botctl device connect Reception --wait --timeout 10m -o ndjson',
      does: 'Follow the pairing in a script, without seeing the code',
    },
  ],
  needs: 'api',
  effect: 'changes',
  output: { kind: 'events', fields: pairingFields },
  async prepare(session, input) {
    const waits = input.wait ?? session.terminal.interactive;
    if (!waits) {
      refuseWithout('--wait', input, ['timeout', ...followingOptions]);
      // With --qr-file, the first code is saved and its event is printed.
      if (input.qrFile === undefined) refuseWithout('--wait', input, ['revealQr']);
    }
    return { waits, device: await deviceFor(session, input.device), file: pictureFileFor(input) };
  },
  confirm: async (_session, _input, { file }) => file?.confirmation(),
  async run(session, input, { device, file, waits }) {
    const { terminal, clock } = session;
    const { timeout = pairingTimeoutMs, expect } = input;
    const startedAt = clock.now();
    const timeLeft = (): number =>
      waits ? Math.max(startedAt + timeout - clock.now(), minCallMs) : Number.POSITIVE_INFINITY;
    const look = await callWithDeadline(session, timeLeft(), (until) => readAndNote(session, device, until));
    if ('problem' in look)
      return eventsOrLast(session, waits, deadlineRows(session, device, startedAt, look));
    const before = look.value;
    const state = stateOf(before);
    if (state === 'ready') {
      return alreadyConnected(session, device, before, {
        asEvents: waits,
        expect,
        timeout: Math.max(0, startedAt + timeout - clock.now()),
        instead: remark`To pair another phone: ${command('device', 'repair', device.word, '--force')}`,
      });
    }

    // If the device is started already, the service would refuse another connect call.
    const isStarted = state !== 'stopped' && state !== 'other';
    const diagnosis = diagnose(before, device, session.clock.now());
    const repairIfWanted = async (found: Diagnosis): Promise<Row | AsyncIterable<Row>> =>
      input.repair || (await agreesToRepair(session, device, found))
        ? repairFirst(session, device, before, { ...input, timeout, rounds: defaultRounds, waits, file })
        : eventsOrLast(session, waits, notPairable(session, device, before, found));
    if (needsRepair(state, diagnosis.state)) return repairIfWanted(diagnosis);
    if (state === 'reconnecting') {
      if (diagnosis.state !== 'reconnecting' && diagnosis.state !== 'connecting')
        return eventsOrLast(session, waits, notPairable(session, device, before, diagnosis));
      const condition = diagnosis.state === 'connecting' ? 'already connecting' : diagnosis.text;
      terminal.note(`${device.label} is ${condition}.`);
    } else if (isStarted)
      terminal.note(`${device.label} is already ${state === 'waiting' ? 'waiting for a phone' : state}.`);
    let justConnected = false;
    try {
      if (!isStarted) {
        const call = await callWithDeadline(session, timeLeft(), (until) =>
          start(session, device, until, 'connect'),
        );
        if ('problem' in call)
          return eventsOrLast(session, waits, deadlineRows(session, device, startedAt, call));
        justConnected = call.value;
      }
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error;
      return repairIfWanted({ ...diagnosis, state: 'contradictory', text: error.text });
    }
    const others = justConnected
      ? undefined
      : await noteOthers(session, device, before, await recentPairingOfOthers(session, device));
    if (waits) {
      const { follow } = await import('../../pairing/follow.ts');
      const following = { ...input, timeout, startedAt, rounds: defaultRounds, justConnected, others, file };
      return follow(session, device, following);
    }
    if (!file) return stateEvent(session, device, justConnected ? 'starting' : state);
    const { saveFirstCode } = await import('../../pairing/first-code.ts');
    return saveFirstCode(session, device, { justConnected, file, revealQr: input.revealQr });
  },
});

/**
 * Yields the last event of a device that is paired, offline, and does not come back by itself.
 * @throws Failure `notReached` after that event
 */
async function* notPairable(
  { clock }: Session,
  device: Device,
  { lastDisconnectReason: reason }: DeviceStatus,
  { state, text, next }: Diagnosis,
): AsyncGenerator<Row> {
  const why = state === 'contradictory' ? text : (reason ?? text);
  yield pairingRow({ kind: 'failed', at: clock.now(), reason: why, because: state }, device, undefined);
  const message = `${device.label} can't be paired in its state (${text}).`;
  const repair = command('device', 'connect', device.word, '--repair');
  const lead = state === 'blocked' || state === 'limited' ? next : repair;
  throw new Failure('notReached', message, { hint: lead && remark`Continue with: ${lead}` });
}

/** Returns whether a device must be disconnected before it can show a code. */
function needsRepair(state: StateName, diagnosed: DiagnosedState): boolean {
  return (
    diagnosed === 'contradictory' ||
    (state === 'reconnecting' && (diagnosed === 'taken_over' || diagnosed === 'unlinked'))
  );
}

/**
 * Asks whether to repair the device. Returns false in a script.
 * @throws Failure `declined` if the answer is no
 */
async function agreesToRepair(
  { prompts, options }: Session,
  { label }: Device,
  { text }: Diagnosis,
): Promise<boolean> {
  if (!prompts.available) return false;
  const message = `${label}: ${text}. Repair it, and get a new code to scan?`;
  if (options.yes || (await prompts.yes({ message, option: '--repair', fallback: true }))) return true;
  throw new Failure('declined', 'Nothing was done.');
}

/** Repairs a device, and continues as if it had just been connected. */
async function repairFirst(
  session: Session,
  device: Device,
  status: DeviceStatus,
  { waits, ...pairing }: Omit<FollowOptions, 'justConnected'> & { readonly waits: boolean },
): Promise<Row | AsyncIterable<Row>> {
  const { file, revealQr = false } = pairing;
  const rows = repaired(session, device, status, waits ? pairing : undefined);
  const last = await eventsOrLast(session, waits, rows, (row) => tellStep(session, row));
  if (waits || !file) return last;
  const { saveFirstCode } = await import('../../pairing/first-code.ts');
  return saveFirstCode(session, device, { justConnected: true, file, revealQr });
}

/** Returns the row for the state of a device that is not paired yet, and notes how to follow it. */
function stateEvent({ terminal, clock }: Session, device: Device, state: StateName): Row {
  terminal.note(remark`It is not paired yet. To follow it: ${command('device', 'watch', device.word)}`);
  return state === 'other'
    ? eventRow('state', device, clock.now(), { state: 'unknown' })
    : eventRow(state, device, clock.now());
}
