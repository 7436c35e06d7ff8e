import { defineCommand, withFailure } from '../../cli/command.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { lockOption } from './options.ts';

export const show = defineCommand({
  name: 'show',
  summary: 'List the objects in the state file',
  description:
    'Does not call the service. To compare the objects with the files and the service: botctl tenants plan.',
  options: { lock: lockOption },
  examples: [
    {
      line: 'botctl tenants show --lock staging.lock.json',
      does: 'List each address with its id',
    },
    { line: 'botctl tenants show -o json', does: 'Print it as JSON' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: [
      { name: 'address', importance: 9 },
      { name: 'kind', detail: true },
      { name: 'name' },
      { name: 'id', kind: 'id', importance: 8 },
      { name: 'unknown_since', kind: 'time', detail: true },
    ],
    empty: {
      none: remark`The state file is empty. See what would be created: ${command('tenants', 'plan')}`,
    },
  },
  async run({ terminal, io }, { lock: path }) {
    const [{ readKnownState }, { kindOf }] = await Promise.all([
      import('../../tenants/make-plan.ts'),
      import('../../tenants/render/rows.ts'),
    ]);
    const { entries } = readKnownState(path).state;
    const rows = [...entries].map(([address, entry]) => {
      const { id = null } = entry;
      const [name, since] = 'path' in entry ? [entry.name] : [entry.applied.name, entry.unknown_since];
      return { address, kind: kindOf(address), name: name ?? null, id, unknown_since: since ?? null };
    });
    return withFailure(rows, () => {
      const named = path === undefined ? [] : ['--lock', path];
      if (io.stdout.isTTY === true && rows.length > 0)
        terminal.note(
          remark`Compare with the files and the service: ${command('tenants', 'plan', ...named)}`,
        );
      return undefined;
    });
  },
});
