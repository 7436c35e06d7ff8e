import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { flag } from '../../cli/options.ts';
import { allowFailure, usageFailure } from '../../lib/errors.ts';
import type { Row } from '../../output/fields.ts';
import { formatFor } from '../../output/present.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import { readDocumentNames } from '../../resources/bots/document-names.ts';
import { editableOf, isTexts } from '../../resources/bots/editable.ts';
import { readBot, readDocuments } from '../../resources/bots/read-bot.ts';
import { botDetailFields } from './fields.ts';
import { botsArgument, teamOption } from './options.ts';

/** The maximum number of documents whose names are shown. Each takes a call. */
const maxNamed = 24;

export const get = defineCommand({
  name: 'get',
  summary: 'Show a bot with its questions, actions and documents',
  description:
    '--editable writes documents by name if the name is unique in the team, so that the file fits other teams ' +
    'too. Otherwise it writes the id.',
  arguments: { bot: botsArgument },
  options: {
    team: teamOption,
    editable: flag('--editable', 'only the editable fields, as YAML, for --file'),
  },
  examples: [
    { line: 'botctl bots get "Front desk" --team "Aurora Coffee"', does: 'Show a bot by its name' },
    { line: 'botctl bots get "Front desk" -o yaml', does: 'Show a bot as YAML' },
    {
      line: 'botctl bots get "Front desk" --editable > bot.yaml',
      does: 'Export the editable fields to a file',
    },
  ],
  needs: 'api',
  effect: 'reads',
  output: { kind: 'record', fields: botDetailFields },
  format: ({ editable }) => (editable ? 'yaml' : undefined),
  async prepare({ options: { output, isOutputTyped }, isOneOfSeveral }, { editable }) {
    if (editable && isOneOfSeveral)
      throw usageFailure(['--editable writes the file of one bot.'], 'Name one.');
    if (!editable || !isOutputTyped || ['yaml', 'json', 'ndjson'].includes(output ?? '')) return undefined;
    throw usageFailure(
      [`--editable prints YAML or JSON, not ${output}.`],
      'Leave -o out, or give -o yaml or -o json.',
    );
  },
  async run(session, { bot: name, team, editable }) {
    const bot = await readBot(session, name, team);
    if (editable) return fileFor(session, bot);
    return showsDocuments(session) ? withDocumentNames(session, bot) : bot.raw;
  },
});

async function fileFor({ api, terminal }: Session, bot: Bot): Promise<Row> {
  const { fileOf } = await import('../../resources/bots/check-bot.ts');
  const { values, leftOut } = fileOf(bot, await readDocumentNames(api, bot));
  if (leftOut.length > 0) {
    terminal.note(`Left out because the shown value can't be written: ${leftOut.join(', ')}.`);
  }
  return values;
}

/**
 * Returns whether the output shows documents to a user. Their names cost calls, and scripts get what the service
 * returned.
 */
function showsDocuments({ io, options }: Session): boolean {
  const format = formatFor({ kind: 'record', fields: botDetailFields }, { io, options });
  return format === 'table' && (options.fields?.includes('documents') ?? true);
}

/** Returns the bot with the name of each document after its id. */
async function withDocumentNames({ api }: Session, bot: Bot): Promise<Row> {
  const { document_ids: ids } = editableOf(bot);
  if (!isTexts(ids)) return bot.raw;
  // A name is only a convenience; without it the id is shown.
  const named = await allowFailure(readDocuments(api, ids.slice(0, maxNamed)));
  if (!named) return bot.raw;
  const names = new Map(named.map(({ id, raw }) => [id, raw.name]));
  return {
    ...bot.raw,
    documents: ids.map((id) => (names.has(id) ? { name: names.get(id), id } : { id })),
  };
}
