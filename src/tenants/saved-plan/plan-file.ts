import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod/mini';
import { inputFailure, usageFailure } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { replacesFile, unwritable } from '../../lib/files/file-failure.ts';
import { readRegularText } from '../../lib/files/text-input.ts';
import { isObject, type JsonObject, parseJson } from '../../lib/json-object.ts';
import { type CommandLine, command, placeholder, remark } from '../../lib/text/remark.ts';
import { isoTime } from '../../lib/time.ts';
import { version } from '../../lib/version.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { originOf } from '../../settings/base-url.ts';
import { defaultFolder, planName } from '../default-folder.ts';
import { isTenantFile } from '../files/find-tenant-files.ts';
import { isFolder, lockBeside, type MadePlan, type PlanInput } from '../make-plan.ts';
import { isOpen } from '../plan.ts';
import { lineWords } from '../plan-line.ts';
import { valueHash } from '../state-file.ts';
import { type KeptOperation, keptObject, keptSchema, withSecrets } from './planned-object.ts';

/** What a plan was made of. Paths are as they were typed, so they count from the directory that botctl is started in. */
const inputSchema = z.strictObject({
  paths: z.array(z.string()),
  lock: z.string(),
  /** There was a lock. */
  is_locked: z.boolean(),
  var: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  vars: z.optional(z.string()),
  each: z.optional(z.string()),
  targets: z.array(z.string()),
  prune: z.boolean(),
  send_unverified: z.optional(z.boolean()),
});

const planSchema = z.strictObject({
  version: z.literal(2),
  /** What wrote it. */
  made_by: z.string(),
  made_at: z.string(),
  origin: z.string(),
  input: inputSchema,
  /** The files that were read, but for those that hold secrets; documents stand with their operations. */
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string() })),
  operations: z.array(keptSchema),
  /** The addresses of what could not be done, or was not known: an apply tells it again. */
  open: z.array(z.string()),
  /** Of all the rest, so that nothing is carried out that somebody wrote into it. */
  sha256: z.string(),
});

/** A plan that was written to a file, to be carried out later. No secret is in it. */
export type KeptPlan = z.infer<typeof planSchema>;

/**
 * Checks that a plan can be written to a file. Returns true if that would replace one.
 * @param paths files and folders of the tenants, as they were typed
 * @throws Failure `usage` where it would be taken for a file of tenants, or what is there is no plan; and as `replacesFile`
 */
export function replacesPlan(out: string, paths: readonly string[]): boolean {
  const folders = (paths.length > 0 ? paths : [defaultFolder]).filter(isFolder).map((path) => resolve(path));
  if (folders.includes(dirname(resolve(out))) && isTenantFile(basename(out)))
    throw usageFailure(
      [`${out} would be taken for a file of tenants.`],
      'Put it elsewhere, or let its name end in .plan.json.',
    );
  const isReplaced = replacesFile(out);
  if (isReplaced && !isForPlan(readRegularText(out)))
    throw usageFailure([`${out} is there already, and is no plan.`], 'Name a new file, or another plan.');
  return isReplaced;
}

/** True of the text of a plan, of whatever version, and of a file that was made for one. */
function isForPlan(text: string): boolean {
  const data = parseJson(text);
  return (
    text === '' || (isObject(data) && typeof data.made_by === 'string' && Array.isArray(data.operations))
  );
}

interface PlanContext extends Pick<ResourceContext, 'redact'> {
  readonly api: Pick<ResourceContext['api'], 'baseUrl'>;
  readonly clock: Pick<ResourceContext['clock'], 'now'>;
}

/**
 * Writes a plan to a file that only its owner may read.
 * @throws Failure `invalidInput` where it can't be written, or would hold a secret; what was there before is then still there
 */
