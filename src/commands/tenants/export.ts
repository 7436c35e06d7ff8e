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

/** The maximum number of omissions that are listed; the others are counted. */
const maxNamed = 5;

export const exportTenants = defineCommand({
  name: 'export',
  summary: 'Export teams as tenant files',
  description:
    'Writes the files and their state file, so that tenants plan finds nothing to do. Keys are made from names; keys ' +
    'in an existing state file are kept. Documents are declared by name (existing), because the API does not return ' +
    'their files. Only devices in the device book are exported, and no administrators. Header values, which may be ' +
    'keys, go to files in secrets/ (mode 0600, ignored by git). Fields that the service masks, or that contain a ' +
    'secret, are left out.',
  arguments: { teams: optionalArgumentList('teams, by name or id', nameOf('team')) },
  options: {
    all: flag('--all', 'every team'),
    out: optionOr('--out <folder>', 'folder of the files', defaultFolder, path),
    lock: lockOption,
  },
  examples: [
    { line: 'botctl tenants export "Aurora Coffee" --out customers', does: 'Export a team to customers/' },
    { line: 'botctl tenants export --all', does: 'Export every team to tenants/' },
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
    if (teams.length === 0 && !all) throw usageFailure(['Name the teams, or give --all.']);
    if (teams.length > 0 && all) throw usageFailure(["--all can't be combined with names of teams."]);
  },
  async prepare(session, { teams, all, out, lock }) {
    const { prepareExport } = await import('../../tenants/export/export-tenants.ts');
    const reading = session.terminal.progress('Reading the teams');
    const input = { teams: all ? undefined : teams, folder: out, lock };
    return prepareExport(session, input).finally(() => reading.stop());
  },
  async confirm(_session, _input, { replaced }) {
    if (replaced.length === 0) return undefined;
    const exist = replaced.length === 1 ? 'exists' : 'exist';
    const statement = `${firstFew(replaced, maxNamed)} already ${exist}.`;
    return { level: 'yes', statement, question: replaced.length === 1 ? 'Replace it?' : 'Replace them?' };
  },
  async run(session, { out, lock }, prepared) {
    const [{ writeExport }, { fileNameOf }] = await Promise.all([
      import('../../tenants/export/export-tenants.ts'),
      import('../../tenants/export/tenant-files.ts'),
    ]);
    await writeExport(session, prepared);
    const { tenants } = prepared;
    if (tenants.length > 0) reportExport(session.terminal, prepared, out, lock);
    return tenants.map(({ tenant, id, omitted }) => ({
      ...{ address: tenant.address, name: tenant.fields.name.value, id },
      file: join(out, fileNameOf(tenant.key)),
      documents: tenant.documents.length,
      bots: tenant.bots.length,
      devices: tenant.devices.length,
      left_out: omitted,
    }));
  },
});

/** Reports the written files, and the three things that no export contains. */
function reportExport(
  terminal: Terminal,
  prepared: PreparedExport,
  out: string,
  lock: string | undefined,
): void {
  const { tenants, files, unnamed } = prepared;
  const what = tenants.length === 1 ? 'a tenant' : `${groupedNumber(tenants.length)} tenants`;
  terminal.done(`Wrote ${what} to ${out}, and the state file ${prepared.statePath}.`);
  terminal.note(
    'Documents are declared as existing ones, because the API returns no files. Only devices in the device book are ' +
      'included. Administrators are not: to create a team again, add its administrator.',
  );
  if (files.some(({ isSecret }) => isSecret))
    terminal.note(`Header values, which may be keys, are in ${join(out, 'secrets')}, which git ignores.`);
  const leftOut = [
    ...tenants.flatMap((tenant) => tenant.omitted.map((says) => `${says}.`)),
    ...unnamed.map((id) => `Team ${id}: a file can't hold its name.`),
  ];
  if (leftOut.length > 0)
    terminal.warn(`Left out, because files can't declare it:\n${leftOut.slice(0, maxNamed).join('\n')}`);
  if (leftOut.length > maxNamed) terminal.note(`and ${groupedNumber(leftOut.length - maxNamed)} more`);
  const line = command(
    ...['tenants', 'plan', ...(out === defaultFolder ? [] : [out])],
    ...(lock === undefined ? [] : ['--lock', lock]),
  );
  terminal.note(remark`Check that there is nothing to do: ${line}`);
}
