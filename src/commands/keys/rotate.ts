import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { expiry, expiryTime } from '../../cli/new-key/expiry.ts';
import { flag, option, path } from '../../cli/options.ts';
import type { Api } from '../../client/api.ts';
import { Failure, usageFailure } from '../../lib/errors.ts';
import { nonEmptyText } from '../../lib/parse.ts';
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
  summary: 'Replace the API key in use',
  description:
    'Creates a new key, tests it, saves its secret in each profile that holds the old key (or in --secret-file), and ' +
    'deletes the old key. If it is interrupted, run it again to finish. A key from the environment needs ' +
    '--secret-file or --then.\n\n' +
    '--then runs a command before the old key is deleted, such as one that saves the secret in a vault. Its stdin is ' +
    'the new secret without a line break, and BOTCTL_NEW_KEY_ID is the new key id. The old key is kept if ' +
    'the command fails. It is also kept if the command does not read its stdin and the secret is saved nowhere else.',
  options: {
    name: option(
      '--name <name>',
      'name of the new key, to which a random suffix is added (default: name of the old key)',
      nonEmptyText,
    ),
    expires: option(
      '--expires <when>',
      'expiry: a date (00:00 UTC), a time or a duration such as 90d (default: lifetime of the old key)',
      expiry,
    ),
    secretFile: option('--secret-file <file>', 'file for the new secret, created with mode 0600', path),
    keepOld: flag('--keep-old', 'keep the old key until --finish'),
    finish: flag('--finish', 'delete the old key that was kept by --keep-old, or because --then failed'),
    // biome-ignore lint/suspicious/noThenProperty: the name of an option; its values are never awaited
    then: option('--then <command>', 'shell command that reads the new secret from stdin', nonEmptyText),
  },
  examples: [
    { line: 'botctl keys rotate --expires 90d', does: 'Rotate the key of the current profile' },
    {
      line: 'botctl keys rotate --secret-file key.secret --yes -o json',
      does: 'Rotate the key from the environment, in a script',
    },
    {
      line: "botctl keys rotate --yes --then 'gh secret set BOT_KEY'",
      does: 'Save the new secret elsewhere before the old key is deleted',
    },
  ],
  needs: 'api',
  effect: 'changes',
  checkInput({ keepOld, finish }) {
    if (keepOld && finish) throw usageFailure(["--keep-old and --finish can't be used together."]);
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
    // Otherwise this run deletes the old key, or it stays until another run.
    const retiresOld = finish || (handTo !== undefined && !keepOld) || !rotation.keeps_old;
    const file =
      secretFile === undefined || rotation.state === 'stored'
        ? undefined
        : new NewSecretFile(secretFile, rotation.nonce);
    return { journal, interrupted, rotation, file, retiresOld };
  },
  async confirm(session, { then: handTo }, { interrupted, rotation, file, retiresOld }) {
    const sentences = [
      interrupted && `The rotation started at ${interrupted.started_at} is unfinished.`,
      interrupted?.state === 'planned' && 'If it created a key that was never used, that key is deleted.',
      replacement(rotation),
      destinationText(session, rotation),
      handTo !== undefined && 'It is passed to the --then command. If that fails, the old key is kept.',
      retiresOld
        ? `${rotation.old_key_id} is deleted permanently, and everything else that uses it loses access.`
        : `${rotation.old_key_id} is kept for now.`,
      file?.exists && `${file.path} is overwritten.`,
    ];
    return { level: 'yes', statement: sentences.filter(Boolean).join(' ') };
  },
  async run(session, input, { journal, interrupted, rotation, file, retiresOld }) {
    const { name, expires } = input;
    const { terminal, settings, identity } = session;
    if (rotation.state !== 'planned' && (name !== undefined || expires !== undefined))
      terminal.note('--name and --expires are ignored: the new key already exists.');
    const key = { origin: rotation.origin, keyId: rotation.old_key_id };
    const { rotation: done, oldLastUsed } = await journal.exclusively(key, async (record) => {
      checkNothingHappened(session, journal, interrupted);
      const { work, close } = openWork(session, input, { record, file, retiresOld });
      try {
        // A killed run may have left the file.
        file?.discard();
        file?.open();
        return await rotateKey(rotation, work, interrupted !== undefined);
      } finally {
        file?.discard();
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
  return new Failure('usage', "The key is from the environment, so botctl can't save the new secret.", {
    hint: 'Add --secret-file FILE or --then COMMAND. Nothing was created.',
  });
}

function nothingToFinish(keyId: string): Failure {
  return new Failure(
    'invalidInput',
    `Nothing to finish: no rotation on this machine kept an old key of ${keyId}.`,
    {
      hint: remark`List the keys: ${command('keys', 'list')}. To delete one: ${command('keys', 'delete', placeholder('<key>'))}`,
    },
  );
}

/**
 * The old key must not be deleted while only the journal has the secret of the new key.
 * @throws Failure `invalidInput`
 */
function checkSecretKept(session: Session, interrupted: Rotation | undefined): void {
  if (interrupted?.state !== 'stored' || isSecretKept(interrupted, session)) return;
  const { old_key_id: oldId, key_id: newId } = interrupted;
  const hint = remark`Write it to a file (${finishLine(session.identity, true)}), or pass it to a command: ${rotateLine(session.identity, { handsOver: true })}`;
  const message = `The secret of the new key ${newId} is not saved yet, so ${oldId} is kept.`;
  throw new Failure('invalidInput', message, { hint });
}

/**
 * A key that was kept on purpose is deleted only on request.
 * @throws Failure `invalidInput`
 */
function checkNotKept({ identity }: Session, interrupted: Rotation | undefined): void {
  if (interrupted?.state !== 'stored' || !interrupted.keeps_old) return;
  const { old_key_id: oldId, key_id: newId } = interrupted;
  throw new Failure('invalidInput', `Key ${oldId} was already replaced by ${newId}, and kept.`, {
    hint: remark`When nothing uses it any more, delete it: ${finishLine(identity)}`,
  });
}

/** Returns the sentence that names the new key and the one that it replaces. */
function replacement(rotation: Rotation): string {
  const { expires_at: expiresAt, old_key_id: oldId, old_name: oldName } = rotation;
  const newName = successorName(rotation);
  const end = expiresAt === undefined ? 'never expires' : `expires at ${expiresAt}`;
  const old = `key ${oldName === undefined ? oldId : `${oldName} (${oldId})`}`;
  return rotation.state === 'planned'
    ? `This replaces ${old} by a new key, "${newName}" (${end}).`
    : `This replaces ${old} by "${newName}" (${rotation.key_id}).`;
}

function destinationText({ settings, identity }: Session, rotation: Rotation): string {
  if (rotation.state === 'stored') return 'The new secret is already saved.';
  const profiles = profilesWith(settings, identity.baseUrl, rotation.old_key_id);
  const places = placesOf(profiles, rotation.secret_file);
  return places === '' ? '' : `The new secret is saved in ${places}.`;
}

function placesOf(profiles: readonly string[], secretFile: string | null | undefined): string {
  return [...profiles.map((name) => `profile ${name}`), ...(secretFile ? [secretFile] : [])].join(' and ');
}

/**
 * While the question was open, another process may have rotated the key or continued its rotation.
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
  throw new Failure('invalidInput', `Another botctl process rotated key ${keyId} in the meantime.`, {
    hint: remark`Nothing was done here. Check the key in use with ${command('whoami')}. To rotate it, run: ${rotateLine(identity)}`,
  });
}

/** Returns the dependencies of the steps, and a function that closes them. */
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

/**
 * Returns a function that gives the new secret to the command of --then, and reports its output with secrets masked.
 */
function handOverTo({ io, terminal, identity, redactStream }: Session, to: string): Work['handOver'] {
  return async (keyId, secret, isKept) => {
    const { giveSecretTo } = await import('./hand-over.ts');
    const { printed, wasRead, problem } = await giveSecretTo(to, { keyId, secret }, io, redactStream);
    if (printed.trim() !== '') terminal.note(printed.trimEnd());
    const why =
      problem ?? (isKept || wasRead ? undefined : 'did not read the new secret, which is saved nowhere else');
    if (why === undefined) return;
    const rest = isKept
      ? 'To delete the old key without the command:'
      : 'To write the secret to a file instead:';
    throw new Failure('partlyDone', `The --then command ${why}.`, {
      hint: remark`${rest} ${finishLine(identity, !isKept)}`,
    });
  };
}

/** The members of the result that a terminal also shows. */
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
  const end = row.expires_at === null ? '' : `, expires ${row.expires_at}`;
  const fate = row.replaced_deleted ? 'Deleted the old key.' : 'The old key is kept.';
  terminal.done(`Replaced key ${oldId} with ${newId} (${row.name}${end}). ${fate}`);
  if (!row.replaced_deleted)
    terminal.note(remark`When nothing uses it any more, delete it: ${finishLine(identity)}`);
  if (typeof lastUsed === 'string' && lastUsed !== '')
    terminal.note(
      `${oldId} was last used at ${lastUsed}. That may have been this rotation; if not, another program still uses it.`,
    );
  const places = placesOf(row.profiles, file);
  if (places !== '')
    terminal.note(`The new secret is in ${places}${isKeptElsewhere ? '' : ', and nowhere else'}.`);
  if (identity.source === 'environment' && identity.keyId === oldId)
    terminal.warn(
      `The environment still has the old key. Set BOTCTL_KEY_ID=${newId} and ${file === null ? 'its secret' : `the secret in ${file}`}.`,
    );
}
