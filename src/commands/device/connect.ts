import { defineCommand, type Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { argument, duration, integer, nameOf, onOff, option } from '../../input/options.ts';
import { type Device, deviceFor, readStatus, remember } from './device.ts';
import { pairingFields } from './fields.ts';
import { alreadyConnected } from './pairing/already-connected.ts';
import {
  followingBy,
  loneOption,
  onlyWhileWaiting,
  type PairingInput,
  pairingOptions,
  pictureFileFor,
} from './pairing/options.ts';
import { type StateName, type StatusView, stateOf } from './state.ts';
import { start } from './transition.ts';
import { verdictOf } from './verdict.ts';
import { typedAs } from './words.ts';

/** Longer than all codes live, of a connection and of three further ones. */
const defaultTimeout = 15 * 60_000;

const defaultRounds = 3;

/** Milliseconds that the service may take to show that a device has started. */
const startPatience = 10_000;

export const connect = defineCommand({
  name: 'connect',
  summary: 'Connect a device, and pair it by the QR code in the terminal',
  description:
    'On a terminal the code is drawn, replaced whenever the service replaces it, and the command waits until ' +
    'a phone has scanned it. Elsewhere no code is ever shown, and the command returns at once; with --wait it ' +
    'prints an event for each change. A device that is waiting already is joined. When all its codes have expired ' +
    'it starts over, with growing pauses. With NO_COLOR the code is drawn in the colours that the terminal says it ' +
    'has, or else in light on dark; without a UTF-8 locale it takes twice the room. With --no-qr or ACCESSIBLE=1 each change is ' +
    'a plain line. Exit code 9: not paired; 13: another number than --expect.',
  arguments: { device: argument('the device, by name or id', nameOf('device')) },
  options: {
    wait: onOff('--wait', 'wait until the device is paired'),
    timeout: option('--timeout <duration>', 'give up waiting after this long (15m)', duration),
    rounds: option(
      '--rounds <number>',
      `start over so many times when all codes have expired (${defaultRounds})`,
      integer({ min: 0, max: 20 }),
    ),
    ...pairingOptions,
  },
  examples: [
    { line: 'botctl device connect Reception', does: 'Pair a device with the phone in your hand' },
    {
      line: 'botctl device connect Reception --qr-file pair.png',
      does: 'Also keep the code in a file, for a window that is too small',
    },
    {
      line: 'botctl device connect Reception --expect "+55 11 91234-5678"',
      does: 'Make sure that it is the phone of the right customer',
    },
    {
      line: 'botctl device connect Reception --no-qr --qr-web',
      does: 'Hear each change in a line, and see the code large in a browser',
    },
    {
      line: 'botctl device connect Reception --wait --timeout 10m -o ndjson',
      does: 'Follow the pairing in a script, without seeing the code',
    },
  ],
  needs: 'session',
  effect: 'changes',
  output: { kind: 'events', fields: pairingFields },
  async prepare(session, input) {
    const waits = input.wait ?? session.terminal.interactive;
    const lone = waits ? undefined : loneIn(input);
    if (lone !== undefined) throw loneOption(lone, '--wait');
    return { waits, device: deviceFor(session, input.device, 'write'), file: pictureFileFor(input) };
  },
  confirm: async (_session, _input, { file }) => file?.confirmation(),
  async run(session, input, { device, file, waits }) {
    const { terminal, signal } = session;
    const before = await readStatus(session, device, signal);
    await remember(session, device);
    const state = stateOf(before);
    if (state === 'ready') return alreadyConnected(session, device, before, waits, input.expect);

    const isStarted = isUnderWay(state);
    if (state === 'reconnecting') checkComesBack(session, device, before);
    else if (isStarted) terminal.note(`${device.label} is connecting already.`);
    const fresh = !isStarted && (await start(session, device, signal));
    const patience = startPatience;
    if (waits) {
      const { timeout = defaultTimeout, rounds = defaultRounds } = input;
      const { follow } = await import('./pairing/follow.ts');
      return follow(session, device, { ...followingBy(input), timeout, rounds, fresh, patience, file });
    }
    if (!file) return justConnecting(session, device);
    const { saveFirstCode } = await import('./pairing/first-code.ts');
    return saveFirstCode(session, device, { fresh, patience, file, revealQr: input.revealQr });
  },
});

/** An option that makes no sense where nobody waits. */
function loneIn(
  input: PairingInput & { readonly timeout: number | undefined; readonly rounds: number | undefined },
): string | undefined {
  if (input.timeout !== undefined) return '--timeout';
  if (input.rounds !== undefined) return '--rounds';
  if (input.revealQr && input.qrFile === undefined) return '--reveal-qr';
  return onlyWhileWaiting(input);
}

/**
 * Says how a paired device that is offline stands.
 * @throws Failure `notReached` where waiting doesn't bring it back
 */
function checkComesBack({ terminal, clock }: Session, device: Device, view: StatusView): void {
  const { state, text, next } = verdictOf(view, device, clock.now());
  if (state !== 'reconnecting') {
    throw new Failure('notReached', `${device.label} can't be paired as it stands: ${text}.`, {
      hint: next && `Go on with: ${next}`,
    });
  }
  terminal.note(`${device.label} is ${text}.`);
}

/** Whether a connect call would be refused: the device is started, and on its way. */
function isUnderWay(state: StateName): boolean {
  return state !== 'stopped' && state !== 'other';
}

function justConnecting({ terminal, clock }: Session, device: Device): Row {
  terminal.note(`Follow it: botctl device status ${typedAs(device)} --watch`);
  return {
    event: 'connecting',
    device_id: device.id,
    ...(device.name !== undefined && { name: device.name }),
    at: new Date(clock.now()).toISOString(),
  };
}
