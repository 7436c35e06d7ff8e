import { createOrLookUp } from '../../client/lookup.ts';
import { resolveDocument, resolveTeam } from '../../client/names.ts';
import { defineCommand } from '../../command.ts';
import { Failure } from '../../errors.ts';
import { nameOf, option, someText } from '../../options.ts';
import { botFields } from './fields.ts';
import { writableOptions } from './options.ts';
import { writtenBot } from './written.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'Create a bot',
  description:
    'Fields come from --file, from the options, or from both; an option wins. A file is YAML or JSON with ' +
    "the API's own names (name, instructions, role, questions, …); team_id and document_ids may be names.",
  options: {
    team: option('--team <team>', 'team that owns the bot, by name or id', nameOf('team')),
    name: option('--name <name>', 'name of the bot', someText),
    ...writableOptions,
  },
  examples: [
    {
      line: 'botctl bots create --team "Aurora Coffee" --name "Front desk" --instructions @prompt.txt',
      does: 'Create a bot with instructions from a file',
    },
    {
      line: 'botctl bots create --team "Aurora Coffee" --file bot.yaml',
      does: 'Create a bot as a file describes it',
    },
  ],
  needs: 'session',
  effect: 'creates',
  output: { kind: 'record', fields: botFields },
  prepare: ({ io }, input) => writtenBot(io, input),
  async run({ api, clock, signal, terminal }, _input, written) {
    if (written.team_id === undefined) {
      throw new Failure('usage', 'The bot has no team.', { hint: 'Give --team, or team_id in the file.' });
    }
    if (written.name === undefined) {
      throw new Failure('usage', 'The bot has no name.', { hint: 'Give --name, or name in the file.' });
    }
    const teamId = await resolveTeam(api, written.team_id, { for: 'write' });
    const body = { ...written, team_id: teamId };
    if (written.document_ids) {
      body.document_ids = await Promise.all(
        written.document_ids.map((document) => resolveDocument(api, document, { for: 'write', teamId })),
      );
    }
    const { data } = await createOrLookUp(
      { api, clock, signal, onNote: terminal.note },
      { noun: 'bot', name: written.name, teamId },
      () => api.call('createBot', { body }),
    );
    terminal.done(
      `Created bot ${data.name ?? written.name}. It is not published yet: that happens in the platform.`,
    );
    return data;
  },
});
