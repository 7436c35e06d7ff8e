import { defineCommand } from '../../command.ts';
import { Failure } from '../../errors.ts';
import { argument, duration, flag, nameOf, option, path } from '../../options.ts';
import type { Field } from '../../terminal/fields.ts';
import { alreadyConnected, deviceFor, readStatus, remember, withCode, withoutCode } from './device.ts';
import { pairingFields, statusFields } from './fields.ts';
import { PictureFile } from './picture-file.ts';
import { stateOf, verdictOf } from './state.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Show the state of a device, or watch it until it is connected',
  description:
    'Says in words where the device stands and what to do next. A QR code is shown as a fingerprint only. ' +
    'With --watch on a terminal the code of a waiting device is drawn; elsewhere each change is one event.',
  arguments: { device: argument('the device, by name or id', nameOf('device')) },
  options: {
    watch: flag('--watch', 'follow the device until it is connected'),
    timeout: option('--timeout <duration>', 'stop watching after this long', duration),
    qrFile: option(
      '--qr-file <file>',
      'with --watch: keep the picture of the current code in this file, readable only by you',
      path,
    ),
    revealQr: flag('--reveal-qr', 'print the QR code, which lets whoever has it take the device over'),
  },
  examples: [
    { line: 'botctl device status Reception', does: 'Show where a device stands' },
    { line: 'botctl device status Reception --watch', does: 'Draw its code until it is paired' },
    {
      line: 'botctl device status Reception --watch --timeout 2m -o ndjson',
      does: 'Wait in a script until it is connected',
    },
  ],
  needs: 'session',
  effect: 'reads',
  output: {
    kind: 'events',
    fields: [...statusFields, ...pairingFields.filter(isOfEvents)].map(shownWhereGiven),
  },
  async prepare(session, { device, watch, timeout, qrFile }) {
    if (!watch && (timeout !== undefined || qrFile !== undefined)) {
      const lone = timeout === undefined ? '--qr-file' : '--timeout';
      throw new Failure('usage', `${lone} goes with --watch.`, { hint: 'Add --watch, or leave it out.' });
    }
    return {
      device: deviceFor(session, device, 'read'),
      file: qrFile === undefined ? undefined : new PictureFile(qrFile),
    };
  },
  confirm: async (_session, _input, { file }) => file?.confirmation(),
  async run(session, { watch, timeout, revealQr }, { device, file }) {
    const view = await readStatus(session, device, session.signal);
    await remember(session, device);
    if (watch && stateOf(view) === 'ready') return alreadyConnected(session, device, view, true);
    if (!watch) {
      const { text, next } = verdictOf(view, device.label);
      return {
        ...(device.name !== undefined && { name: device.name }),
        verdict: text,
        next: next ?? null,
        ...(revealQr ? withCode(session, view) : await withoutCode(view)),
      };
    }
    const { follow } = await import('./follow.ts');
    return follow(session, device, {
      timeout,
      fresh: false,
      patience: Number.POSITIVE_INFINITY,
      file,
      revealQr,
    });
  },
});

/** A state and an event have different members: neither shows the other's as empty. */
function shownWhereGiven(field: Field): Field {
  return field.name === 'name' ? field : { ...field, detail: true };
}

function isOfEvents({ name }: { readonly name: string }): boolean {
  return !statusFields.some((field) => field.name === name);
}
