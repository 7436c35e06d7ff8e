import { join } from 'node:path';
import { defineCommand } from '../../cli/command.ts';
import { flag, nameOf, optionalArgumentList, optionOr, path } from '../../cli/options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import { defaultFolder } from '../../tenants/default-folder.ts';
import type { PreparedExport } from '../../tenants/export/export-tenants.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { lockOption } from './options.ts';

/** More files than these are counted, not named. */
const maxNamed = 5;

export const exportTenants = defineCommand({
  name: 'export',
  summary: 'Write teams that are there as files of tenants, with their lock',
  description:
    'With that lock there is nothing to plan. Keys are made of names; those that the lock has stay. Documents are ' +
    'attached as existing ones, since the API gives no files. Devices are those that the device book knows. Who ' +
    'administers a team is not shown. Values of headers, which may be keys, go into files of their own in secrets/, ' +
    'mode 0600, which git leaves alone. A field whose value the service masks, or that repeats a secret, is left out.',
  arguments: { teams: optionalArgumentList('teams, by name or id', nameOf('team')) },
  options: {
    all: flag('--all', 'every team'),
    out: optionOr('--out <folder>', 'folder of the files', defaultFolder, path),
    lock: lockOption,
  },
  examples: [
    { line: 'botctl tenants export "Aurora Coffee" --out customers', does: 'Write a team into customers/' },
    { line: 'botctl tenants export --all', does: 'Write every team into tenants/' },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: [
      { name: 'address', importance: 9 },
      { name: 'name' },
      { name: 'id', kind: 'id' },
      { name: 'file', importance: 8 },
      { name: 'documents', kind: 'number' },
      { name: 'bots', kind: 'number' },
      { name: 'devices', kind: 'number' },
      { name: 'left_out', heading: 'Left out', detail: true },
    ],
    empty: { none: 'There are no teams.' },
  },
  checkInput({ teams = [], all }) {
    if (teams.length === 0 && !all) throw usageFailure(['Name the teams, or say --all.']);
    if (teams.length > 0 && all) throw usageFailure(['--all stands for every team: name none beside it.']);
  },
  async prepare(session, { teams, all, out, lock }) {
    const { prepareExport } = await import('../../tenants/export/export-tenants.ts');
    const reading = session.terminal.progress('Reading the teams');
    const input = { teams: all ? undefined : teams, folder: out, lock };
    return prepareExport(session, input).finally(() => reading.stop());
  },
  async confirm(_session, _input, { replaced }) {
    if (replaced.length === 0) return undefined;
    const are = replaced.length === 1 ? 'is' : 'are';
    const statement = `${firstFew(replaced, maxNamed)} ${are} there already.`;
    return { level: 'yes', statement, question: replaced.length === 1 ? 'Replace it?' : 'Replace them?' };
  },
  async run(session, { out, lock }, prepared) {
    const [{ writeExport }, { fileNameOf }] = await Promise.all([
      import('../../tenants/export/export-tenants.ts'),
      import('../../tenants/export/tenant-files.ts'),
    ]);
    await writeExport(session, prepared);
    const { tenants } = prepared;
    if (tenants.length > 0) tell(session.terminal, prepared, out, lock);
    return tenants.map(({ tenant, id, leftOut }) => ({
      ...{ address: tenant.address, name: tenant.fields.name.value, id },
      file: join(out, fileNameOf(tenant.key)),
      documents: tenant.documents.length,
      bots: tenant.bots.length,
      devices: tenant.devices.length,
      left_out: leftOut,
    }));
  },
});

/** Says what was written, and the three things that no export has. */
function tell(terminal: Terminal, prepared: PreparedExport, out: string, lock: string | undefined): void {
  const { tenants, files, unnamed } = prepared;
  const what = tenants.length === 1 ? 'a tenant' : `${groupedNumber(tenants.length)} tenants`;
  terminal.done(`Wrote ${what} into ${out}, and the lock ${prepared.lock}.`);
  terminal.note(
    'Documents are attached as existing ones: the API gives no files. Devices are those that the device book knows. ' +
      'Who administers a team is not shown: add administrator where a team is to be created again.',
  );
  if (files.some(({ isSecret }) => isSecret))
    terminal.note(
      `Values of headers, which may be keys, are in ${join(out, 'secrets')}, which git leaves alone.`,
    );
  const leftOut = [
    ...tenants.flatMap((tenant) => tenant.leftOut.map((says) => `${says}.`)),
    ...unnamed.map((id) => `Team ${id}, which has no name that a file can hold.`),
  ];
  if (leftOut.length > 0)
    terminal.warn(`Left out, since files can't declare it:\n${leftOut.slice(0, maxNamed).join('\n')}`);
  if (leftOut.length > maxNamed) terminal.note(`and ${groupedNumber(leftOut.length - maxNamed)} more`);
  const line = command(
    ...['tenants', 'plan', ...(out === defaultFolder ? [] : [out])],
    ...(lock === undefined ? [] : ['--lock', lock]),
  );
  terminal.note(remark`See that there is nothing to do: ${line}`);
}
