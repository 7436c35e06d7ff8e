import { isDeepStrictEqual } from 'node:util';
import { resolveDocument } from '../../client/names.ts';
import { defineCommand } from '../../command.ts';
import { usageFailure } from '../../errors.ts';
import { argument, nameOf, option, someText } from '../../options.ts';
import { botFields } from './fields.ts';
import { writableOptions } from './options.ts';
import { type BotDetail, labelOf, readBot } from './read.ts';
import { type WrittenBot, writtenBot } from './written.ts';

export const update = defineCommand({
  name: 'update',
  summary: 'Change a bot',
  description:
    'Sends only the fields that differ from what the service shows; nothing at all where none does. Questions, ' +
    'actions and documents are replaced as a whole. A changed bot is not published any more, and the API ' +
    'cannot publish it again.',
  arguments: { bot: argument('the bot, by name or id', nameOf('bot')) },
  options: {
    team: option('--team <team>', 'team to look for the name in, by name or id', nameOf('team')),
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
  output: { kind: 'record', fields: botFields },
  async prepare({ api, io }, { team, ...input }) {
    const written = await writtenBot(io, input);
    if (written.team_id !== undefined) {
      throw usageFailure(['A bot cannot move to another team.'], 'Leave team_id out of the file.');
    }
    const present = await readBot(api, input.bot, { for: 'write', team });
    if (written.document_ids) {
      const teamId = typeof present.team_id === 'string' ? present.team_id : undefined;
      const resolve = (document: string) => resolveDocument(api, document, { for: 'write', teamId });
      return {
        present,
        changes: changesOf(present, {
          ...written,
          document_ids: await Promise.all(written.document_ids.map(resolve)),
        }),
      };
    }
    return { present, changes: changesOf(present, written) };
  },
  async confirm(_context, _input, { present, changes }) {
    if (present.published !== true || Object.keys(changes).length === 0) return undefined;
    const question = `${labelOf(present)} is published. Changing it unpublishes it, and the API cannot publish it again. Change it?`;
    return { level: 'yes', question };
  },
  async run({ api, terminal }, _input, { present, changes }) {
    const names = Object.keys(changes);
    if (names.length === 0) {
      terminal.note(`Nothing to change: ${labelOf(present)} is like that already.`);
      return present;
    }
    const { data } = await api.call('updateBot', { path: { id: present.id }, body: changes });
    terminal.done(`Changed ${names.join(', ')} of bot ${labelOf(data)}. It is not published.`);
    return data;
  },
});

/**
 * The fields that differ from what the service shows. One that it doesn't show is always among them:
 * nobody can tell whether it differs.
 */
function changesOf(present: BotDetail, written: WrittenBot): WrittenBot {
  const shown: Readonly<Record<string, unknown>> = {
    ...present,
    document_ids: Array.isArray(present.documents) ? present.documents.map(documentId) : undefined,
    actions: Array.isArray(present.actions) ? present.actions.map(withoutId) : undefined,
  };
  const differs = ([name, value]: readonly [string, unknown]): boolean =>
    // Missing and null read alike.
    !isDeepStrictEqual(
      shown[name] ?? undefined,
      (name === 'actions' && Array.isArray(value) ? value.map(withoutId) : value) ?? undefined,
    );
  return Object.fromEntries(Object.entries(written).filter(differs));
}

function documentId(link: unknown): unknown {
  return typeof link === 'object' && link !== null && 'document_id' in link ? link.document_id : undefined;
}

/** The service makes the ids of actions; a person who writes actions down need not know them. */
function withoutId(action: unknown): unknown {
  if (typeof action !== 'object' || action === null) return action;
  return Object.fromEntries(Object.entries(action).filter(([name]) => name !== 'id'));
}
