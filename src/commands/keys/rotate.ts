import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { flag, option, path } from '../../cli/options.ts';
import type { Api } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { someText } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { profilesWith } from '../../resources/keys/find-key.ts';
import { planRotation, resumedRotation } from '../../resources/keys/plan-rotation.ts';
import {
  beginRotation,
  resumeRotation,
  successorName,
  successorSecret,
  type Work,
  withSuccessor,
} from '../../resources/keys/rotate-key.ts';
import { mask, type Secret } from '../../secrets/secret.ts';
import { originOf } from '../../settings/base-url.ts';
import { NewSecretFile } from '../../settings/new-secret-file.ts';
import {
  createRotationJournal,
  type Rotation,
  type RotationJournal,
  type Successor,
} from '../../settings/rotation-journal.ts';
import { expiry, expiryTime } from './expiry.ts';
import { rotatedKeyFields } from './fields.ts';
import { rotateLine } from './rotate-line.ts';

export const rotate = defineCommand({
  name: 'rotate',
  summary: 'Put a new API key in the place of the one in use',
  description:
    'Creates the new key, tries it, stores its secret in every profile here that holds the old one (or in ' +
    '--secret-file), and deletes the old key. If it is stopped at any point, run it again: it finishes what ' +
    'was begun. A key from the environment needs --secret-file. Without --expires the new key lasts as long ' +
    'as the old one did.',
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
    showSecret: flag('--show-secret', 'print the new secret with the result'),
  },
  examples: [
    { line: 'botctl keys rotate --expires 90d', does: 'Rotate the key of the current profile' },
    {
      line: 'botctl keys rotate --secret-file key.secret --yes -o json',
      does: 'Rotate the key from the environment, in a script',
    },
  ],
  needs: 'session',
  effect: 'changes',
  output: { kind: 'record', fields: rotatedKeyFields },
  async prepare(session, input) {
    const { clock, identity, settings } = session;
    const { name, expires } = input;
    const journal = createRotationJournal(settings.paths.config);
    const interrupted = journal.find({ origin: originOf(identity.baseUrl), keyId: identity.keyId });
    const secretFile = input.secretFile === undefined ? interrupted?.secretFile : resolve(input.secretFile);
    if (identity.profile === undefined && secretFile === undefined && interrupted?.state !== 'stored')
      throw noPlace();
    const rotation =
      interrupted && interrupted.state !== 'planned'
        ? resumedRotation(interrupted, secretFile)
        : await planRotation(
            session,
            { name, expiresAt: expires && expiryTime(expires, clock.now()), secretFile },
            interrupted,
          );
    const file =
      secretFile === undefined || rotation.state === 'stored'
        ? undefined
        : new NewSecretFile(secretFile, rotation.nonce);
    return { journal, interrupted, rotation, file };
  },
  async confirm(session, _input, { interrupted, rotation, file }) {
    const sentences = [
      interrupted && `The rotation that began at ${interrupted.startedAt} was interrupted.`,
      interrupted?.state === 'planned' && 'A key that it may have created, and nobody ever used, is deleted.',
      replacement(rotation),
      whereTo(session, rotation),
      file?.exists && `${file.path} is replaced.`,
      'Go on?',
    ];
    return { level: 'yes', question: sentences.filter(Boolean).join(' ') };
  },
  async run(session, { name, expires, showSecret }, { journal, interrupted, rotation, file }) {
    const { terminal, settings } = session;
    if (rotation.state !== 'planned' && (name !== undefined || expires !== undefined))
      terminal.note('--name and --expires have no effect on a new key that exists already.');
    const { rotation: done, oldLastUsed } = await journal.exclusively(rotation.old, async () => {
      checkNothingHappened(session, journal, interrupted);
      const { work, close } = openWork(session, journal, file);
      try {
        // A run that was killed may have left it.
        file?.abandon();
        file?.open();
        return await (interrupted ? resumeRotation : beginRotation)(rotation, work);
      } finally {
        file?.abandon();
        await close();
      }
    });
    const { old, successor, expiresAt, secretFile } = withSuccessor(done);
    const secret = successorSecret(done, session);
    const profiles = profilesWith(settings, session.identity.baseUrl, successor.keyId);
    const row = {
      key_id: successor.keyId,
      name: successorName(done),
      expires_at: expiresAt ?? null,
      key_secret: showSecret ? session.reveal(secret) : mask,
      replaced_key_id: old.keyId,
      replaced_last_used: oldLastUsed ?? null,
      profiles,
      secret_file: secretFile ?? null,
    };
    report(session, row);
    return row;
  },
});

