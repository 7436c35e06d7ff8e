import { defineCommand } from '../../cli/command.ts';
import { optionalArgument, path } from '../../cli/options.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { defaultFolder } from '../../tenants/default-folder.ts';

export const init = defineCommand({
  name: 'init',
  summary: 'Write an example tenant',
  description:
    'Comments explain the files, and editors complete them from the schema beside them. Existing files are not replaced.',
  arguments: { folder: optionalArgument('folder to create (tenants)', path) },
  examples: [
    { line: 'botctl tenants init customers', does: 'Write the example into customers/' },
    { line: 'botctl tenants init', does: 'Write it into tenants/, the default folder' },
  ],
  needs: 'nothing',
  effect: 'creates',
  output: { kind: 'list', fields: [{ name: 'file' }] },
  async run({ terminal }, { folder = defaultFolder }) {
    const { writeExample } = await import('../../tenants/example/write-example.ts');
    const files = await writeExample(folder);
    const given = folder === defaultFolder ? [] : [folder];
    terminal.done(
      remark`Wrote an example. Edit it, then check it: ${command('tenants', 'validate', ...given)}`,
    );
    return files.map((file) => ({ file }));
  },
});
