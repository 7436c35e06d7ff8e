import { defineCommand } from '../../cli/command.ts';
import { flag, nameOf, option, path, requiredOption } from '../../cli/options.ts';
import type { Reply } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { someText } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { deviceOf } from '../../resources/devices/device.ts';
import { noteDevice, warnOfNamesakes } from '../../resources/devices/note-device.ts';
import { findOwners } from '../../resources/devices/owners.ts';
import { mask, Secret } from '../../secrets/secret.ts';
import { NewSecretFile } from '../../settings/new-secret-file.ts';
import { deviceFields } from './fields.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'Create a device for a bot',
  description:
    'The device is created stopped; connect it to pair it with a phone. Its token is told only now, and is ' +
    'masked unless you say where it goes. The API can neither list nor delete devices, so botctl notes its id.',
  options: {
    team: requiredOption('--team <team>', 'team that the device belongs to, by name or id', nameOf('team')),
    bot: requiredOption('--bot <bot>', 'bot that answers on it, by name or id', nameOf('bot')),
    name: requiredOption('--name <name>', 'name of the device', someText),
    secretFile: option('--secret-file <file>', 'write the device token to this file, mode 0600', path),
    showToken: flag('--show-token', 'print the device token with the result'),
  },
  examples: [
    {
      line: 'botctl device create --team "Aurora Coffee" --bot "Front desk" --name Reception',
      does: 'Create a device',
    },
    {
      line: 'botctl device create --team Acme --bot Sales --name Counter --secret-file counter.token -o id',
      does: 'Create one in a script, and keep its token',
    },
  ],
  needs: 'session',
  effect: 'creates',
  output: { kind: 'record', fields: deviceFields },
  async prepare(session, { team, bot, secretFile }) {
    const owners = await findOwners(session, { team, bot });
    return { owners, file: secretFile === undefined ? undefined : new NewSecretFile(secretFile) };
  },
  async confirm(_session, _input, { file }) {
    return file?.exists
      ? { level: 'yes', question: `${file.path} exists. Replace it with the new token?` }
      : undefined;
  },
  async run(session, { name, showToken }, { owners, file }) {
    const { api, settings, terminal } = session;
    file?.open();
    try {
      const { data } = await api.call('createDevice', {
        body: { team_id: owners.teamId, bot_id: owners.botId, name },
      });
      await noteDevice(session, { id: data.id, name, ...owners });
      const token = tokenOf(data);
      if (token && file) keep(token, file, data.id);
      terminal.done(`Created device ${name} (${data.id}).`);
      terminal.note(tokenNote(token, file, showToken));
      warnOfNamesakes(session, { id: data.id, name });
      const { word } = deviceOf({ id: data.id, name }, settings.devices.list(api.baseUrl));
      terminal.note(remark`Pair it next: ${command('device', 'connect', word)}`);
      return { ...data, ...(token && { token: showToken ? session.reveal(token) : mask }) };
    } finally {
      file?.abandon();
    }
  },
});

function tokenOf({ token }: Reply<'createDevice'>['data']): Secret | undefined {
  return typeof token === 'string' && token !== '' ? new Secret(token) : undefined;
}

/** @throws Failure `partlyDone`: the device is there, and stays */
function keep(token: Secret, file: NewSecretFile, id: string): void {
  try {
    file.keep(token);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure(
      'partlyDone',
      `Device ${id} was created, but its token could not be written and is lost: ${why}.`,
      {
        hint: remark`The device works without it: ${command('device', 'connect', id)}`,
        cause,
      },
    );
  }
}

function tokenNote(token: Secret | undefined, file: NewSecretFile | undefined, isShown: boolean): string {
  if (!token) return 'The service gave no device token.';
  if (file) return `Its token is in ${file.path}. It can't be read again.`;
  if (isShown) return "Keep its token now: it can't be read again.";
  return "Its token is not shown, and can't be read again; --show-token or --secret-file would have kept it.";
}
