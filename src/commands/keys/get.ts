import { defineCommand } from '../../command.ts';
import { argument, nameOf } from '../../input/options.ts';
import { keyFields } from './fields.ts';
import { findKey } from './find.ts';

export const get = defineCommand({
  name: 'get',
  summary: 'Show an API key, without its secret',
  arguments: { key: argument('the key, by id or name', nameOf('key')) },
  examples: [
    { line: 'botctl keys get ci', does: 'Show a key by its name' },
    { line: 'botctl keys get ci --fields expires_at', does: 'Show when it expires' },
  ],
  needs: 'session',
  effect: 'reads',
  output: { kind: 'record', fields: keyFields },
  run: ({ api }, { key }) => findKey(api, key, { for: 'read' }),
});
