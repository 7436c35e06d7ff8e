import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { flag, option, path } from '../../cli/options.ts';
import type { Api } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { someText } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { profilesWith } from '../../resources/keys/find-key.ts';
import { type Key, toKey } from '../../resources/keys/key.ts';
import {
  begin,
  resume,
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
import { type Expiry, expiry, expiryTime } from './expiry.ts';
import { rotatedKeyFields } from './fields.ts';
import { rotateLine } from './words.ts';

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
    const { identity, settings } = session;
    const journal = createRotationJournal(settings.paths.config);
    const interrupted = journal.find({ origin: originOf(identity.baseUrl), keyId: identity.keyId });
    const secretFile = input.secretFile === undefined ? interrupted?.secretFile : resolve(input.secretFile);
    if (identity.profile === undefined && secretFile === undefined && interrupted?.state !== 'stored')
      throw noPlace();
    const rotation =
      interrupted && interrupted.state !== 'planned'
        ? takenUp(interrupted, secretFile)
        : await planned(session, { ...input, secretFile }, interrupted);
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
      rotation.state === 'planned' ? question(rotation) : finishing(rotation),
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
        return await (interrupted ? resume : begin)(rotation, work);
      } finally {
        file?.abandon();
        await close();
      }
    });
    const { old, successor, expiresAt, secretFile } = withSuccessor(done);
    const secret = successorSecret(done, session);
    const profiles = profilesWith(settings, session.identity.baseUrl, successor.keyId);
    const result = { key_id: successor.keyId, name: successorName(done), expires_at: expiresAt ?? null };
    report(session, { ...result, old, oldLastUsed, profiles, secretFile });
    return {
      ...result,
      key_secret: showSecret ? session.reveal(secret) : mask,
      replaced_key_id: old.keyId,
      replaced_last_used: oldLastUsed ?? null,
      profiles,
      secret_file: secretFile ?? null,
    };
  },
});

function noPlace(): Failure {
  return new Failure('usage', 'The key is from the environment, so nothing here can keep the new secret.', {
    hint: 'Add --secret-file FILE. Nothing was created.',
  });
}

interface RotateOptions {
  readonly name: string | undefined;
  readonly expires: Expiry | undefined;
  readonly secretFile: string | undefined;
}

/** A new rotation of the key in use; it keeps in mind what one that was interrupted may have created. */
async function planned(
  { api, clock, identity }: Session,
  { name, expires, secretFile }: RotateOptions,
  interrupted: Rotation | undefined,
): Promise<Rotation> {
  const now = clock.now();
  const chosen = expires && expiryTime(expires, now);
  const old = toKey((await api.call('getKey', { path: { keyId: identity.keyId } })).data);
  const nonce = interrupted?.nonce ?? randomBytes(6).toString('hex');
  const startedAt = new Date(now).toISOString();
  const base = name ?? old.name?.replace(/( \(rotated [^()]*\))+$/, '') ?? identity.keyId;
  const newName = `${base} (rotated ${startedAt.slice(0, 10)}-${nonce})`;
  const earlier = interrupted?.names.filter((other) => other !== newName) ?? [];
  return {
    state: 'planned',
    old: { origin: originOf(identity.baseUrl), keyId: identity.keyId, name: old.name },
    nonce,
    names: [...earlier, newName] as const,
    expiresAt: chosen ?? sameLifetime(old, now),
    secretFile,
    startedAt,
  };
}

/** Returns when a key ends that begins now and lasts as long as another one, or undefined if that one doesn't end. */
function sameLifetime({ createdAt: from, expiresAt: to }: Key, now: number): string | undefined {
  if (from === undefined || to === undefined) return undefined;
  const lifetime = Date.parse(to) - Date.parse(from);
  return lifetime > 0 ? new Date(now + lifetime).toISOString() : undefined;
}

/** An interrupted rotation, with another file for the secret where that is what is asked for now. */
function takenUp(
  rotation: Exclude<Rotation, { state: 'planned' }>,
  secretFile: string | undefined,
): Rotation {
  if (secretFile === rotation.secretFile) return rotation;
  return { ...rotation, secretFile, state: 'created' };
}

function question(rotation: Rotation): string {
  const { old, expiresAt } = rotation;
  const end = expiresAt === undefined ? 'which never expires' : `which expires at ${expiresAt}`;
  return `A new key, "${successorName(rotation)}", ${end}, takes the place of ${oldLabel(rotation)}; ${old.keyId} is deleted for good, and whatever else uses it loses its access.`;
}

function finishing(rotation: Rotation): string {
  const { old, successor } = withSuccessor(rotation);
  return `Finishing it puts "${successorName(rotation)}" (${successor.keyId}) in the place of ${oldLabel(rotation)}; ${old.keyId} is deleted for good, and whatever else uses it loses its access.`;
}

function oldLabel({ old: { keyId, name } }: Rotation): string {
  return name === undefined ? `key ${keyId}` : `key ${name} (${keyId})`;
}

function whereTo({ settings, identity }: Session, { old, secretFile, state }: Rotation): string {
  if (state === 'stored') return 'The new secret is stored already.';
  const profiles = profilesWith(settings, identity.baseUrl, old.keyId);
  const places = [...profiles.map((name) => `profile ${name}`), ...(secretFile ? [secretFile] : [])];
  return places.length > 0 ? `The new secret goes to ${places.join(' and ')}.` : '';
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

/** What the steps work with, and what closes it. */
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

interface Rotated {
  readonly key_id: string;
  readonly name: string;
  readonly expires_at: string | null;
  readonly old: Rotation['old'];
  readonly oldLastUsed: unknown;
  readonly profiles: readonly string[];
  readonly secretFile: string | undefined;
}

function report({ terminal, identity }: Session, rotated: Rotated): void {
  const { old, oldLastUsed, profiles, secretFile } = rotated;
  const end = rotated.expires_at === null ? '' : `, which expires ${rotated.expires_at},`;
  terminal.done(
    `Key ${rotated.name} (${rotated.key_id})${end} is in the place of ${old.keyId}, which is deleted.`,
  );
  if (typeof oldLastUsed === 'string' && oldLastUsed !== '')
    terminal.note(`${old.keyId} was last used at ${oldLastUsed}; the rotation itself used it too.`);
  const places = [...profiles.map((name) => `profile ${name}`), ...(secretFile ? [secretFile] : [])];
  if (places.length > 0) terminal.note(`The new secret is in ${places.join(' and ')}.`);
  if (identity.source === 'environment' && identity.keyId === old.keyId)
    terminal.warn(
      `The environment still names the old key. Set BOTCTL_KEY_ID=${rotated.key_id}, and the secret from ${secretFile}.`,
    );
}
