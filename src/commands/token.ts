import { defineCommand } from '../cli/command.ts';
import { flag } from '../cli/options.ts';
import { Failure } from '../lib/errors.ts';
import { command, remark } from '../lib/text/remark.ts';

export const token = defineCommand({
  name: 'token',
  summary: 'Print a valid access token for a script',
  description:
    'Anybody who has the token can call as you until it expires, so it goes into a pipe or a file and to a ' +
    'terminal only with --show-token. It comes from the cache while it lasts, and is exchanged again otherwise.',
  options: { showToken: flag('--show-token', 'print it even where people can see it') },
  examples: [
    { line: 'botctl token --show-token', does: 'Read a token off the screen' },
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
    throw new Failure('usage', 'A token is a secret, and stdout is a terminal.', {
      hint: remark`Use it in a pipe or as $(${command('token')}), or add --show-token.`,
    });
  },
  run: async ({ api, reveal }) => `${reveal((await api.accessToken()).token)}\n`,
});
