import { defineCommand } from '../../cli/command.ts';
import { argument, path } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { readFileOption } from '../../lib/files/text-input.ts';
import { originOf } from '../../settings/base-url.ts';

export const importDevices = defineCommand({
  name: 'import',
  summary: 'Take in the devices that device export printed elsewhere',
  description:
    'Of a device that is known already the newer words stand. Devices of other services are left out. The service is not ' +
    'asked, and nothing there is changed.',
  arguments: { file: argument('file to read; - for stdin', path) },
  examples: [
    { line: 'botctl device import devices.json', does: 'Take in the devices of a colleague' },
    {
      line: 'ssh desk botctl device export | botctl device import -',
      does: 'Take in those of another machine',
    },
  ],
  needs: 'identity',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [
      { name: 'added', kind: 'number' },
      { name: 'updated', kind: 'number' },
      { name: 'unchanged', kind: 'number' },
      { name: 'of_other_services', heading: 'Of other services', kind: 'number' },
    ],
  },
  async prepare({ io, redact }, { file }) {
    const text = await readFileOption(io, file, '<file>');
    const { readExport } = await import('../../resources/devices/exported.ts');
    return readExport(text, file === '-' ? 'What is piped in' : file, redact);
  },
  async run({ devices, settings, identity, terminal }, _input, exported) {
    const origin = originOf(identity.baseUrl);
    const own = exported.filter(({ service }) => service === undefined || service === origin);
    const merged = await devices.merge(own);
    if (!merged) {
      throw new Failure('outputFailed', `The device book in ${settings.paths.data} can't be written.`, {
        hint: 'Check the permissions of that directory. Nothing was taken in.',
      });
    }
    const [added, updated] = [merged.added.length, merged.updated.length];
    terminal.done(`Took in ${added} new and ${updated} changed of ${own.length} devices.`);
    return {
      added,
      updated,
      unchanged: own.length - added - updated,
      of_other_services: exported.length - own.length,
    };
  },
});
