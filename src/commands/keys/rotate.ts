import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { expiry, expiryTime } from '../../cli/new-key/expiry.ts';
import { flag, option, path } from '../../cli/options.ts';
import type { Api } from '../../client/api.ts';
import { Failure, usageFailure } from '../../lib/errors.ts';
import { someText } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { profilesWith } from '../../resources/keys/find-key.ts';
import { planRotation, resumedRotation } from '../../resources/keys/plan-rotation.ts';
import { isSecretKept, rotateKey, successorName, type Work } from '../../resources/keys/rotate-key.ts';
import { finishLine, rotateLine } from '../../resources/keys/rotate-line.ts';
import type { Secret } from '../../secrets/secret.ts';
import { originOf } from '../../settings/base-url.ts';
import { NewSecretFile } from '../../settings/new-secret-file.ts';
import {
  createRotationJournal,
  type Rotation,
  type RotationJournal,
} from '../../settings/rotation-journal.ts';
import { rotatedKeyFields } from './fields.ts';

export const rotate = defineCommand({
  name: 'rotate',
  summary: 'Put a new API key in the place of the one in use',
  description:
    'Creates the new key, tries it, stores its secret in every profile here that holds the old one (or in ' +
    '--secret-file), and deletes the old key. If it is stopped at any point, run it again: it finishes what ' +
    'was begun. A key from the environment needs --secret-file or --then. Without --expires the new key lasts ' +
    'as long as the old one did.\n\n' +
    'Where others use the old key too, --keep-old leaves it until --finish. --then runs a command, such as one ' +
    'that puts the secret into a vault, before the old key goes: the new secret is all that its stdin holds, ' +
    'without a line break, and BOTCTL_NEW_KEY_ID is its key id. If it fails, the old key stays; so it does if it leaves ' +
    'the secret unread and neither a profile nor --secret-file keeps it.',
  options: {
    name: option(
      '--name <name>',
      'name of the new key, before "(rotated …)"; that of the old one if not given',
      someText,
    ),
    expires: option(
      '--expires <when>',
      'when it ends: a date (from its first moment, UTC), a time, or a duration such as 90d',
      expiry,
    ),
    secretFile: option('--secret-file <file>', 'write the new secret to this file, mode 0600', path),
    keepOld: flag('--keep-old', 'leave the old key for now; --finish deletes it later'),
    finish: flag('--finish', 'delete the old key that --keep-old or a failing --then has left'),
    // biome-ignore lint/suspicious/noThenProperty: the name of an option, whose values nobody takes for promises
    then: option(
      '--then <command>',
      'a shell command that reads the new secret from stdin, before the old key goes',
      someText,
    ),
  },
  examples: [
    { line: 'botctl keys rotate --expires 90d', does: 'Rotate the key of the current profile' },
    {
      line: 'botctl keys rotate --secret-file key.secret --yes -o json',
      does: 'Rotate the key from the environment, in a script',
    },
    {
      line: "botctl keys rotate --yes --then 'gh secret set BOT_KEY'",
      does: 'Store the new secret elsewhere before the old key is deleted',
    },
  ],
  needs: 'api',
  effect: 'changes',
  checkInput({ keepOld, finish }) {
    if (keepOld && finish) throw usageFailure(['Give only one of --keep-old and --finish.']);
  },
  output: { kind: 'record', fields: rotatedKeyFields },
  async prepare(session, input) {
    const { identity, settings } = session;
    const { name, expires, keepOld, finish, then: handTo } = input;
    const journal = createRotationJournal(settings.paths.config);
    const interrupted = journal.find({ origin: originOf(identity.baseUrl), keyId: identity.keyId });
    const secretFile = input.secretFile === undefined ? interrupted?.secret_file : resolve(input.secretFile);
    if (finish && (!interrupted || interrupted.state === 'planned')) throw nothingToFinish(identity.keyId);
    if (secretFile === undefined && handTo === undefined) checkSecretKept(session, interrupted);
    if (!keepOld && !finish && handTo === undefined) checkNotKept(session, interrupted);
    const hasPlace = identity.profile !== undefined || secretFile !== undefined || handTo !== undefined;
    if (!hasPlace && interrupted?.state !== 'stored') throw noPlace();
    const keepsOld = keepOld || handTo !== undefined;
    const rotation =
      interrupted && interrupted.state !== 'planned'
        ? resumedRotation(interrupted, { secretFile, keepsOld })
        : await planRotation(
            session,
            { name, expiresAt: expires && ((now) => expiryTime(expires, now)), secretFile, keepsOld },
            interrupted,
          );
    // Otherwise the old key goes in this run, or stays until another one.
    const retiresOld = finish || (handTo !== undefined && !keepOld) || !rotation.keeps_old;
    const file =
      secretFile === undefined || rotation.state === 'stored'
        ? undefined
        : new NewSecretFile(secretFile, rotation.nonce);
    return { journal, interrupted, rotation, file, retiresOld };
  },
  async confirm(session, { then: handTo }, { interrupted, rotation, file, retiresOld }) {
    const sentences = [
      interrupted && `The rotation that began at ${interrupted.started_at} has not ended.`,
      interrupted?.state === 'planned' && 'A key that it may have created, and nobody ever used, is deleted.',
      replacement(rotation),
      whereTo(session, rotation),
      handTo !== undefined && 'It is given to the command of --then, and the old key stays if that fails.',
      retiresOld
        ? `${rotation.old_key_id} is deleted for good, and whatever else uses it loses its access.`
        : `${rotation.old_key_id} stays for now.`,
      file?.exists && `${file.path} is replaced.`,
    ];
    return { level: 'yes', statement: sentences.filter(Boolean).join(' ') };
  },
  async run(session, input, { journal, interrupted, rotation, file, retiresOld }) {
    const { name, expires } = input;
    const { terminal, settings, identity } = session;
    if (rotation.state !== 'planned' && (name !== undefined || expires !== undefined))
      terminal.note('--name and --expires have no effect on a new key that exists already.');
    const key = { origin: rotation.origin, keyId: rotation.old_key_id };
    const { rotation: done, oldLastUsed } = await journal.exclusively(key, async (record) => {
      checkNothingHappened(session, journal, interrupted);
      const { work, close } = openWork(session, input, { record, file, retiresOld });
      try {
        // A run that was killed may have left it.
        file?.abandon();
        file?.open();
        return await rotateKey(rotation, work, interrupted !== undefined);
      } finally {
        file?.abandon();
        await close();
      }
    });
    const row = {
      key_id: done.key_id,
      name: successorName(done),
      expires_at: done.expires_at ?? null,
      replaced_key_id: done.old_key_id,
      replaced_last_used: oldLastUsed ?? null,
      replaced_deleted: retiresOld,
      profiles: profilesWith(settings, identity.baseUrl, done.key_id),
      secret_file: done.secret_file ?? null,
    };
    report(session, row, input.then !== undefined || row.secret_file !== null);
    return row;
  },
});

