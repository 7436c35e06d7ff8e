import { defineCommand } from '../../cli/command.ts';

export const openapi = defineCommand({
  name: 'openapi',
  summary: 'Print the API as an OpenAPI 3.1 document',
  examples: [
    { line: 'botctl sandbox openapi', does: 'Read the whole API' },
    { line: 'botctl sandbox openapi > openapi.json', does: 'Save it for other tools' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'text' },
  async run() {
    const { openApiDocument } = await import('../../contract/openapi.ts');
    return JSON.stringify(openApiDocument(), null, 2);
  },
});
