import { defineCommand, type Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { argument, duration, nameOf, onOff, option, path } from '../../options.ts';
import { shellWord } from '../../shell-word.ts';
import { alreadyConnected, type Device, deviceFor, readStatus, remember, start } from './device.ts';
import { pairingFields } from './fields.ts';
import { PictureFile } from './picture-file.ts';
import { type StateName, stateOf } from './state.ts';

/** Longer than all codes of a connection live. */
const defaultTimeout = 5 * 60_000;

/** Milliseconds that the service may take to show that a device has started. */
const startPatience = 10_000;

export const connect = defineCommand({
  name: 'connect',
  summary: 'Connect a device, and pair it by the QR code in the terminal',
  description:
    'On a terminal the code is drawn, replaced whenever the service replaces it, and the command waits until ' +
    'a phone has scanned it. Elsewhere no code is ever shown, and the command returns at once; with --wait it ' +
    'prints an event for each change. A device that is waiting already is joined. With NO_COLOR the code is drawn in ' +
    "the terminal's own colours, which then have to be light on dark; without a UTF-8 locale it takes twice the room.",
  arguments: { device: argument('the device, by name or id', nameOf('device')) },
  options: {
    wait: onOff('--wait', 'wait until the device is paired'),
    qrFile: option(
      '--qr-file <file>',
      'keep the picture of the current code in this file, readable only by you, while the command waits',
      path,
    ),
    timeout: option('--timeout <duration>', 'give up waiting after this long (5m)', duration),
  },
  examples: [
    { line: 'botctl device connect Reception', does: 'Pair a device with the phone in your hand' },
    {
      line: 'botctl device connect Reception --qr-file pair.png',
      does: 'Also keep the code in a file, for a window that is too small',
    },
    {
      line: 'botctl device connect Reception --wait --timeout 10m -o ndjson',
      does: 'Follow the pairing in a script, without seeing the code',
    },
  ],
  needs: 'session',
  effect: 'changes',
  output: { kind: 'events', fields: pairingFields },
  async prepare(session, { device, wait, qrFile, timeout }) {
    const waits = wait ?? session.terminal.interactive;
    if (timeout !== undefined && !waits) {
      throw new Failure('usage', '--timeout goes with --wait.', { hint: 'Add --wait, or leave it out.' });
    }
    return {
      waits,
      device: deviceFor(session, device, 'write'),
      file: qrFile === undefined ? undefined : new PictureFile(qrFile),
    };
  },
  confirm: async (_session, _input, { file }) => file?.confirmation(),
  async run(session, { timeout = defaultTimeout }, { device, file, waits }) {
    const { terminal, signal } = session;
    const before = await readStatus(session, device, signal);
    await remember(session, device);
    const state = stateOf(before);
    if (state === 'ready') return alreadyConnected(session, device, before, waits);

    const isStarted = isUnderWay(state);
    if (isStarted) terminal.note(`${device.label} is connecting already.`);
    const fresh = !isStarted && (await start(session, device, signal));
    const patience = startPatience;
    if (waits) {
      const { follow } = await import('./follow.ts');
      return follow(session, device, { timeout, fresh, patience, file, revealQr: false });
    }
    if (!file) return justConnecting(session, device);
    const { saveFirstCode } = await import('./first-code.ts');
    return saveFirstCode(session, device, { fresh, patience, file });
  },
});

/** Whether a connect call would be refused: the device is started, and on its way. */
function isUnderWay(state: StateName): boolean {
  return state !== 'stopped' && state !== 'other';
}

function justConnecting({ terminal, clock }: Session, device: Device): Row {
  terminal.note(`Follow it: botctl device status ${shellWord(device.label)} --watch`);
  return {
    event: 'connecting',
    device_id: device.id,
    ...(device.name !== undefined && { name: device.name }),
    at: new Date(clock.now()).toISOString(),
  };
}