function noPlace(): Failure {
  return new Failure('usage', 'The key is from the environment, so nothing here can keep the new secret.', {
    hint: 'Add --secret-file FILE, or --then COMMAND. Nothing was created.',
  });
}

function nothingToFinish(keyId: string): Failure {
  return new Failure('invalidInput', `No rotation on this machine has kept a key beside ${keyId}.`, {
    hint: remark`See what there is: ${command('keys', 'list')}. To delete one: ${command('keys', 'delete', placeholder('<key>'))}`,
  });
}

/**
 * The old key must not go while only the journal holds the secret of the new one.
 * @throws Failure `invalidInput`
 */
function checkSecretKept(session: Session, interrupted: Rotation | undefined): void {
  if (interrupted?.state !== 'stored' || isSecretKept(interrupted, session)) return;
  const { old_key_id: oldId, key_id: newId } = interrupted;
  const hint = remark`Put it into a file (${finishLine(session.identity, true)}), or give it to a command: ${rotateLine(session.identity, { handsOver: true })}`;
  const message = `Nothing keeps the secret of the new key ${newId} yet, so ${oldId} stays.`;
  throw new Failure('invalidInput', message, { hint });
}

/**
 * A key that was kept on purpose is deleted only where that is asked for.
 * @throws Failure `invalidInput`
 */
function checkNotKept({ identity }: Session, interrupted: Rotation | undefined): void {
  if (interrupted?.state !== 'stored' || !interrupted.keeps_old) return;
  const { old_key_id: oldId, key_id: newId } = interrupted;
  throw new Failure('invalidInput', `Key ${oldId} was kept beside ${newId}, which is in its place.`, {
    hint: remark`Once nothing uses it any more, delete it: ${finishLine(identity)}`,
  });
}

/** Returns the sentence that says which key takes the place of which. */
function replacement(rotation: Rotation): string {
  const { expires_at: expiresAt, old_key_id: oldId, old_name: oldName } = rotation;
  const newName = successorName(rotation);
  const end = expiresAt === undefined ? 'which never expires' : `which expires at ${expiresAt}`;
  const what =
    rotation.state === 'planned'
      ? `A new key, "${newName}", ${end}, takes the place of`
      : `Finishing it puts "${newName}" (${rotation.key_id}) in the place of`;
  return `${what} key ${oldName === undefined ? oldId : `${oldName} (${oldId})`}.`;
}

