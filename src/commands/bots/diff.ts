import { defineCommand, withFailure } from '../../cli/command.ts';
import { path, requiredOption } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import { type Change, changesOf, checkBotInput } from '../../resources/bots/changes.ts';
import { readBot } from '../../resources/bots/read-bot.ts';
import { readBotInput } from './bot-input.ts';
import { drawChanges } from './draw-changes.ts';
import { botArgument, teamOption } from './options.ts';

export const diff = defineCommand({
  name: 'diff',
  summary: 'Compare a bot with a file',
  description:
    'Shows the fields that bots update would send. Nothing is sent. The exit code is 11 if something differs, ' +
    'and 0 if nothing does.',
  arguments: { bot: botArgument },
  options: {
    file: requiredOption('--file <file>', 'read the fields from a YAML or JSON file; - reads stdin', path),
    team: teamOption,
  },
  examples: [
    { line: 'botctl bots diff "Front desk" --file bot.yaml', does: 'See what the file would change' },
    { line: 'botctl bots diff "Front desk" --file bot.yaml -o json', does: 'Get the changes as JSON' },
  ],
  needs: 'api',
  effect: 'reads',
  output: {
    kind: 'list',
    fields: [{ name: 'field', importance: 9 }, { name: 'from' }, { name: 'to' }],
    draw: (rows, { paint }) =>
      drawChanges(
        rows.map(({ field, from, to }) => ({ field: String(field), from: from ?? undefined, to })),
        { before: 'current', after: 'as the file says' },
        paint,
      ),
  },
  async prepare(session, { bot: name, file, team }) {
    const fields = await checkBotInput(await readBotInput(session.io, { file }));
    const bot = await readBot(session, name, team);
    return { bot, file, changes: await changesOf(session.api, bot, fields, undefined) };
  },
  async run({ terminal, prompts }, _input, { bot, file, changes: { list } }) {
    if (list.length === 0) terminal.note(`No difference: ${bot.label} already matches the file.`);
    const hidden = list.filter(({ from }) => from === undefined).map(({ field }) => field);
    if (hidden.length > 0) {
      terminal.note(`The service doesn't show ${hidden.join(', ')}, so an update always sends it.`);
    }
    // A field that the service does not return has no value to compare; in JSON it is null.
    const rows = list.map(({ field, from = null, to }: Change) => ({ field, from, to }));
    return withFailure(rows, list.length === 0 ? undefined : drift(bot, file, list, prompts.available));
  },
});

/** @param mayAsk whether the user is asked before a published bot is changed */
function drift(bot: Bot, file: string, list: readonly Change[], mayAsk: boolean): Failure {
  const fields = list.map(({ field }) => field).join(', ');
  const allowed = bot.published !== false && !mayAsk ? ['--allow', 'unpublish'] : [];
  const update = command(
    'bots',
    'update',
    bot.id,
    '--file',
    file === '-' ? placeholder('<file>') : file,
    ...allowed,
  );
  return new Failure('drift', `${bot.label} differs in ${fields}.`, {
    hint: remark`Change it: ${update}`,
  });
}
