import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { callSandbox, dataOption } from './running.ts';

export const publish = defineCommand({
  name: 'publish',
  summary: 'Publish a bot',
  arguments: { bot: argument('id or exact name of the bot', nameOf('bot')) },
  options: { data: dataOption },
  examples: [{ line: 'botctl sandbox publish "Night desk"', does: 'Publish a bot of the sandbox' }],
  needs: 'nothing',
  effect: 'changes',
  output: {
    kind: 'record',
    fields: [{ name: 'bot_id', kind: 'id' }, { name: 'name' }, { name: 'published', kind: 'flag' }],
  },
  async run(context, { bot, data }) {
    const published = await callSandbox(context, data, '/publish', { bot });
    context.terminal.done(`Published bot ${published.name}.`);
    return published;
  },
});
