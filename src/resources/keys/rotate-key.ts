import type { Api } from '../../client/api.ts';
import { Failure, type FailureKind, messageOf } from '../../lib/errors.ts';
import { readRegularText } from '../../lib/files/text-input.ts';
import { type CommandLine, command, joinRemarks, type RemarkText, remark } from '../../lib/text/remark.ts';
import { createdIn, nameLikeness, since } from '../../once/likeness.ts';
import { type DecidingSearch, findSettled, settleMs } from '../../once/settle.ts';
import { Secret } from '../../secrets/secret.ts';
import type { NewSecretFile } from '../../settings/new-secret-file.ts';
import {
  type Rotation,
  type RotationJournal,
  type RotationState,
  type Successor,
  seal,
  unseal,
} from '../../settings/rotation-journal.ts';
import { parseSecret } from '../../settings/secret-file.ts';
import type { ResourceContext } from '../resource-context.ts';
import { listKeys, profilesWith } from './find-key.ts';
import type { Key } from './key.ts';

/** The context of the steps. */
export interface Work {
  /** The context of the old key; of its successor where that is what the user calls with by now. */
  readonly context: ResourceContext;
  readonly journal: Pick<RotationJournal, 'write' | 'remove'>;
  /** Open for writing; undefined if no file gets the secret, or it has it already. */
  readonly file: NewSecretFile | undefined;
  /** The command line that takes the rotation up again. */
  readonly again: CommandLine;
  /**
   * Gives the new secret to a command of the user's, before the old key goes; undefined if there is none.
   * It fails too where nothing else keeps the secret and the command doesn't read it.
   */
  readonly handOver:
    | ((successor: {
        readonly keyId: string;
        readonly secret: Secret;
        readonly isKept: boolean;
      }) => Promise<void>)
    | undefined;
  /** False if the old key stays for now. */
  readonly retiresOld: boolean;
  /** Returns the API, open with the successor; the same one each time. */
  openSuccessor(successor: Successor, secret: Secret): Promise<Api>;
}

/** A rotation with what its steps found out beside what is journaled. */
export interface RotationProgress {
  readonly rotation: Rotation;
  /** When the old key was last used, as the service says it; undefined if it doesn't. */
  readonly oldLastUsed: unknown;
}

/** One step. It may be taken again after a kill in the middle of it. */
export interface Step {
  readonly name: 'create' | 'prove' | 'store' | 'verify' | 'hand over' | 'retire';
  /** The text of the progress line. */
  readonly doing: string;
  /** The state in the journal before the step, and while it is taken. */
  readonly before: RotationState;
  /** The state afterwards; `finished`: the journal is removed. */
  readonly after: RotationState | 'finished';
  /** False if the step is left out; always taken where it isn't set. */
  isDue?(work: Work): boolean;
  take(progress: RotationProgress, work: Work): Promise<RotationProgress>;
  /** Tidies up if the service refuses the step for good. Returns what to say then. */
  refused?(why: Failure, progress: RotationProgress, work: Work): Promise<Failure>;
}

/**
 * The whole rotation. A run that was killed is taken up at the first step whose `before` is what the journal
 * says. The old key goes last, by the token of its successor, and only once the journal says `stored`.
 */
export const steps: readonly Step[] = [
  {
    name: 'create',
    doing: 'Creating the new key',
    before: 'planned',
    after: 'created',
    take: create,
    refused: forget,
  },
  {
    name: 'prove',
    doing: 'Exchanging a token with the new key',
    before: 'created',
    after: 'created',
    take: prove,
    refused: giveUp,
  },
  { name: 'store', doing: 'Storing the new secret', before: 'created', after: 'stored', take: store },
  {
    name: 'verify',
    doing: 'Reading with the new key',
    before: 'stored',
    after: 'stored',
    take: verify,
    refused: giveUp,
  },
  {
    name: 'hand over',
    doing: 'Giving the new secret to the command',
    before: 'stored',
    after: 'stored',
    isDue: ({ handOver: to }) => to !== undefined,
    take: handOver,
  },
  {
    name: 'retire',
    doing: 'Deleting the old key',
    before: 'stored',
    after: 'finished',
    isDue: ({ retiresOld }) => retiresOld,
    take: retire,
    refused: leaveOld,
  },
];

/** The steps that are left where the journal says this. */
export function stepsFrom(state: RotationState): readonly Step[] {
  return steps.slice(steps.findIndex(({ before }) => before === state));
}

