import { defineCommand } from '../../cli/command.ts';
import { askYesNo } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import { flag, nameOf, option, path, positional, requiredOption } from '../../cli/options.ts';
import { allowFailure, Failure, messageOf, usageFailure } from '../../lib/errors.ts';
import { isObject } from '../../lib/json-object.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { createOnce, findCreated, isThere, namesakesOfNew } from '../../resources/devices/create-once.ts';
import { deviceOf } from '../../resources/devices/device.ts';
import { warnOfNamesakes } from '../../resources/devices/note-device.ts';
import { findOwners } from '../../resources/devices/owners.ts';
import { mask, Secret } from '../../secrets/secret.ts';
import { NewSecretFile } from '../../settings/new-secret-file.ts';
import { deviceFields } from './fields.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'Create a device for a bot',
  description:
    'The new device is stopped; connect it to pair it with a phone. The service returns its token only once. botctl ' +
    'masks it: --show-token prints it, and --secret-file saves it. A script needs one of these, or --discard-token. ' +
    'The API can neither list nor delete devices, so botctl stores the id of the new one in the device book. If the ' +
    'team already has a device with that name, or an earlier create ended with an unknown outcome, --allow duplicate ' +
    'creates another one.',
  options: {
    team: option(
      '--team <team>',
      'team that the device belongs to, by name or id (default: that of the bot)',
      nameOf('team'),
    ),
    bot: requiredOption('--bot <bot>', 'bot that answers on it, by name or id', nameOf('bot')),
    name: positional(requiredOption('--name <name>', 'name of the device', nonEmptyText)),
    secretFile: option('--secret-file <file>', 'write the device token to this file, mode 0600', path),
    showToken: flag('--show-token', 'print the device token with the result'),
    discardToken: flag('--discard-token', 'do not store the device token; pairing and sending need none'),
    ifAbsent: flag(
      '--if-absent',
      'return the existing device if the device book has one with exactly that name in that team',
    ),
  },
  examples: [
    {
      line: 'botctl device create --team "Aurora Coffee" --bot "Front desk" --name Reception --discard-token',
      does: 'Create a device',
    },
    {
      line: 'botctl device create --team Acme --bot Sales --name Counter --secret-file counter.token -o id',
      does: 'Create one in a script, and save its token',
    },
    {
      line: 'botctl device create --if-absent --team Acme --bot Sales --name Counter --discard-token -o id',
      does: 'Print the id of the device; create it if missing',
    },
  ],
  needs: 'api',
  effect: 'creates',
  allow: ['duplicate'],
  output: { kind: 'record', fields: deviceFields },
  checkInput({ secretFile, showToken, discardToken }) {
    if (discardToken && (secretFile !== undefined || showToken))
      throw usageFailure(
        ['--discard-token cannot be combined with --secret-file and --show-token.'],
        'Leave out --discard-token, or the others.',
      );
  },
  async prepare(session, { team, bot, name, secretFile, showToken, discardToken, ifAbsent }) {
    const isKept = secretFile !== undefined || showToken || discardToken;
    if (session.io.stdout.isTTY !== true && !isKept) {
      throw new Failure(
        'usage',
        'The token of the new device would be lost: it is shown only once, and stdout is not a terminal.',
        {
          hint:
            'Add --secret-file FILE, --show-token to print it, or --discard-token (pairing and sending need no token). ' +
            'Nothing was created.',
        },
      );
    }
    const { teamId, ...owners } = await findOwners(session, { team, bot });
    if (teamId === undefined)
      throw usageFailure(['--team is missing, and the service shows no team of that bot.'], 'Add --team.');
    const toCreate = { name, ...owners, teamId };
    const instead = ifAbsent ? await findCreated(session, toCreate) : undefined;
    const file = secretFile === undefined || instead ? undefined : new NewSecretFile(secretFile);
    return { toCreate, instead, file };
  },
  async confirm(_session, _input, { file }) {
    return file?.exists
      ? { level: 'yes', statement: `${file.path} exists.`, question: 'Replace it with the new token?' }
      : undefined;
  },
  async undeliveredFailure(_session, input, device, why) {
    // The token of an existing device was shown when it was created.
    const isLost = input.showToken && input.secretFile === undefined && isObject(device) && device.token;
    return isLost ? tokenLost(input, String(device.id), why) : undefined;
  },
  async run(session, input, { toCreate, instead, file }) {
    const { showToken, discardToken } = input;
    const { api, devices, terminal } = session;
    const { name, teamId, botId } = toCreate;
    if (instead) {
      terminal.note(`${isThere(toCreate, instead)} None was created.`);
      return { id: instead.id, name, team_id: teamId, bot_id: instead.botId ?? null };
    }
    const mayRepeat = await isAgreedToRepeat(session, toCreate);
    file?.open();
    try {
      const { data } = await createOnce(session, toCreate, mayRepeat, () =>
        api.call('createDevice', { body: { team_id: teamId, bot_id: botId, name } }),
      );
      const token = typeof data.token === 'string' && data.token !== '' ? new Secret(data.token) : undefined;
      if (token && file) keep(token, file, input, data.id);
      terminal.done(`Created device ${name} (${data.id}).`);
      if (!discardToken) terminal.note(tokenNote(token, file, showToken));
      await warnOfNamesakes(session, { id: data.id, name });
      const book = (await allowFailure(devices.list())) ?? [];
      const { word } = deviceOf({ id: data.id, name }, book);
      terminal.note(remark`Pair it: ${command('device', 'connect', word)}`);
      return { ...data, ...(token && { token: showToken ? session.reveal(token) : mask }) };
    } finally {
      file?.discard();
    }
  },
});

