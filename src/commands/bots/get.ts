import { defineCommand, type Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { Failure, usageFailure } from '../../errors.ts';
import { flag } from '../../input/options.ts';
import { formatFor } from '../../terminal/present.ts';
import { editableOf, fileOf, isTexts } from './editable.ts';
import { botDetailFields } from './fields.ts';
import { botArgument, teamOption } from './named.ts';
import { type BotDetail, readBot, readDocuments } from './read.ts';

/** The documents that are named; each takes a call. */
const mostNamed = 24;

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
  async run(session, { bot, team, editable }) {
    const present = await readBot(session.api, bot, { for: 'read', team });
    if (editable) return fileOf(present);
    return showsDocuments(session) ? withDocumentNames(session, present) : present;
  },
});

/** Whether a person will see the documents: their names cost calls, and scripts get what the service gave. */
function showsDocuments({ io, options }: Session): boolean {
  const format = formatFor({ kind: 'record', fields: botDetailFields }, { io, options });
  return format === 'table' && (options.fields?.includes('documents') ?? true);
}

/** The bot with each document's name beside its id. */
async function withDocumentNames({ api, signal }: Session, present: BotDetail): Promise<Row> {
  const { document_ids: ids } = editableOf(present);
  if (!isTexts(ids)) return present;
  try {
    const named = await readDocuments(api, ids.slice(0, mostNamed), signal);
    const names = new Map(named.map(({ id, name }) => [id, name]));
    return { ...present, documents: ids.map((id) => (names.has(id) ? { name: names.get(id), id } : { id })) };
  } catch (thrown) {
    signal.throwIfAborted();
    // A name only helps the eye: without it the id has to do.
    if (thrown instanceof Failure) return present;
    throw thrown;
  }
}
