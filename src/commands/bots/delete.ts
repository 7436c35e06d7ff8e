import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import type { BookedDevice } from '../../desk/device-book.ts';
import { Failure } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import { firstFew, inSentence } from '../../lib/text/sentence.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import { editableOf } from '../../resources/bots/editable.ts';
import { readBot, readDocuments } from '../../resources/bots/read-bot.ts';
import { botsArgument, teamOption } from './options.ts';

/** The maximum number of objects that are listed by name; the others are counted. */
const maxNamed = 10;

export const remove = defineCommand({
  name: 'delete',
  summary: 'Delete a bot',
  description:
    'Also deletes its assistant at the AI provider, and its links to documents. The documents stay. A bot that is ' +
    'linked to a device cannot be deleted, and the API cannot unlink it.',
  arguments: { bot: botsArgument },
  options: { team: teamOption },
  examples: [
    { line: 'botctl bots delete "Night desk"', does: 'Delete a bot after typing its name' },
    { line: 'botctl bots delete "Night desk" --confirm "Night desk"', does: 'Delete it in a script' },
    {
      line: 'botctl bots delete "Day desk" "Night desk" --confirm "Day desk" --confirm "Night desk"',
      does: 'Delete two bots in a script',
    },
  ],
  needs: 'api',
  effect: 'destroys',
  output: {
    kind: 'record',
    fields: [{ name: 'id', kind: 'id' }, { name: 'name' }, { name: 'deleted', kind: 'flag' }],
  },
  async prepare(session, { bot: name, team }) {
    const bot = await readBot(session, name, team);
    return { bot, devices: await devicesOf(session, bot) };
  },
  idOf: ({ bot }) => bot.id,
  async confirm(session, _input, { bot, devices }) {
    const consequences = [
      `This deletes bot ${bot.label} (${bot.id}) permanently.`,
      await unlinkedText(session, bot),
      devices.length > 0 && `The service refuses this while the bot is linked to ${namesOf(devices)}.`,
    ];
    return {
      level: 'name',
      statement: consequences.filter(Boolean).join(' '),
      names: [...(bot.name === undefined ? [] : [bot.name]), bot.id],
    };
  },
  async run({ api, terminal }, _input, { bot, devices }) {
    try {
      await api.call('deleteBot', { path: { id: bot.id } });
    } catch (thrown) {
      throw linkedDeviceFailure(thrown, devices);
    }
    terminal.done(`Deleted bot ${bot.label}.`);
    return { id: bot.id, name: bot.raw.name ?? null, deleted: true };
  },
});

async function devicesOf({ devices }: Session, { id }: Bot): Promise<readonly BookedDevice[]> {
  return (await devices.list()).filter(({ botId }) => isSameId(botId, id));
}

function namesOf(devices: readonly BookedDevice[]): string {
  return firstFew(
    devices.map(({ name, id }) => (name === undefined ? id : `${inSentence(name)} (${id})`)),
    maxNamed,
  );
}

/** Returns the sentence about the documents that lose their link. On a terminal it names them. */
async function unlinkedText({ api, prompts }: Session, bot: Bot): Promise<string | undefined> {
  const { document_ids: ids } = editableOf(bot);
  if (!Array.isArray(ids) || ids.length === 0) return undefined;
  const count = `It unlinks ${ids.length} document${ids.length === 1 ? '' : 's'}`;
  if (!prompts.available) return `${count}.`;
  const documents = await readDocuments(api, ids.slice(0, maxNamed));
  const names = documents.map(({ label }) => label);
  return `${count}: ${firstFew([...names, ...ids.slice(maxNamed).map(String)], maxNamed)}.`;
}

/** Returns a refusal because of linked devices with a hint what to do, and any other failure unchanged. */
function linkedDeviceFailure(thrown: unknown, devices: readonly BookedDevice[]): unknown {
  if (!(thrown instanceof Failure) || thrown.kind !== 'rejected') return thrown;
  if (devices.length === 0 && !/device/i.test(thrown.message)) return thrown;
  const known =
    devices.length > 0
      ? `According to the device book, it is linked to ${namesOf(devices)}.`
      : 'The device book has no device of this bot.';
  return thrown.withHint(
    `${known} The API can't unlink or delete a device: give it another bot in the platform, then delete this one.`,
  );
}
