import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, usageFailure } from '../lib/errors.ts';
import { isSameId } from '../lib/ids.ts';
import { firstFew, inSentence } from '../lib/text/sentence.ts';
import type { ResourceContext } from '../resources/resource-context.ts';
import { checkDocumentNames, type DeclaredTenant, withDocuments } from './declared-documents.ts';
import { defaultFolder } from './default-folder.ts';
import { type Address, addressesOf, type Move, type SourceFile, tenantKeyOf } from './desired.ts';
import { loadTenants, type TenantsInput } from './files/read-tenants.ts';
import { undeclaredEntries } from './kinds/key-changed.ts';
import type { Known, UnverifiedMode } from './kinds/kind.ts';
import { planPrunedBot, prunedBots } from './kinds/pruned-bot.ts';
import { readLive } from './live.ts';
import type { UnfinishedUploads } from './live-documents.ts';
import type { Live } from './live-state.ts';
import { limitToTargets, type Plan, planTenants } from './plan.ts';
import { checkQuotas } from './quota-shortages.ts';
import { journalOf, moveEntries, readState, type State, stateFileName } from './state-file.ts';

/** Input of a plan. */
export interface PlanInput extends TenantsInput {
  /** Path of the state file; beside the files by default. */
  readonly lock: string | undefined;
  /** The objects to plan; all if empty. */
  readonly targets: readonly Address[];
  /** Whether to delete bots that are in the state file and no longer in the files. */
  readonly prune: boolean;
  /** The treatment of unverified secrets; unchanged if undefined. */
  readonly unverified?: UnverifiedMode | undefined;
}

/** A plan with its inputs. */
export interface PlanResult {
  readonly plan: Plan;
  /** The tenants in the plan. */
  readonly tenants: readonly DeclaredTenant[];
  /** With the current keys of the files. */
  readonly state: State;
  /** Returns the input of the plan of a tenant. */
  knownOf(tenant: DeclaredTenant): Known;
  readonly moved: readonly Move[];
  readonly live: Live;
  /** The files that were read, without documents and files with secrets. */
  readonly files: readonly SourceFile[];
}

interface PlanContext extends Pick<ResourceContext, 'api' | 'signal' | 'devices' | 'redact' | 'reporter'> {
  readonly io: Parameters<typeof loadTenants>[0];
}

/**
 * Reads the files, the state file and the service, and plans.
 * @param settle is called with the tenants before the state file is read; returns the uploads that are still unsettled. Without
 * it nothing is settled, and the unsettled uploads are read from the intent log beside the state file
 * @throws Failure `usage` for pruning with only some of the files; as `loadTenants`, `checkNotLost`, `readState`,
 *   `checkDocumentNames`, `readLive` and `limitToTargets`
 */
export async function makePlan(
  context: PlanContext,
  input: PlanInput,
  settle?: (tenants: readonly DeclaredTenant[], moves: readonly Move[]) => Promise<UnfinishedUploads>,
): Promise<PlanResult> {
  const { api, signal, io } = context;
  const { paths = [], targets, prune, unverified } = input;
  const desired = await loadTenants(io, input);
  if (prune) checkWhole(paths);
  const keys = new Set(targets.map(tenantKeyOf));
  const aimed = desired.tenants.filter(({ key }) => keys.has(key));
  // If a target is not declared, all tenants are read, so that the message can suggest addresses.
  const tenants = await withDocuments(aimed.length === 0 ? desired.tenants : aimed, signal);
  checkDocumentNames(tenants);
  const statePath = input.lock ?? statePathFor(paths);
  if (!existsSync(statePath)) (await import('./apply/intent-logs.ts')).checkNotLost(statePath);
  const unfinishedUploads = settle
    ? await settle(tenants, desired.moved)
    : await readUnfinishedUploads(statePath, context.reporter);
  const state = moveEntries(readState(statePath, api.baseUrl), desired.moved);
  const pruned = prune ? prunedBots(state, tenants) : [];
  const undeclared = undeclaredEntries(state, new Set(desired.tenants.flatMap(addressesOf)));
  const live = await readLive(context, tenants, { state, undeclared, pruned, unfinishedUploads });
  const pruning = {
    ...{ state, live, booked: pruned.length > 0 ? await context.devices.list() : [] },
    keys: new Set(tenants.map(({ key }) => key)),
  };
  const removed = pruned.map((address) => planPrunedBot(pruning, address));
  const plan = planTenants(tenants, state, live, undeclared, removed, unverified);
  const knownOf = (tenant: DeclaredTenant): Known => ({ state, live, undeclared, tenant, unverified });
  const aim = limitToTargets(
    paths.every(isFolder) ? plan : withoutOtherTenants(plan, tenants),
    targets,
    live.files,
  );
  return {
    plan: checkQuotas(aim, new Map(tenants.map((tenant) => [tenant.key, knownOf(tenant)]))),
    ...{ tenants, state, live, knownOf },
    moved: desired.moved,
    files: desired.files,
  };
}

/** More files than these are counted but not named. */
const maxNamed = 5;

/** Returns the interrupted uploads of earlier applies. Reports their files, or that they can't be read. */
async function readUnfinishedUploads(
  path: string,
  reporter: PlanContext['reporter'],
): Promise<UnfinishedUploads> {
  const { readUploads } = await import('./apply/intent-logs.ts');
  try {
    const intents = readUploads(path);
    const names = [...new Set(intents.map(({ details }) => inSentence(details.name)))];
    // Their outcomes can't be planned: a document may still appear.
    if (names.length > 0)
      reporter.note(
        `An apply was interrupted while it uploaded ${firstFew(names, maxNamed)}, or is still uploading. The next apply checks the result.`,
      );
    return (teamId) => intents.filter(({ details }) => isSameId(details.teamId, teamId));
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    reporter.warn(`${thrown.message} The plan may repeat uploads of an interrupted apply.`);
    return () => [];
  }
}

/** @throws Failure `usage` for single files: objects that other files declare would count as undeclared */
function checkWhole(paths: readonly string[]): void {
  const file = paths.find((path) => !isFolder(path));
  if (file === undefined) return;
  throw usageFailure(
    [`--prune needs all the files, not only ${file}.`],
    `Name their folder: ${dirname(file)}`,
  );
}

/** Removes undeclared tenants from a plan of some of the files: other files may declare them. */
function withoutOtherTenants(plan: Plan, tenants: readonly DeclaredTenant[]): Plan {
  const keys = new Set(tenants.map(({ key }) => key));
  return { ...plan, undeclared: plan.undeclared.filter(({ address }) => keys.has(tenantKeyOf(address))) };
}

/**
 * Reads a state file of any service.
 * @param named its path, if given
 * @throws Failure `notFound` if the given file is missing, and as `readState`
 */
export function readKnownState(named: string | undefined): { readonly path: string; readonly state: State } {
  const path = named ?? statePathFor([]);
  const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;
  // The very first create may have been interrupted.
  if (named !== undefined && !isThere(named) && !isThere(journalOf(named)))
    throw new Failure('notFound', `${named} not found.`);
  return { path, state: readState(path) };
}

/** Returns the path of the state file for files as they were typed. */
export function statePathFor([path = defaultFolder]: readonly string[]): string {
  return join(isFolder(path) ? path : dirname(path), stateFileName);
}

/** Returns whether a path leads to a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
