import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod/mini';
import { inputFailure, usageFailure } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { replacesFile, writeFailure } from '../../lib/files/file-failure.ts';
import { readRegularText } from '../../lib/files/text-input.ts';
import { isObject, type JsonObject, parseJson } from '../../lib/json-object.ts';
import { type CommandLine, command, placeholder, remark } from '../../lib/text/remark.ts';
import { isoTime } from '../../lib/time.ts';
import { version } from '../../lib/version.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { originOf } from '../../settings/base-url.ts';
import { defaultFolder, planName } from '../default-folder.ts';
import { isTenantFile } from '../files/find-tenant-files.ts';
import { isFolder, type PlanInput, type PlanResult, statePathFor } from '../make-plan.ts';
import { planArguments } from '../plan-arguments.ts';
import { valueHash } from '../state-file.ts';
import { isSaved, savedObject, savedObjectOf, secretFieldsOf, withSecrets } from './planned-object.ts';

/** The input of a plan. Paths are as they were typed, relative to the working directory. */
const inputSchema = z.strictObject({
  paths: z.array(z.string()),
  lock: z.string(),
  /** True if there was a state file. */
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
  /** The version of botctl that wrote it. */
  made_by: z.string(),
  made_at: z.string(),
  origin: z.string(),
  input: inputSchema,
  /** The files that were read, without those that hold secrets; the hashes of documents are in their objects. */
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string() })),
  objects: z.array(savedObject),
  /** The hash of the rest. It detects accidents only: a person who edits the file can replace it. */
  sha256: z.string(),
});

/** A plan in a file, to be applied later. It contains no secret. */
export type SavedPlan = z.infer<typeof planSchema>;

/**
 * Checks that a plan can be written to a file. Returns whether that would replace an earlier plan.
 * @param paths files and folders of the tenants, as they were typed
 * @throws Failure `usage` if it would be read as a file of tenants, or the existing file is not a plan; and as `replacesFile`
 */
export function replacesPlan(out: string, paths: readonly string[]): boolean {
  const folders = (paths.length > 0 ? paths : [defaultFolder]).filter(isFolder).map((path) => resolve(path));
  if (folders.includes(dirname(resolve(out))) && isTenantFile(basename(out)))
    throw usageFailure(
      [`${out} would be read as a tenant file.`],
      'Choose another folder, or a name that ends in .plan.json.',
    );
  const isReplaced = replacesFile(out);
  const text = isReplaced ? readRegularText(out) : '';
  // An empty file may have been created for the plan, for example by mktemp.
  if (text !== '' && !isPlan(parseJson(text)))
    throw usageFailure([`${out} exists and is not a saved plan.`], 'Name a new file, or another plan.');
  return isReplaced;
}

/** Returns whether data is a plan of any version. */
function isPlan(data: unknown): data is JsonObject {
  return isObject(data) && typeof data.made_by === 'string' && typeof data.sha256 === 'string';
}

interface PlanContext extends Pick<ResourceContext, 'redact'> {
  readonly api: Pick<ResourceContext['api'], 'baseUrl'>;
  readonly clock: Pick<ResourceContext['clock'], 'now'>;
}

/**
 * Writes a plan to a file that only its owner may read.
 * @throws Failure `invalidInput` if it can't be written, or would contain a secret; the previous content is then unchanged
 */
export async function writePlan(
  { api, clock, redact }: PlanContext,
  out: string,
  result: PlanResult,
  input: PlanInput,
): Promise<void> {
  const { paths = [], var: variables = [], vars, each, targets, prune, unverified } = input;
  const lock = input.lock ?? statePathFor(paths);
  const revealed = variables.find(({ value }) => redact(value) !== value);
  if (revealed)
    throw inputFailure(
      [`--var ${revealed.name} contains a secret, which must not be saved in ${out}.`],
      `In the files, use \${env:NAME} for it instead.`,
    );
  const objects = result.plan.objects
    .filter(isSaved)
    .map((planned) =>
      withSecrets(result, savedObjectOf(result, planned, redact), secretFieldsOf(result, planned)),
    );
  const plan: Omit<SavedPlan, 'sha256'> = {
    version: 2,
    made_by: `botctl ${version}`,
    made_at: isoTime(clock.now()),
    origin: originOf(api.baseUrl),
    input: {
      ...{ paths: [...paths], lock, is_locked: existsSync(lock), var: [...variables] },
      ...{ vars, each, targets: [...targets], prune },
      send_unverified: unverified === 'send' || undefined,
    },
    files: [...result.files],
    objects: await Promise.all(objects),
  };
  try {
    writeFileAtomically(out, `${JSON.stringify({ ...plan, sha256: valueHash(plan) }, undefined, 2)}\n`);
  } catch (error) {
    throw writeFailure(out, error);
  }
}

/**
 * Reads a saved plan.
 * @param baseUrl the address of the service that the plan must be for
 * @throws Failure `invalidInput` if it can't be read, was edited, or is for another service or directory
 */
export function readPlan(path: string, baseUrl: string): SavedPlan {
  const text = readRegularText(path);
  const data = parseJson(text);
  const checked = z.safeParse(planSchema, data);
  if (!checked.success || !isObject(data) || !isAsWritten(data))
    throw inputFailure(
      [`${path} can't be applied: ${unreadableReason(text, data)}.`],
      remark`Plan again: ${command('tenants', 'plan', '--out', planName.test(path) ? path : placeholder('<file>'))}`,
    );
  const plan = checked.data;
  if (plan.origin !== originOf(baseUrl))
    throw inputFailure(
      [`${path} is a plan for ${plan.origin}, not for ${originOf(baseUrl)}.`],
      'Choose that service with --profile or --base-url.',
    );
  const { paths, lock, is_locked: isLocked } = plan.input;
  const missing = [...paths, ...(isLocked ? [lock] : [])].find((one) => !existsSync(one));
  if (missing !== undefined)
    throw inputFailure(
      [`${path} was made from ${missing}, which does not exist here.`],
      'Paths in a plan are relative: run this in the directory where you made the plan.',
    );
  return plan;
}

function isAsWritten({ sha256, ...rest }: JsonObject): boolean {
  return sha256 === valueHash(rest);
}

function unreadableReason(text: string, data: unknown): string {
  if (data === undefined && text.startsWith('{')) return 'the file is incomplete';
  if (!isPlan(data)) return 'it is not a saved plan';
  if (typeof data.version === 'number' && data.version !== 2)
    return `it was written by ${data.version < 2 ? 'an earlier' : 'a newer'} version of botctl`;
  return 'it was changed after it was written';
}

/** Returns the input to plan again. */
export function inputOf({ input }: SavedPlan): PlanInput {
  const { is_locked: _, send_unverified: sends, ...rest } = input;
  return { ...rest, unverified: sends ? 'send' : undefined };
}

/** Returns the command that plans again and replaces the file. */
export function replanCommand(path: string, { input }: SavedPlan): CommandLine {
  const lock = input.lock === statePathFor(input.paths) ? undefined : input.lock;
  const allowed = input.send_unverified ? ['--allow', 'unpublish'] : [];
  return command('tenants', 'plan', ...planArguments({ ...input, lock }), '--out', path, '--yes', ...allowed);
}
