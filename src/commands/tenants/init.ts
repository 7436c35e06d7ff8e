import { defineCommand } from '../../cli/command.ts';
import { optionalArgument, path } from '../../cli/options.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { defaultFolder } from '../../tenants/default-folder.ts';

export const init = defineCommand({
  name: 'init',
  summary: 'Write an example of a tenant, to begin with',
  description:
    'The files say by themselves what they hold, and editors complete them by the schema beside them. Nothing that ' +
    'is there already is replaced.',
  arguments: { folder: optionalArgument('folder that is made; tenants if left out', path) },
  examples: [
    { line: 'botctl tenants init customers', does: 'Write the example into customers/' },
    { line: 'botctl tenants init', does: 'Write it into tenants/, which is read where no folder is named' },
  ],
  needs: 'nothing',
  effect: 'creates',
  output: { kind: 'list', fields: [{ name: 'file' }] },
  async run({ terminal }, { folder = defaultFolder }) {
    const { writeExample } = await import('../../tenants/example/write-example.ts');
    const files = await writeExample(folder);
    const given = folder === defaultFolder ? [] : [folder];
    terminal.done(
      remark`Wrote an example. Change it, and check it: ${command('tenants', 'validate', ...given)}`,
    );
    return files.map((file) => ({ file }));
  },
});