function whereTo({ settings, identity }: Session, rotation: Rotation): string {
  if (rotation.state === 'stored') return 'The new secret is stored already.';
  const profiles = profilesWith(settings, identity.baseUrl, rotation.old_key_id);
  const places = placesOf(profiles, rotation.secret_file);
  return places === '' ? '' : `The new secret goes to ${places}.`;
}

function placesOf(profiles: readonly string[], secretFile: string | null | undefined): string {
  return [...profiles.map((name) => `profile ${name}`), ...(secretFile ? [secretFile] : [])].join(' and ');
}

/**
 * While the question stood, another process may have rotated the key, or gone on with its rotation.
 * @throws Failure `invalidInput`
 */
function checkNothingHappened(
  { identity, settings }: Session,
  journal: RotationJournal,
  interrupted: Rotation | undefined,
): void {
  const { baseUrl, keyId, profile } = identity;
  const now = journal.find({ origin: originOf(baseUrl), keyId });
  const holder = profile === undefined ? keyId : settings.profiles.get(profile)?.keyId;
  if (JSON.stringify(now) === JSON.stringify(interrupted) && holder === keyId) return;
  throw new Failure('invalidInput', `Another botctl has changed something about key ${keyId} meanwhile.`, {
    hint: remark`Nothing was done here. See ${command('whoami')}, and run it again if need be: ${rotateLine(identity)}`,
  });
}

/** Returns what the steps work with, and what closes it. */
function openWork(
  session: Session,
  { then: handTo, keepOld }: { readonly then: string | undefined; readonly keepOld: boolean },
  parts: Pick<Work, 'record' | 'file' | 'retiresOld'>,
): { readonly work: Work; close(): Promise<void> } {
  const { identity, api } = session;
  let opened: Promise<Api> | undefined;
  const openSuccessor = (keyId: string, keySecret: Secret): Promise<Api> => {
    if (keyId === identity.keyId) return Promise.resolve(api);
    opened ??= session.openApi({ ...identity, keyId, keySecret });
    return opened;
  };
  const again = rotateLine(identity, {
    secretFile: parts.file?.path,
    keepOld,
    handsOver: handTo !== undefined,
  });
  const handOver = handTo === undefined ? undefined : handOverTo(session, handTo);
  return {
    work: { context: session, ...parts, again, handOver, openSuccessor },
    close: async () => (await opened)?.close(),
  };
}

/** Returns what gives the new secret to the command of --then, and tells what it printed, secrets masked. */
function handOverTo({ io, terminal, identity, redactStream }: Session, to: string): Work['handOver'] {
  return async (keyId, secret, isKept) => {
    const { giveSecretTo } = await import('./hand-over.ts');
    const { printed, wasRead, problem } = await giveSecretTo(to, { keyId, secret }, io, redactStream);
    if (printed.trim() !== '') terminal.note(printed.trimEnd());
    const why =
      problem ?? (isKept || wasRead ? undefined : 'did not read the new secret, which nothing else keeps');
    if (why === undefined) return;
    const rest = isKept ? 'To delete the old key without the command:' : 'To put it into a file instead:';
    throw new Failure('partlyDone', `The command of --then ${why}.`, {
      hint: remark`${rest} ${finishLine(identity, !isKept)}`,
    });
  };
}

/** The members of the result that a person is told of too. */
interface RotatedKey {
  readonly key_id: string;
  readonly name: string;
  readonly expires_at: string | null;
  readonly replaced_key_id: string;
  readonly replaced_last_used: unknown;
  readonly replaced_deleted: boolean;
  readonly profiles: readonly string[];
  readonly secret_file: string | null;
}

function report({ terminal, identity }: Session, row: RotatedKey, isKeptElsewhere: boolean): void {
  const { key_id: newId, replaced_key_id: oldId, replaced_last_used: lastUsed, secret_file: file } = row;
  const end = row.expires_at === null ? '' : `, which expires ${row.expires_at},`;
  const fate = row.replaced_deleted ? 'is deleted' : 'stays for now';
  terminal.done(`Key ${row.name} (${newId})${end} is in the place of ${oldId}, which ${fate}.`);
  if (!row.replaced_deleted)
    terminal.note(remark`Once nothing uses it any more, delete it: ${finishLine(identity)}`);
  if (typeof lastUsed === 'string' && lastUsed !== '')
    terminal.note(`${oldId} was last used at ${lastUsed}; the rotation itself used it too.`);
  const places = placesOf(row.profiles, file);
  if (places !== '')
    terminal.note(`The new secret is in ${places}${isKeptElsewhere ? '' : ', and nowhere else'}.`);
  if (identity.source === 'environment' && identity.keyId === oldId)
    terminal.warn(
      `The environment still names the old key. Set BOTCTL_KEY_ID=${newId}${file === null ? '' : `, and the secret from ${file}`}.`,
    );
}
