import { defineCommand } from '../../cli/command.ts';
import { eachOf, nameOf } from '../../cli/options.ts';
import { findKey } from '../../resources/keys/find-key.ts';
import { keyFields } from './fields.ts';

export const get = defineCommand({
  name: 'get',
  summary: 'Show an API key',
  description: 'Never shows the secret.',
  arguments: { key: eachOf('id or exact name of the key', nameOf('key')) },
  examples: [
    { line: 'botctl keys get ci', does: 'Show a key by its name' },
    { line: 'botctl keys get ci --fields expires_at', does: 'Show when it expires' },
  ],
  needs: 'api',
  effect: 'reads',
  output: { kind: 'record', fields: keyFields },
  run: async ({ api, askWhich }, { key }) => (await findKey(api, key, askWhich)).raw,
});
