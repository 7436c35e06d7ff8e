import { defineCommand } from '../../cli/command.ts';

export const schema = defineCommand({
  name: 'schema',
  summary: 'Print the JSON Schema of tenant files',
  description:
    'Editors use it to complete and check files that name it in a comment: # yaml-language-server: ' +
    '$schema=tenants.schema.json. It finds the problems that tenants validate finds, if one file alone shows them.',
  examples: [
    { line: 'botctl tenants schema', does: 'Print it' },
    { line: 'botctl tenants schema > tenants/tenants.schema.json', does: 'Update the copy beside the files' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'text' },
  async run() {
    const { schemaText } = await import('../../tenants/files/schema.ts');
    return schemaText();
  },
});
