import { defineCommand } from '../../cli/command.ts';
import { confirmSuspiciousTexts } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import { namesakeQuestion } from '../../cli/namesake-questions.ts';
import { ifAbsentOption, nameOf, option, positional } from '../../cli/options.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import type { Row } from '../../output/fields.ts';
import { checkBotInput } from '../../resources/bots/changes.ts';
import { fieldLines } from '../../resources/bots/editable.ts';
import { documentIds, findDocuments } from '../../resources/bots/find-documents.ts';
import type { BotFields } from '../../resources/bots/model.ts';
import { createOrLookUp } from '../../resources/created-lookup.ts';
import { findNamesakes } from '../../resources/namesakes.ts';
import { resolveId } from '../../resources/resolve.ts';
import { readBotInput } from './bot-input.ts';
import { botFields } from './fields.ts';
import { writableOptions } from './options.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'Create a bot',
  description:
    'Fields come from --file, from options, or both. An option overrides the file. A file is YAML or JSON with ' +
    `the field names of the API:\n\n${fieldLines}`,
  options: {
    team: {
      ...option('--team <team>', 'team that owns the bot, by name or id; may be in the file', nameOf('team')),
      requiredWithout: 'file',
    },
    name: {
      ...positional(option('--name <name>', 'name of the bot; may be in the file', nonEmptyText)),
      requiredWithout: 'file',
    },
    ...writableOptions,
    ifAbsent: ifAbsentOption,
  },
  examples: [
    {
      line: 'botctl bots create "Front desk" --team "Aurora Coffee" --instructions-file prompt.txt',
      does: 'Create a bot with instructions from a file',
    },
    {
      line: 'botctl bots create --team "Aurora Coffee" --file bot.yaml',
      does: 'Create a bot from a file',
    },
    {
      line: 'botctl bots create --if-absent --team "Aurora Coffee" --file bot.yaml -o id',
      does: 'Print the id of the bot; create it if missing',
    },
  ],
  needs: 'api',
  effect: 'creates',
  allow: ['duplicate'],
  output: { kind: 'record', fields: botFields },
  async prepare(session, { ifAbsent, ...given }) {
    const { api, prompts } = session;
    const input = await readBotInput(session.io, given);
    await confirmSuspiciousTexts(session, input.fileWords);
    const fields = await checkBotInput(input, prompts.available ? [] : missingOf(input.values));
    const { team_id: team, name } = await askForMissing(session, fields);
    // A name in a file must be exact, so no question is asked about it.
    const askWhich = (field: 'team_id' | 'document_ids') =>
      field in input.values && !input.isTyped(field) ? undefined : session.askWhich;
    const teamId = await resolveId(api, 'team', team, { askWhich: askWhich('team_id') });
    const toCreate = { noun: 'bot', name, teamId } as const;
    const namesakes = await findNamesakes(session, toCreate, ifAbsent);
    if (namesakes.instead) return { toCreate, namesakes, body: { name, team_id: teamId } };
    const lookIn = { teamId, askWhich: askWhich('document_ids') };
    const ids = fields.document_ids && documentIds(await findDocuments(api, fields.document_ids, lookIn));
    const body = { ...fields, name, team_id: teamId, ...(ids && { document_ids: ids }) };
    return { toCreate, namesakes, body };
  },
  confirm: async (session, _input, { toCreate, namesakes }) => namesakeQuestion(session, toCreate, namesakes),
  async run(session, _input, { toCreate, namesakes: { instead, all: before }, body }) {
    if (instead) return instead;
    const { api, terminal } = session;
    const { name } = toCreate;
    const { data } = await createOrLookUp(session, { ...toCreate, set: body, before }, () =>
      api.call('createBot', { body }),
    );
    terminal.done(`Created bot ${data.name ?? name}. It is not published yet. Publish it in the platform.`);
    return data;
  },
});

/** Returns a problem for each of team and name that is missing. */
function missingOf({ team_id, name }: Row): readonly string[] {
  return [
    ...(team_id === undefined ? ['The bot has no team. Give --team, or team_id in the file.'] : []),
    ...(name === undefined ? ['The bot has no name. Give --name, or name in the file.'] : []),
  ];
}

/** Returns the team and the name. Asks for them if they are missing. */
async function askForMissing(
  session: Session,
  { team_id, name }: BotFields,
): Promise<{ readonly team_id: string; readonly name: string }> {
  if (team_id !== undefined && name !== undefined) return { team_id, name };
  const { prompts } = session;
  const { askForName } = await import('../../cli/questions.ts');
  const validate = (answer: string) => answer.trim() !== '' || 'This must not be empty.';
  return {
    team_id: team_id ?? (await askForName(session, 'team', { option: '--team' })),
    name: name ?? (await prompts.text({ message: 'Name of the bot:', option: '--name', validate })),
  };
}
