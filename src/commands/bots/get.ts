import { defineCommand } from '../../command.ts';
import { argument, nameOf, option } from '../../options.ts';
import { botDetailFields } from './fields.ts';
import { readBot } from './read.ts';

export const get = defineCommand({
  name: 'get',
  summary: 'Show a bot with its questions, actions and documents',
  arguments: { bot: argument('the bot, by name or id', nameOf('bot')) },
  options: { team: option('--team <team>', 'team to look for the name in, by name or id', nameOf('team')) },
  examples: [
    { line: 'botctl bots get "Front desk" --team "Aurora Coffee"', does: 'Show a bot by its name' },
    { line: 'botctl bots get "Front desk" -o yaml', does: 'Show all of it as YAML' },
  ],
  needs: 'session',
  effect: 'reads',
  output: { kind: 'record', fields: botDetailFields },
  run: ({ api }, { bot, team }) => readBot(api, bot, { for: 'read', team }),
});
