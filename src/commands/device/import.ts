import { defineCommand } from '../../cli/command.ts';
import { argument, flag, path } from '../../cli/options.ts';
import { readFileOption } from '../../lib/files/text-input.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import { originOf } from '../../settings/base-url.ts';

export const importDevices = defineCommand({
  name: 'import',
  summary: 'Import devices from another device book',
  description:
    'Reads the output of device export. For known devices, the newer entry wins. Devices of other services are left out. ' +
    'Devices that were forgotten here are left out too, unless you add --restore. The service is not asked or changed.',
  arguments: { file: argument('file to read; - for stdin', path) },
  options: { restore: flag('--restore', 'add devices that were forgotten here') },
  examples: [
    { line: 'botctl device import devices.json', does: 'Import the devices of a colleague' },
    {
      line: 'ssh desk botctl device export | botctl device import -',
      does: 'Import those of another machine',
    },
    { line: 'botctl device import devices.json --restore', does: 'Also add forgotten devices' },
  ],
  needs: 'identity',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [
      { name: 'added', kind: 'number' },
      { name: 'updated', kind: 'number' },
      { name: 'unchanged', kind: 'number' },
      { name: 'forgotten', kind: 'number' },
      { name: 'of_other_services', heading: 'Of other services', kind: 'number' },
    ],
  },
  async prepare({ io, redact }, { file }) {
    const text = await readFileOption(io, file, '<file>');
    const { readExport } = await import('../../resources/devices/exported.ts');
    return readExport(text, file === '-' ? 'The input' : file, redact);
  },
  async run({ devices, identity, terminal, clock }, { file, restore }, exported) {
    const origin = originOf(identity.baseUrl);
    const own = exported.filter(({ service }) => service === undefined || service === origin);
    const merged = await devices.merge(own, restore ? new Date(clock.now()).toISOString() : undefined);
    if (!merged) throw await devices.unwritable();
    const [added, updated, forgotten] = [merged.added.length, merged.updated.length, merged.leftOut.length];
    const all = new Set(own.map(({ id }) => id)).size;
    terminal.done(`Imported ${pluralize(own.length, 'device')}: ${added} new, ${updated} changed.`);
    if (forgotten > 0) {
      const names = own.flatMap(({ id, name = id }) => (merged.leftOut.includes(id) ? [name] : []));
      const which = `${pluralize(forgotten, 'device')} that ${forgotten === 1 ? 'was' : 'were'} forgotten here: ${firstFew(new Set(names), 5)}`;
      terminal.note(
        remark`Left out ${which}. To add them again: ${command('device', 'import', file, '--restore')}`,
      );
    }
    return {
      ...{ added, updated, unchanged: all - added - updated - forgotten, forgotten },
      of_other_services: exported.length - own.length,
    };
  },
});