/**
 * Writes a rotation to its journal, and takes the steps that are left. Returns the progress after the last one.
 * @throws Failure that tells which keys exist, and how to go on
 */
export async function beginRotation(rotation: Rotation, work: Work): Promise<RotationProgress> {
  work.journal.write(rotation);
  let progress: RotationProgress = { rotation, oldLastUsed: undefined };
  for (const step of stepsFrom(rotation.state)) {
    if (step.isDue?.(work) === false) continue;
    const shown = work.context.reporter.progress(step.doing);
    const journaled = progress.rotation;
    try {
      progress = await step.take(progress, work);
      if (step.after === 'finished') work.journal.remove(progress.rotation);
      else if (progress.rotation !== journaled) work.journal.write(progress.rotation);
    } catch (thrown) {
      throw step.refused && isRefusal(thrown)
        ? await step.refused(thrown, progress, work)
        : explained(thrown, progress.rotation, work);
    } finally {
      shown.stop();
    }
  }
  return progress;
}

/**
 * Resumes a rotation that was interrupted. If it is not known whether its successor was created, deletes the keys that only this
 * rotation can have created, and creates another one. Returns the progress after the last step.
 * @throws Failure `outcomeUnknown` if another key may be its successor, and as `beginRotation`
 */
export async function resumeRotation(rotation: Rotation, work: Work): Promise<RotationProgress> {
  if (rotation.state === 'planned') await settleCreate(rotation, work);
  return beginRotation(rotation, work);
}

/**
 * Deletes the key of a create that had no response. If there is none yet, waits until none can appear any more. A key whose name
 * the service has cut is left to a person: it may be in use elsewhere.
 * @throws Failure `outcomeUnknown` if a key may be the successor, or the keys can't be listed
 */
async function settleCreate(rotation: Rotation, { context, again }: Work): Promise<void> {
  const { old, names, startedAt } = rotation;
  const { api } = context;
  const lost = new Failure('outcomeUnknown', 'It is not known whether the new key was created.', {
    hint: remark`Run it again: ${again}`,
  });
  const search: DecidingSearch<Key> = {
    ...{ noun: 'key', name: successorName(rotation), list: () => listKeys(api) },
    grader: () => (key) => {
      if (key.isUsed || key.id === old.keyId || bearsNonce(key, rotation)) return 'other';
      const isNamed = names.some((sent) => nameLikeness(key.name, sent) !== 'other');
      return isNamed && createdIn(key.raw, since(api, Date.parse(startedAt))) !== 'no' ? 'maybe' : 'other';
    },
    hint: ([key]) =>
      key &&
      remark`Key ${key.label} may be it, and its secret is lost. If nobody uses it, delete it: ${command('keys', 'delete', key.id)}\nThen run it again: ${again}`,
  };
  const { deleted } = await removeOrphans(api, rotation);
  const wait = deleted > 0 ? 0 : settleMs;
  // Without a terminal there is no progress line.
  if (wait > 0)
    context.reporter.note(`The key of the earlier run may still appear; waiting ${wait / 1000} s.`);
  await findSettled(context, search, { lost, wait });
  if (wait > 0) await removeOrphans(api, rotation);
}

/** The name of the successor. */
export function successorName({ names }: Rotation): string {
  const [first, ...others] = names;
  return others.at(-1) ?? first;
}

/** A rotation whose successor is known, as it is after the first step. */
export function withSuccessor(rotation: Rotation): Exclude<Rotation, { state: 'planned' }> {
  if (rotation.state === 'planned') throw new TypeError('the successor was never created');
  return rotation;
}

/**
 * The secret of the successor: of the identity where that is the successor by now, else out of the journal.
 * The file is asked too, since it may be the very one that the old key's secret was read from.
 * @throws Failure `authentication` where none of them has it
 */
export function successorSecret(rotation: Rotation, { identity }: Pick<ResourceContext, 'identity'>): Secret {
  const { successor, secretFile } = withSuccessor(rotation);
  if (identity.keyId === successor.keyId) return identity.keySecret;
  const secret = unseal(successor.sealedSecret, identity.keySecret) ?? secretIn(secretFile);
  if (secret) return secret;
  throw new Failure('authentication', `The secret of key ${successor.keyId} is lost.`);
}

/**
 * True if the new secret is anywhere but in the journal, which ends with the rotation: in a file, in a profile, with
 * the caller, or where a command has taken it.
 */
