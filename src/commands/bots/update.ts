import { defineCommand } from '../../command.ts';
import { usageFailure } from '../../errors.ts';
import { option, someText } from '../../input/options.ts';
import { changesOf, checkUnpublished, sendChanges, unpublishing, warnIfHidden } from './changes.ts';
import { botDetailFields } from './fields.ts';
import { botArgument, teamOption } from './named.ts';
import { writableOptions } from './options.ts';
import { readBot } from './read.ts';
import { writtenBot } from './written.ts';

export const update = defineCommand({
  name: 'update',
  summary: 'Change a bot',
  description:
    'Sends only the fields that differ from what the service shows; nothing at all where none does. Questions, ' +
    'actions and documents are replaced as a whole. A changed bot is not published any more, and the API ' +
    'cannot publish it again. botctl bots create --help lists the fields that a file may hold.',
  arguments: { bot: botArgument },
  options: {
    team: teamOption,
    name: option('--name <name>', 'new name', someText),
    ...writableOptions,
  },
  examples: [
    { line: 'botctl bots update "Front desk" --temperature 0.3', does: 'Change one field' },
    {
      line: 'botctl bots update "Front desk" --file bot.yaml --yes',
      does: 'Make it as a file describes, unasked',
    },
  ],
  needs: 'session',
  effect: 'changes',
  output: { kind: 'record', fields: botDetailFields },
  checkInput({ bot: _bot, team: _team, ...given }) {
    const values = Object.values(given);
    if (values.some((value) => value !== undefined && !(Array.isArray(value) && value.length === 0))) return;
    throw usageFailure(
      ['Nothing to change was given.'],
      'Give what to change, such as --name, --instructions or --file; botctl bots update --help lists all.',
    );
  },
  async prepare({ api, io }, { team, ...input }) {
    const written = await writtenBot(io, input);
    if (Object.keys(written.values).length === 0)
      throw usageFailure([`${input.file === '-' ? 'stdin' : input.file} holds no field to change.`]);
    const present = await readBot(api, input.bot, { for: 'write', team });
    return { present, changes: await changesOf(api, present, written) };
  },
  confirm: async (_session, _input, { present, changes }) => unpublishing(present, changes),
  async run(session, _input, { present, changes }) {
    if (changes.list.length === 0) return sendChanges(session, present, changes);
    const { data: fresh } = await session.api.call('getBot', {
      path: { id: present.id },
      signal: session.signal,
    });
    checkUnpublished(present, fresh, session.options.yes);
    warnIfHidden(session, fresh, changes);
    return sendChanges(session, fresh, changes);
  },
});
