import { defineCommand } from '../../command.ts';
import { usageFailure } from '../../errors.ts';
import { flag } from '../../input/options.ts';
import { fileOf } from './editable.ts';
import { botDetailFields } from './fields.ts';
import { botArgument, teamOption } from './named.ts';
import { readBot } from './read.ts';

export const get = defineCommand({
  name: 'get',
  summary: 'Show a bot with its questions, actions and documents',
  arguments: { bot: botArgument },
  options: {
    team: teamOption,
    editable: flag('--editable', 'only what can be written, as YAML: what --file, edit and diff take'),
  },
  examples: [
    { line: 'botctl bots get "Front desk" --team "Aurora Coffee"', does: 'Show a bot by its name' },
    { line: 'botctl bots get "Front desk" -o yaml', does: 'Show all of it as YAML' },
    { line: 'botctl bots get "Front desk" --editable > bot.yaml', does: 'Write down what can be changed' },
  ],
  needs: 'session',
  effect: 'reads',
  output: { kind: 'record', fields: botDetailFields },
  format: ({ editable }) => (editable ? 'yaml' : undefined),
  async prepare({ options: { output } }, { editable }) {
    if (!editable || output === undefined || ['yaml', 'json', 'ndjson'].includes(output)) return undefined;
    throw usageFailure(
      [`--editable prints YAML or JSON, not ${output}.`],
      'Leave -o out, or give -o yaml or -o json.',
    );
  },
  async run({ api }, { bot, team, editable }) {
    const present = await readBot(api, bot, { for: 'read', team });
    return editable ? fileOf(present) : present;
  },
});
