import { createOrLookUp } from '../../client/lookup.ts';
import { resolveTeam } from '../../client/names.ts';
import { defineCommand, type Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { nameOf, option, someText } from '../../input/options.ts';
import { checkedBot } from './changes.ts';
import { fieldLines } from './editable.ts';
import { botFields } from './fields.ts';
import { documentIds, findDocuments } from './find-documents.ts';
import { writableOptions } from './options.ts';
import { type WrittenBot, writtenBot } from './written.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'Create a bot',
  description:
    'Fields come from --file, from the options, or from both; an option wins. A file is YAML or JSON with ' +
    `the API's own names:\n\n${fieldLines}`,
  options: {
    team: {
      ...option(
        '--team <team>',
        'team that owns the bot, by name or id; may stand in the file',
        nameOf('team'),
      ),
      requiredWithout: 'file',
    },
    name: {
      ...option('--name <name>', 'name of the bot; may stand in the file', someText),
      requiredWithout: 'file',
    },
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
  async prepare(session, input) {
    const written = await writtenBot(session.io, input);
    const missing = session.prompts.available ? [] : missingOf(written.values);
    const { api, signal } = session;
    const teams = new Map<string, Promise<string>>();
    const teamId = (team: string): Promise<string> => {
      const found = teams.get(team) ?? resolveTeam(api, team, { for: 'write', signal });
      teams.set(team, found);
      return found;
    };
    const { team_id: team } = written.values;
    const lookup =
      typeof team === 'string'
        ? { api, where: async () => ({ teamId: await teamId(team), signal }) }
        : undefined;
    const bot = await checkedBot(written.values, written, missing, lookup);
    const names = await missingNames(session, bot);
    const owner = { teamId: await teamId(names.team_id), signal };
    // Names that were looked up before are ids by now.
    const document_ids = bot.document_ids && documentIds(await findDocuments(api, bot.document_ids, owner));
    return { ...bot, ...names, team_id: owner.teamId, ...(document_ids && { document_ids }) };
  },
  async run({ api, clock, signal, terminal }, _input, written) {
    const { team_id: teamId } = written;
    const body = written;
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

/** What to say of a team and a name that were not given. */
function missingOf({ team_id, name }: Row): readonly string[] {
  return [
    ...(team_id === undefined ? ['The bot has no team. Give --team, or team_id in the file.'] : []),
    ...(name === undefined ? ['The bot has no name. Give --name, or name in the file.'] : []),
  ];
}

/** The team and the name, asked for where they were not given. */
async function missingNames(
  session: Session,
  { team_id, name }: WrittenBot,
): Promise<{ readonly team_id: string; readonly name: string }> {
  if (team_id !== undefined && name !== undefined) return { team_id, name };
  const { prompts } = session;
  const { askForName } = await import('../../input/questions.ts');
  return {
    team_id: team_id ?? (await askForName(session, 'team', { option: '--team' })),
    name: name ?? (await prompts.text({ message: 'Name of the bot:', option: '--name', validate: isText })),
  };
}

function isText(answer: string): string | true {
  return answer.trim() !== '' || 'This must not be empty.';
}
