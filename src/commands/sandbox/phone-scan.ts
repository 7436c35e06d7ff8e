import { buffer } from 'node:stream/consumers';
import { defineCommand } from '../../cli/command.ts';
import { flag, option, optionalArgument, path, phone } from '../../cli/options.ts';
import { sandboxCommands } from '../../cli/sandbox-hints.ts';
import { Failure } from '../../lib/errors.ts';
import { readUserFile } from '../../lib/files/text-input.ts';
import type { Io } from '../../lib/io.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { callSandbox, dataOption } from './running.ts';

export const phoneScan = defineCommand({
  name: 'phone scan',
  summary: 'Let the simulated phone scan a picture',
  description:
    'The phone decodes the QR code and pairs the device that shows it now. An expired code changes nothing. Use it with ' +
    '"sandbox start --phone manual".',
  arguments: { picture: optionalArgument('PNG file, or - for stdin', path) },
  options: {
    text: flag('--text', 'read a captured terminal screen with its colours instead of a PNG'),
    number: option('--number <number>', 'phone number of the phone', phone),
    stall: flag('--stall', 'do not confirm on the phone, so the device never connects'),
    data: dataOption,
  },
  examples: [
    { line: 'botctl sandbox phone scan pair.png', does: 'Scan a saved picture' },
    {
      line: 'tmux capture-pane -p -e -N -t 0 | botctl sandbox phone scan --text',
      does: 'Scan the screen of a terminal',
    },
    {
      line: 'botctl sandbox phone scan pair.png --stall',
      does: 'Test a scan that is not confirmed until "phone online"',
    },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: {
    kind: 'record',
    fields: [{ name: 'device_id', kind: 'id' }, { name: 'name' }, { name: 'phone_number', kind: 'phone' }],
  },
  async run(context, { picture, text, number, stall, data }) {
    if (picture === undefined && !text) {
      throw new Failure('usage', 'No picture was given.', {
        hint: 'Give a PNG file, - for stdin, or --text for a terminal screen.',
      });
    }
    const { maxPictureBytes } = await import('../../sandbox/control/calls.ts');
    const shown =
      picture === undefined || picture === '-'
        ? await readInput(context.io)
        : await readUserFile(picture, maxPictureBytes + 1, context.signal);
    if (shown.length > maxPictureBytes) {
      const words = `The picture is larger than ${maxPictureBytes} bytes.`;
      throw new Failure('invalidInput', words);
    }
    const paired = await callSandbox(context, data, '/scan', {
      kind: text ? 'screen' : 'picture',
      bytes: shown.toString('base64'),
      phone_number: number === undefined ? undefined : `+${number}`,
      stall,
    });
    if (stall) {
      context.terminal.done(`Scanned the code of ${paired.name}. The phone has not confirmed it.`);
      const online = sandboxCommands(context).running('phone', 'online', paired.name);
      context.terminal.note(remark`Confirm it: ${online}`);
    } else {
      context.terminal.done(`Paired ${paired.name} as ${paired.phone_number}.`);
    }
    return paired;
  },
});

async function readInput({ stdin }: Io): Promise<Buffer> {
  if (stdin.isTTY) {
    throw new Failure('usage', 'The picture is read from stdin, but stdin is a terminal.', {
      hint: remark`Pipe the picture in, or name a file: ${command('sandbox', 'phone', 'scan', placeholder('<file>'))}`,
    });
  }
  return buffer(stdin);
}