type ToCreate = Parameters<typeof createOnce>[1];

/**
 * Returns whether another device with the name may be created. On a terminal the user is asked; in a script only
 * `--allow` permits it.
 * @throws Failure `declined`, or `notConfirmed` in a script
 */
async function isAgreedToRepeat(session: Session, toCreate: ToCreate): Promise<boolean> {
  const { devices, intents } = await namesakesOfNew(session, toCreate);
  const one = devices[0] ?? intents[0];
  if (!one) return false;
  const statement = `${isThere(toCreate, one)} A second one can't be deleted.`;
  const question = { level: 'yes', statement, question: 'Create it?', allow: 'duplicate' } as const;
  if (await askYesNo(question, session)) return true;
  throw new Failure('declined', 'Nothing was created.');
}

/** @throws Failure `outputFailed` if the token can't be written; the created device is not deleted */
function keep(token: Secret, file: NewSecretFile, wanted: Wanted, id: string): void {
  try {
    file.commit(token);
  } catch (cause) {
    throw tokenLost(wanted, id, messageOf(cause), cause);
  }
}

/** The typed values of a new device. */
type Wanted = Readonly<Record<'bot' | 'name', string>> & { readonly team?: string | undefined };

/**
 * Returns the failure for a lost token. The API shows a token once and can't replace it, so the user needs another
 * device.
 */
function tokenLost({ team, bot, name }: Wanted, id: string, why: string, cause?: unknown): Failure {
  const owners = [...(team === undefined ? [] : ['--team', team]), '--bot', bot];
  const another = ['device', 'create', ...owners, '--name', name, '--allow', 'duplicate'];
  return new Failure(
    'outputFailed',
    `Device ${id} was created, but its token could not be written and is lost: ${why}. It can't be shown again.`,
    {
      hint: remark`Pairing and sending need no token: ${command('device', 'connect', id)}\nIf you need one, create another device: ${command(...another, '--secret-file', placeholder('FILE'))}`,
      details: { ids: [id] },
      cause,
    },
  );
}

function tokenNote(token: Secret | undefined, file: NewSecretFile | undefined, isShown: boolean): string {
  if (!token) return 'The service returned no device token.';
  if (file) return `Its token is in ${file.path}. It can't be read again.`;
  if (isShown) return "Save its token now: it can't be read again.";
  return "Its token is not shown and can't be read again. To get the token of a device, use --show-token or --secret-file.";
}
