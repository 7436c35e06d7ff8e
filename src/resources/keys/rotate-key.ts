import type { Api } from '../../client/api.ts';
import { allowFailure, Failure, messageOf } from '../../lib/errors.ts';
import { readRegularText } from '../../lib/files/text-input.ts';
import { type CommandLine, command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { creationMatch, nameLikeness, periodSince } from '../../once/likeness.ts';
import { type DecidingSearch, findSettled, settleMs } from '../../once/settle.ts';
import { Secret } from '../../secrets/secret.ts';
import type { NewSecretFile } from '../../settings/new-secret-file.ts';
import {
  type CreatedRotation,
  type Rotation,
  type RotationRecord,
  seal,
  unseal,
} from '../../settings/rotation-journal.ts';
import { parseSecret } from '../../settings/secret-file.ts';
import type { ResourceContext } from '../resource-context.ts';
import { listKeys, profilesWith } from './find-key.ts';
import type { Key } from './key.ts';

/** Dependencies of the steps. */
export interface Work {
  /** The context of the old key, or of its successor if the user already calls with that. */
  readonly context: ResourceContext;
  readonly record: RotationRecord;
  /** Open for writing; undefined if the secret goes to no file, or is already there. */
  readonly file: NewSecretFile | undefined;
  /** The command that resumes the rotation. */
  readonly again: CommandLine;
  /**
   * Passes the new secret to the user's command before the old key is deleted; undefined if there is none.
   * It also fails if the secret is stored nowhere else and the command doesn't read it.
   */
  readonly handOver: ((keyId: string, secret: Secret, isKept: boolean) => Promise<void>) | undefined;
  /** False if the old key is kept for now. */
  readonly retiresOld: boolean;
  /** Returns the API, authenticated with the successor; the same one each time. */
  openSuccessor(keyId: string, secret: Secret): Promise<Api>;
}

/** The rotation after its last step. */
export interface Rotated {
  readonly rotation: CreatedRotation;
  /** When the old key was last used, in the service's format; undefined if the service doesn't show it. */
  readonly oldLastUsed: unknown;
}

/**
 * Runs the remaining steps of a rotation; each step may be repeated after a kill. The old key is deleted
 * last, with the token of its successor, and only once the journal says `stored`.
 * @param isResumed true if an earlier run may have created the successor: if that is unknown, deletes the keys that
 * only this rotation can have created, and creates another one
 * @throws Failure that lists the existing keys, and how to continue; `outcomeUnknown` if another key may be the successor
 */
export async function rotateKey(given: Rotation, work: Work, isResumed: boolean): Promise<Rotated> {
  if (isResumed && given.state === 'planned') await settleCreate(given, work);
  work.record.write(given);
  let rotation =
    given.state === 'planned' ? await step('Creating the new key', create, given, work, forget) : given;
  if (rotation.state === 'created') {
    await step('Exchanging a token with the new key', prove, rotation, work, giveUp);
    rotation = await step('Storing the new secret', store, rotation, work);
  }
  const oldLastUsed = await step('Reading with the new key', lastUseOfOld, rotation, work, giveUp);
  if (work.handOver) rotation = await step('Giving the new secret to the command', handOver, rotation, work);
  if (work.retiresOld) await step('Deleting the old key', retire, rotation, work, leaveOld);
  return { rotation, oldLastUsed };
}

/**
 * Runs one step.
 * @param refused cleans up if the service refuses the step for good, and returns the failure to throw
 */
async function step<R extends Rotation, T>(
  doing: string,
  take: (rotation: R, work: Work) => Promise<T>,
  rotation: R,
  work: Work,
  refused?: (why: Failure, rotation: R, work: Work) => Failure | Promise<Failure>,
): Promise<T> {
  const shown = work.context.reporter.progress(doing);
  try {
    return await take(rotation, work);
  } catch (thrown) {
    throw refused && isRefusal(thrown)
      ? await refused(thrown, rotation, work)
      : explained(thrown, rotation, work);
  } finally {
    shown.stop();
  }
}

/** Writes a rotation to the journal. */
function recorded({ record }: Work, rotation: CreatedRotation): CreatedRotation {
  record.write(rotation);
  return rotation;
}

/**
 * Deletes the key of a create that had no response. If there is none yet, waits until none can appear any more. A key whose name
 * was truncated by the service is left to the user: it may be in use elsewhere.
 * @throws Failure `outcomeUnknown` if a key may be the successor, or the keys can't be listed
 */
async function settleCreate(rotation: Rotation, { context, again }: Work): Promise<void> {
  const { old_key_id: oldId, names, started_at: startedAt } = rotation;
  const { api } = context;
  const lost = new Failure('outcomeUnknown', 'It is not known whether the new key was created.', {
    hint: remark`Run it again: ${again}`,
  });
  const search: DecidingSearch<Key> = {
    ...{ noun: 'key', name: successorName(rotation), list: () => listKeys(api) },
    grader: () => (key) => {
      if (key.isUsed || key.id === oldId || bearsNonce(key, rotation)) return 'other';
      const isNamed = names.some((sent) => nameLikeness(key.name, sent) !== 'other');
      return isNamed && creationMatch(key.raw, periodSince(api, Date.parse(startedAt))) !== 'no'
        ? 'maybe'
        : 'other';
    },
    hint: ([key]) =>
      key &&
      remark`Key ${key.label} may be the new key, and its secret is lost. If it is not in use, delete it: ${command('keys', 'delete', key.id)}\nThen run it again: ${again}`,
  };
  const { deleted } = await removeOrphans(api, rotation);
  const wait = deleted > 0 ? 0 : settleMs;
  // Without a terminal there is no progress line.
  if (wait > 0)
    context.reporter.note(`The key of the earlier run may still appear; waiting ${wait / 1000} s.`);
  await findSettled(context, search, { lost, wait });
  if (wait > 0) await removeOrphans(api, rotation);
}

/** Returns the name of the successor. */
export function successorName({ names }: Rotation): string {
  const [first, ...others] = names;
  return others.at(-1) ?? first;
}

/**
 * Returns the secret of the successor: from the identity if that is already the successor, or else from the journal.
 * The file is checked too, since the old key's secret may have been read from the same file.
 * @throws Failure `authentication` if none of them has it
 */
function successorSecret(rotation: CreatedRotation, { identity }: ResourceContext): Secret {
  const { key_id: keyId, sealed_secret: sealed, secret_file: file } = rotation;
  if (identity.keyId === keyId) return identity.keySecret;
  const secret = unseal(sealed, identity.keySecret) ?? secretIn(file);
  if (secret) return secret;
  throw new Failure('authentication', `The secret of key ${keyId} is lost.`);
}

/**
 * Returns whether the new secret is stored outside of the journal, which ends with the rotation: in a file, in a profile, with
 * the caller, or by a command.
 */
export function isSecretKept(
  { key_id: keyId, secret_file: file, handed_over: isHandedOver }: CreatedRotation,
  { identity, settings }: Pick<ResourceContext, 'identity' | 'settings'>,
): boolean {
  if (isHandedOver || file !== undefined || identity.keyId === keyId) return true;
  return profilesWith(settings, identity.baseUrl, keyId).length > 0;
}

async function create(rotation: Rotation, work: Work): Promise<CreatedRotation> {
  const { api, identity } = work.context;
  const { expires_at: expiresAt, old_key_id: oldId } = rotation;
  const body = { name: successorName(rotation), ...(expiresAt !== undefined && { expires_at: expiresAt }) };
  const { data } = await api.call('createKey', { body });
  const { key_id: keyId, key_secret: secret } = data;
  if (typeof secret !== 'string' || secret === '') {
    await removeOrphans(api, rotation);
    throw new Failure('rejected', `The service created key ${keyId}, but returned no secret.`, {
      hint: `The new key was deleted. Key ${oldId} stays in use.`,
    });
  }
  const sealed = seal(new Secret(secret), identity.keySecret);
  try {
    return recorded(work, { ...rotation, state: 'created', key_id: keyId, sealed_secret: sealed });
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const again = remark`Then run it again. This deletes the new key ${keyId} and starts over: ${work.again}`;
    throw thrown.withHint(joinRemarks([thrown.hint, again]));
  }
}

/** A key that doesn't work must not replace one that does. */
async function prove(rotation: CreatedRotation, work: Work): Promise<void> {
  const api = await openSuccessor(rotation, work);
  await api.call('getKey', { path: { keyId: rotation.key_id } });
}

async function store(rotation: CreatedRotation, work: Work): Promise<CreatedRotation> {
  const { origin, old_key_id: oldId, key_id: keyId, secret_file: secretFile } = rotation;
  const { api, settings } = work.context;
  const keySecret = successorSecret(rotation, work.context);
  if (work.file) keepIn(work.file, keySecret);
  const isPlaceless = secretFile === undefined && work.handOver === undefined;
  const onlyHere = isPlaceless || undefined;
  await settings.profiles.replaceKey({ origin, keyId: oldId }, { keyId, keySecret, onlyHere });
  if (isPlaceless && profilesWith(settings, api.baseUrl, keyId).length === 0) {
    throw new Failure(
      'invalidInput',
      `No profile uses key ${oldId} any more, so the new key can't be saved.`,
    );
  }
  return recorded(work, { ...rotation, state: 'stored' });
}

/** Returns when the old key was last used. The call also shows that the new key works. */
async function lastUseOfOld(rotation: CreatedRotation, work: Work): Promise<unknown> {
  const api = await openSuccessor(rotation, work);
  const found = await allowFailure(api.call('getKey', { path: { keyId: rotation.old_key_id } }), [
    'notFound',
  ]);
  return found?.data.last_used;
}

async function handOver(rotation: CreatedRotation, work: Work): Promise<CreatedRotation> {
  const secret = successorSecret(rotation, work.context);
  await work.handOver?.(rotation.key_id, secret, isSecretKept(rotation, work.context));
  return recorded(work, { ...rotation, handed_over: true });
}

async function retire(rotation: CreatedRotation, work: Work): Promise<void> {
  const { old_key_id: oldId, key_id: keyId } = rotation;
  const { settings, identity } = work.context;
  const api = await openSuccessor(rotation, work);
  // The response to an earlier create may have been lost, and its key may have appeared later.
  await removeOrphans(api, rotation, keyId);
  await deleteKey(api, oldId);
  const { baseUrl } = identity;
  for (const profile of [identity.profile, ...profilesWith(settings, baseUrl, keyId)])
    await settings.tokens.remove({ profile, baseUrl, keyId: oldId });
  work.record.remove();
}

/** The service created nothing, so the journal entry is removed. */
function forget(why: Failure, _rotation: Rotation, { record }: Work): Failure {
  record.remove();
  return why;
}

/** Deletes a successor that doesn't work, and restores the old key. */
async function giveUp(why: Failure, rotation: CreatedRotation, { context, record }: Work): Promise<Failure> {
  const { origin, old_key_id: oldId, key_id: newId } = rotation;
  const { api, identity, settings } = context;
  // Without the old key there is nothing to restore.
  if (identity.keyId !== oldId) return why;
  const { keyId, keySecret, baseUrl, profile } = identity;
  await settings.profiles.replaceKey({ origin, keyId: newId }, { keyId, keySecret });
  await settings.tokens.remove({ profile, baseUrl, keyId: newId });
  const { used } = await removeOrphans(api, rotation);
  record.remove();
  const [usedId] = used;
  const rest =
    usedId === undefined
      ? 'The new key was deleted.'
      : remark`Delete the new key: ${command('keys', 'delete', usedId)}`;
  return new Failure('rejected', `The new key ${newId} does not work: ${why.message}`, {
    ...why,
    hint: joinRemarks([`Key ${keyId} stays in use.`, rest], ' '),
    cause: why,
  });
}

/** The rotation ends here: the service would refuse a repeated call too. */
function leaveOld(why: Failure, rotation: CreatedRotation, { record }: Work): Failure {
  const { old_key_id: oldId, key_id: newId } = rotation;
  record.remove();
  const message = `The new key ${newId} is in use, but the old key ${oldId} could not be deleted: ${why.message}`;
  const hint = remark`When that is fixed, sign in with the new key and run: ${command('keys', 'delete', oldId)}`;
  return new Failure('partlyDone', message, { ...why, hint, cause: why });
}

/** Adds the state of the rotation and how to continue to a failure. The journal entry stays for that. */
function explained(thrown: unknown, rotation: Rotation, { again }: Work): unknown {
  if (!(thrown instanceof Failure)) return thrown;
  const { kind, message, isInterruption } = thrown;
  if (rotation.state === 'planned') {
    if (!isInterruption && !thrown.isUncertain) return thrown;
    return thrown.withHint(
      remark`Run it again. If the new key was created, it is deleted and the rotation starts over: ${again}`,
    );
  }
  const finish = remark`Nothing is lost. Run it again to finish: ${again}`;
  // The user's command has failed.
  const hint = joinRemarks([finish, kind === 'partlyDone' && thrown.hint]);
  if (rotation.state === 'created' || isInterruption) return thrown.withHint(hint);
  const { old_key_id: oldId, key_id: newId } = rotation;
  const stands = `The new key ${newId} is in use, but the old key ${oldId} is not deleted yet: ${message}`;
  return new Failure('partlyDone', stands, { ...thrown, hint, cause: thrown });
}

/** Returns whether the service would refuse the same call again. */
function isRefusal(thrown: unknown): thrown is Failure {
  return thrown instanceof Failure && ['authentication', 'rejected', 'notFound'].includes(thrown.kind);
}

function openSuccessor(rotation: CreatedRotation, { context, openSuccessor: open }: Work): Promise<Api> {
  return open(rotation.key_id, successorSecret(rotation, context));
}

function secretIn(file: string | undefined): Secret | undefined {
  try {
    return file === undefined ? undefined : parseSecret(readRegularText(file), file);
  } catch (thrown) {
    if (thrown instanceof Failure) return undefined;
    throw thrown;
  }
}

function keepIn(file: NewSecretFile, secret: Secret): void {
  try {
    file.commit(secret);
  } catch (cause) {
    const why = messageOf(cause);
    throw new Failure('invalidInput', `The new secret could not be written to ${file.path}: ${why}.`, {
      cause,
    });
  }
}

/**
 * Deletes the unused keys of a rotation: their secrets are lost.
 * @param successor the id of a key that is kept
 * @returns the number of deleted keys, and the ids of those that are kept because they were used
 */
async function removeOrphans(
  api: Api,
  rotation: Rotation,
  successor?: string,
): Promise<{ readonly deleted: number; readonly used: readonly string[] }> {
  const ours = (await listKeys(api)).filter((key) => bearsNonce(key, rotation) && key.id !== successor);
  const unused = ours.filter(({ isUsed }) => !isUsed);
  for (const { id } of unused) await deleteKey(api, id);
  return { deleted: unused.length, used: ours.filter(({ isUsed }) => isUsed).map(({ id }) => id) };
}

/** Returns whether only this rotation can have created a key, even if the service has changed the rest of its name. */
function bearsNonce({ name }: Key, { nonce }: Rotation): boolean {
  return name?.toLowerCase().includes(nonce) === true;
}

/** Deletes a key, unless an earlier run has done so. */
async function deleteKey(api: Api, keyId: string): Promise<void> {
  await allowFailure(api.call('deleteKey', { path: { keyId } }), ['notFound']);
}
