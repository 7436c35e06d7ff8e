import { defineCommand } from '../cli/command.ts';
import { flag } from '../cli/options.ts';
import { Failure } from '../lib/errors.ts';
import { command, remark } from '../lib/text/remark.ts';

export const token = defineCommand({
  name: 'token',
  summary: 'Print an access token',
  description:
    'Anyone who has the token can call the API as you until it expires. It is therefore printed only to a pipe or ' +
    'a file, unless --show-token is given. botctl caches tokens and requests a new one if the cached one has expired.',
  options: { showToken: flag('--show-token', 'print the token on a terminal too') },
  examples: [
    { line: 'botctl token --show-token', does: 'Show the token on the terminal' },
    {
      line: 'curl -H "Authorization: Bearer $(botctl token)" https://api.example.com/api/openapi/v1/teams',
      does: 'Call the service with another tool',
    },
  ],
  needs: 'api',
  effect: 'reads',
  output: { kind: 'text' },
  async prepare({ io }, { showToken }) {
    if (!io.stdout.isTTY || showToken) return;
    throw new Failure('usage', 'The token is secret, so it is not shown on a terminal.', {
      hint: remark`Use a pipe or $(${command('token')}), or add --show-token.`,
    });
  },
  run: async ({ api, reveal }) => `${reveal((await api.accessToken()).token)}\n`,
});