export async function writePlan(
  { api, clock, redact }: PlanContext,
  out: string,
  made: MadePlan,
  input: PlanInput,
): Promise<void> {
  const { paths = [], var: variables = [], vars, each, targets, prune, unverified } = input;
  const lock = input.lock ?? lockBeside(paths);
  const told = variables.find(({ value }) => redact(value) !== value);
  if (told)
    throw inputFailure(
      [`${told.name} of --var holds a secret, which may not stand in ${out}.`],
      `Write \${env:NAME} in its place in the files.`,
    );
  const operations = made.plan.objects.flatMap((planned): readonly KeptOperation[] => {
    const { action } = planned;
    return action === 'none' ? [] : [{ ...keptObject(made, planned, redact), action }];
  });
  const plan: Omit<KeptPlan, 'sha256'> = {
    version: 2,
    made_by: `botctl ${version}`,
    made_at: isoTime(clock.now()),
    origin: originOf(api.baseUrl),
    input: {
      ...{ paths: [...paths], lock, is_locked: existsSync(lock), var: [...variables] },
      ...(vars !== undefined && { vars }),
      ...(each !== undefined && { each }),
      ...{ targets: [...targets], prune },
      ...(unverified === 'send' && { send_unverified: true }),
    },
    files: [...made.files],
    operations: await Promise.all(operations.map((operation) => withSecrets(made, operation))),
    open: made.plan.objects.filter(isOpen).map(({ address }) => address),
  };
  try {
    writeFileAtomically(out, `${JSON.stringify({ ...plan, sha256: valueHash(plan) }, undefined, 2)}\n`);
  } catch (error) {
    throw unwritable(out, error);
  }
}

/**
 * Reads a plan that is to be carried out.
 * @param baseUrl address of the service that it has to be of
 * @throws Failure `invalidInput` where it can't be read, is not as it was written, or is of another service or directory
 */
export function readPlan(path: string, baseUrl: string): KeptPlan {
  const text = readRegularText(path);
  const data = parseJson(text);
  const checked = z.safeParse(planSchema, data);
  if (!checked.success || !isObject(data) || !isAsWritten(data))
    throw inputFailure(
      [`${path} can't be carried out as a plan: ${whyNot(text, data)}.`],
      remark`Let it be made again: ${command('tenants', 'plan', '--out', planName.test(path) ? path : placeholder('<file>'))}`,
    );
  const plan = checked.data;
  if (plan.origin !== originOf(baseUrl))
    throw inputFailure(
      [`${path} is a plan for ${plan.origin}, and this line goes to ${originOf(baseUrl)}.`],
      'Name the service that it was made for, with --profile or --base-url.',
    );
  const { input, files } = plan;
  const lost = input.is_locked && !existsSync(input.lock) ? input.lock : undefined;
  const [first] = files.every((file) => !existsSync(file.path)) ? files : [];
  const missing = first?.path ?? lost;
  if (missing !== undefined)
    throw inputFailure(
      [`${path} was made of ${missing}, which is not there.`],
      'Its paths are as they were typed: run this in the directory in which it was planned.',
    );
  return plan;
}

function isAsWritten({ sha256, ...rest }: JsonObject): boolean {
  return sha256 === valueHash(rest);
}

function whyNot(text: string, data: unknown): string {
  if (data === undefined && text.startsWith('{')) return 'it is not whole';
  if (!isObject(data) || !Array.isArray(data.operations)) return 'it is something else';
  if (typeof data.version === 'number' && data.version !== 2)
    return `${data.version < 2 ? 'an earlier' : 'a newer'} botctl wrote it`;
  return 'somebody has changed it since it was written';
}

/** Returns what a kept plan is made again of: of the tenants alone that it names. */
export function inputOf({ input, operations, open }: KeptPlan): PlanInput {
  const { paths, lock, var: variables, vars, each } = input;
  const prune = operations.some(({ action }) => action === 'delete');
  const addresses = [...operations.map(({ address }) => address), ...open];
  return {
    ...{ paths, lock, var: variables, vars, each, prune, targets: [] },
    ...(input.send_unverified && { unverified: 'send' as const }),
    // What the files no longer declare is only known with all of them.
    ...(!prune && { only: new Set(addresses.map((address) => address.split('/')[0] ?? '')) }),
  };
}

/** Returns the line that makes a kept plan again, in its place. */
export function planAgain(path: string, { input }: KeptPlan): CommandLine {
  const lock = input.lock === lockBeside(input.paths) ? undefined : input.lock;
  const allowed = input.send_unverified ? ['--allow', 'unpublish'] : [];
  return command('tenants', 'plan', ...lineWords({ ...input, lock }), '--out', path, '--yes', ...allowed);
}