export function isSecretKept(
  rotation: Rotation,
  { identity, settings }: Pick<ResourceContext, 'identity' | 'settings'>,
): boolean {
  const { successor, secretFile, handedOver } = withSuccessor(rotation);
  if (handedOver || secretFile !== undefined || identity.keyId === successor.keyId) return true;
  return profilesWith(settings, identity.baseUrl, successor.keyId).length > 0;
}

async function create(progress: RotationProgress, { context }: Work): Promise<RotationProgress> {
  const { rotation } = progress;
  const { expiresAt } = rotation;
  const name = successorName(rotation);
  const body = { name, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
  const { data } = await context.api.call('createKey', { body });
  const { key_id: keyId, key_secret: secret } = data;
  if (typeof secret !== 'string' || secret === '') {
    await removeOrphans(context.api, rotation);
    throw new Failure('rejected', `The service created key ${keyId}, but told no secret.`, {
      hint: `It was deleted again. Key ${rotation.old.keyId} stays in use.`,
    });
  }
  const successor = { keyId, sealedSecret: seal(new Secret(secret), context.identity.keySecret) };
  return { ...progress, rotation: { ...rotation, state: 'created', successor } };
}

/** A key that doesn't work must not take the place of one that does. */
async function prove(progress: RotationProgress, work: Work): Promise<RotationProgress> {
  const { successor } = withSuccessor(progress.rotation);
  const api = await openSuccessor(progress, work);
  await api.call('getKey', { path: { keyId: successor.keyId } });
  return progress;
}

async function store(
  progress: RotationProgress,
  { context, file, handOver: to }: Work,
): Promise<RotationProgress> {
  const rotation = withSuccessor(progress.rotation);
  const { old, successor, secretFile } = rotation;
  const { api, settings } = context;
  const secret = successorSecret(rotation, context);
  if (file) keepIn(file, secret);
  const isPlaceless = secretFile === undefined && to === undefined;
  const onlyHere = isPlaceless || undefined;
  await settings.profiles.replaceKey(old, { keyId: successor.keyId, keySecret: secret, onlyHere });
  if (isPlaceless && profilesWith(settings, api.baseUrl, successor.keyId).length === 0) {
    throw new Failure(
      'invalidInput',
      `No profile holds key ${old.keyId} any more, so its successor has no place.`,
    );
  }
  return { ...progress, rotation: { ...rotation, state: 'stored' } };
}

async function verify(progress: RotationProgress, work: Work): Promise<RotationProgress> {
  const { old } = progress.rotation;
  const api = await openSuccessor(progress, work);
  const found = await unlessNotFound(api.call('getKey', { path: { keyId: old.keyId } }));
  return { ...progress, oldLastUsed: found?.data.last_used };
}

async function handOver(progress: RotationProgress, work: Work): Promise<RotationProgress> {
  const rotation = withSuccessor(progress.rotation);
  const { keyId } = rotation.successor;
  const secret = successorSecret(rotation, work.context);
  await work.handOver?.({ keyId, secret, isKept: isSecretKept(rotation, work.context) });
  return { ...progress, rotation: { ...rotation, handedOver: true } };
}

async function retire(progress: RotationProgress, work: Work): Promise<RotationProgress> {
  const { old, successor } = withSuccessor(progress.rotation);
  const { settings, identity } = work.context;
  const api = await openSuccessor(progress, work);
  // The answer to an earlier create may have been lost, and its key have come later.
  await removeOrphans(api, progress.rotation, successor.keyId);
  await unlessNotFound(api.call('deleteKey', { path: { keyId: old.keyId } }));
  const { baseUrl } = identity;
  for (const profile of [identity.profile, ...profilesWith(settings, baseUrl, successor.keyId)]) {
    await settings.tokens.remove({ profile, baseUrl, keyId: old.keyId });
  }
  return progress;
}

/** The service created nothing, so there is nothing to remember. */
async function forget(why: Failure, { rotation }: RotationProgress, { journal }: Work): Promise<Failure> {
  journal.remove(rotation);
  return why;
}

/** A successor that doesn't work goes, and the old key comes back into its place. */
async function giveUp(why: Failure, { rotation }: RotationProgress, work: Work): Promise<Failure> {
  const { context, journal } = work;
  const { old, successor } = withSuccessor(rotation);
  // Without the old key there is nothing to go back to.
  if (context.identity.keyId !== old.keyId) return why;
  const { keyId, keySecret, baseUrl, profile } = context.identity;
  const broken = { origin: old.origin, keyId: successor.keyId };
  await context.settings.profiles.replaceKey(broken, { keyId, keySecret });
  await context.settings.tokens.remove({ profile, baseUrl, keyId: successor.keyId });
  const { used } = await removeOrphans(context.api, rotation);
  journal.remove(rotation);
  const [usedId] = used;
  const rest =
    usedId === undefined
      ? 'The new one was deleted again.'
      : remark`Delete the new one: ${command('keys', 'delete', usedId)}`;
  return withOutcome(why, {
    kind: 'rejected',
    message: `The new key ${successor.keyId} is of no use: ${why.message}`,
    hint: joinRemarks([`Key ${keyId} stays in use.`, rest], ' '),
  });
}

/** The rotation ends here: asked again, the service would refuse again. */
async function leaveOld(why: Failure, { rotation }: RotationProgress, { journal }: Work): Promise<Failure> {
  const { old, successor } = withSuccessor(rotation);
  journal.remove(rotation);
  return withOutcome(why, {
    kind: 'partlyDone',
    message: `Key ${successor.keyId} is in place, but the old one, ${old.keyId}, could not be deleted: ${why.message}`,
    hint: remark`Once that is mended, sign in with the new key and run: ${command('keys', 'delete', old.keyId)}`,
  });
}

/** Says of a failure what stands, and how to go on. The journal stays for that. */
function explained(thrown: unknown, rotation: Rotation, { again }: Work): unknown {
  if (!(thrown instanceof Failure)) return thrown;
  const { kind, message, isInterruption } = thrown;
  if (rotation.state === 'planned') {
    if (!isInterruption && !thrown.isUncertain) return thrown;
    const hint = remark`Run it again: if the new key was created, it is deleted, and the rotation starts over: ${again}`;
    return withOutcome(thrown, { kind, message, hint });
  }
  const finish = remark`Nothing is lost. Run it again to finish: ${again}`;
  // The command of the user's has failed.
  const hint = joinRemarks([finish, kind === 'partlyDone' && thrown.hint]);
  if (rotation.state === 'created' || isInterruption) return withOutcome(thrown, { kind, message, hint });
  return withOutcome(thrown, {
    kind: 'partlyDone',
    message: `Key ${rotation.successor.keyId} is in place, but the old one, ${rotation.old.keyId}, is not deleted yet: ${message}`,
    hint,
  });
}

interface Outcome {
  readonly kind: FailureKind;
  readonly message: string;
  readonly hint: RemarkText | undefined;
}

function withOutcome(cause: Failure, { kind, message, hint }: Outcome): Failure {
  const { code, status, details } = cause;
  return new Failure(kind, message, { hint, code, status, details, cause });
}

/** True if the service would refuse the same again. */
function isRefusal(thrown: unknown): thrown is Failure {
  return thrown instanceof Failure && ['authentication', 'rejected', 'notFound'].includes(thrown.kind);
}

function openSuccessor({ rotation }: RotationProgress, { context, openSuccessor: open }: Work): Promise<Api> {
  return open(withSuccessor(rotation).successor, successorSecret(rotation, context));
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
    file.keep(secret);
  } catch (cause) {
    const why = messageOf(cause);
    throw new Failure('invalidInput', `The new secret could not be written to ${file.path}: ${why}.`, {
      cause,
    });
  }
}

/**
 * Deletes the keys of a rotation that were never used: nobody has their secrets.
 * @param successor the id of a key that stays in any case
 * @returns how many were deleted, and the ids of those that stay because they were used
 */
async function removeOrphans(
  api: Api,
  rotation: Rotation,
  successor?: string,
): Promise<{ readonly deleted: number; readonly used: readonly string[] }> {
  const ours = (await listKeys(api)).filter((key) => bearsNonce(key, rotation) && key.id !== successor);
  const unused = ours.filter(({ isUsed }) => !isUsed);
  for (const { id: keyId } of unused) await unlessNotFound(api.call('deleteKey', { path: { keyId } }));
  return { deleted: unused.length, used: ours.filter(({ isUsed }) => isUsed).map(({ id }) => id) };
}

/** True if only this rotation can have created a key, even if the service has changed the rest of its name. */
function bearsNonce({ name }: Key, { nonce }: Rotation): boolean {
  return name?.toLowerCase().includes(nonce) === true;
}

/** Returns undefined for a key that is gone: an earlier run deleted it. */
async function unlessNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.kind === 'notFound') return undefined;
    throw thrown;
  }
}
