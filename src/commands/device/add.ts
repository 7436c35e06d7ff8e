import { defineCommand } from '../../cli/command.ts';
import { argument, flag, nameOf, option } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { nonEmptyText, type Parse, ValueError } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { deviceOf } from '../../resources/devices/device.ts';
import { addToBook, warnOfNamesakes } from '../../resources/devices/note-device.ts';
import { findOwners, type Owners } from '../../resources/devices/owners.ts';
import { bookedFields, bookedRow } from './fields.ts';

const deviceId: Parse<string> = (raw) => {
  if (!isId(raw.trim())) throw new ValueError(`must be the id of a device (a UUID), not "${raw}"`);
  return raw.trim().toLowerCase();
};

export const add = defineCommand({
  name: 'add',
  summary: 'Add a device to the device book',
  description:
    'Adds a device that was created elsewhere, so that you can use its name instead of its id. botctl checks that the ' +
    'service has the device, but the API does not report its name, team and bot. If the device is already in the book, its ' +
    'name, team or bot is updated. The service itself is not changed.',
  arguments: { deviceId: argument('id of the device', deviceId) },
  options: {
    name: option('--name <name>', 'name in the device book', nonEmptyText),
    team: option('--team <team>', 'team that it belongs to, by name or id', nameOf('team')),
    bot: option('--bot <bot>', 'bot that answers on it, by name or id', nameOf('bot')),
    offline: flag('--offline', 'do not ask the service; --team and --bot must be ids'),
  },
  examples: [
    {
      line: 'botctl device add 5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52 --name Lobby --offline',
      does: 'Add a device without asking the service',
    },
    {
      line: 'botctl device add "$ID" --name Counter --team "Aurora Coffee" --bot "Front desk"',
      does: 'Add one with its team and bot, if the service has it',
    },
  ],
  needs: 'api',
  effect: 'creates',
  output: { kind: 'record', fields: bookedFields },
  async run(session, { deviceId: id, name, team, bot, offline }) {
    const { api, devices, terminal } = session;
    const owners = offline ? givenOwners(team, bot) : await findOwners(session, { team, bot });
    if (!offline) await api.call('getDeviceStatus', { path: { id } });
    const failure = await addToBook(session, { id, name, ...owners }, 'itsName');
    if (failure) throw failure;
    const book = await devices.list();
    const noted = book.find((device) => device.id === id);
    if (noted) {
      const known = noted.name === undefined ? `device ${id}` : `${noted.name} (${id})`;
      terminal.done(`The device book has ${known}.`);
      if (noted.name !== undefined)
        terminal.note(remark`See its state: ${command('device', 'status', deviceOf(noted, book).word)}`);
    }
    if (name !== undefined) await warnOfNamesakes(session, { id, name });
    if (noted && noted.name === undefined)
      terminal.note(
        remark`To use a name instead of its id: ${command('device', 'add', id, '--name', placeholder('<name>'))}`,
      );
    return bookedRow(noted ?? { id, name, ...owners });
  },
});

/** @throws Failure `usage` if names would have to be resolved */
function givenOwners(team: string | undefined, bot: string | undefined): Owners {
  const named = [team !== undefined && !isId(team) && '--team', bot !== undefined && !isId(bot) && '--bot'];
  const problems = named.filter((option) => option !== false);
  if (problems.length > 0) {
    throw new Failure('usage', `With --offline, ${problems.join(' and ')} must be given by id.`, {
      hint: 'Give the id, or leave out --offline.',
    });
  }
  return { teamId: team?.toLowerCase(), botId: bot?.toLowerCase() };
}