function noPlace(): Failure {
  return new Failure('usage', 'The key is from the environment, so nothing here can keep the new secret.', {
    hint: 'Add --secret-file FILE. Nothing was created.',
  });
}

/** Returns the sentence that says which key takes the place of which. */
function replacement(rotation: Rotation): string {
  const { old, expiresAt } = rotation;
  const newName = successorName(rotation);
  const end = expiresAt === undefined ? 'which never expires' : `which expires at ${expiresAt}`;
  const what =
    rotation.state === 'planned'
      ? `A new key, "${newName}", ${end}, takes the place of`
      : `Finishing it puts "${newName}" (${withSuccessor(rotation).successor.keyId}) in the place of`;
  return `${what} ${oldLabel(rotation)}; ${old.keyId} is deleted for good, and whatever else uses it loses its access.`;
}

function oldLabel({ old: { keyId, name } }: Rotation): string {
  return name === undefined ? `key ${keyId}` : `key ${name} (${keyId})`;
}

function whereTo({ settings, identity }: Session, { old, secretFile, state }: Rotation): string {
  if (state === 'stored') return 'The new secret is stored already.';
  const profiles = profilesWith(settings, identity.baseUrl, old.keyId);
  const places = placesOf(profiles, secretFile);
  return places === '' ? '' : `The new secret goes to ${places}.`;
}

function placesOf(profiles: readonly string[], secretFile: string | null | undefined): string {
  return [...profiles.map((name) => `profile ${name}`), ...(secretFile ? [secretFile] : [])].join(' and ');
}

/**
 * While the question stood, another process may have rotated the key, or gone on with its rotation.
 * @throws Failure `usage`
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
  throw new Failure('usage', `Another botctl has changed something about key ${keyId} meanwhile.`, {
    hint: remark`Nothing was done here. See ${command('whoami')}, and run it again if need be: ${rotateLine(identity)}`,
  });
}

/** Returns what the steps work with, and what closes it. */
function openWork(
  session: Session,
  journal: RotationJournal,
  file: NewSecretFile | undefined,
): { readonly work: Work; close(): Promise<void> } {
  let opened: Promise<Api> | undefined;
  const open = ({ keyId }: Successor, keySecret: Secret): Promise<Api> => {
    if (keyId === session.identity.keyId) return Promise.resolve(session.api);
    opened ??= session.openApi({ ...session.identity, keyId, keySecret });
    return opened;
  };
  return {
    work: {
      context: session,
      journal,
      file,
      again: rotateLine(session.identity, file?.path),
      openSuccessor: open,
    },
    close: async () => (await opened)?.close(),
  };
}

/** The members of the result that a person is told of too. */
interface RotatedKey {
  readonly key_id: string;
  readonly name: string;
  readonly expires_at: string | null;
  readonly replaced_key_id: string;
  readonly replaced_last_used: unknown;
  readonly profiles: readonly string[];
  readonly secret_file: string | null;
}

function report({ terminal, identity }: Session, row: RotatedKey): void {
  const { key_id: newId, replaced_key_id: oldId, replaced_last_used: lastUsed, secret_file: file } = row;
  const end = row.expires_at === null ? '' : `, which expires ${row.expires_at},`;
  terminal.done(`Key ${row.name} (${newId})${end} is in the place of ${oldId}, which is deleted.`);
  if (typeof lastUsed === 'string' && lastUsed !== '')
    terminal.note(`${oldId} was last used at ${lastUsed}; the rotation itself used it too.`);
  const places = placesOf(row.profiles, file);
  if (places !== '') terminal.note(`The new secret is in ${places}.`);
  if (identity.source === 'environment' && identity.keyId === oldId)
    terminal.warn(
      `The environment still names the old key. Set BOTCTL_KEY_ID=${newId}, and the secret from ${file}.`,
    );
}
