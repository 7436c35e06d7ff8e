import { defineCommand } from '../../cli/command.ts';

export const schema = defineCommand({
  name: 'schema',
  summary: 'Print the JSON Schema of files of tenants',
  description:
    'Editors complete and check the files by it, where a comment names it: # yaml-language-server: ' +
    '$schema=tenants.schema.json. It says what tenants validate says, as far as one file alone can tell.',
  examples: [
    { line: 'botctl tenants schema', does: 'Read it' },
    { line: 'botctl tenants schema > tenants/tenants.schema.json', does: 'Bring it up to date' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'text' },
  async run() {
    const { schemaText } = await import('../../tenants/files/schema.ts');
    return schemaText();
  },
});
