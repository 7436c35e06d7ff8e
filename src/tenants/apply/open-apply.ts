import { filesToSend } from '../../documents/sync/planned-file.ts';
import { Failure } from '../../lib/errors.ts';
import { joinRemarks, type Remark } from '../../lib/text/remark.ts';
import type { Intent } from '../../once/intent-log.ts';
import { endFound, settleInterrupted } from '../../once/settle.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { takeTurn } from '../apply-lock.ts';
import type { Address, Move } from '../desired.ts';
import type { Doing } from '../kinds/carry-out.ts';
import { lockBeside, type MadePlan, makePlan, type PlanInput } from '../make-plan.ts';
import { deciding } from '../refusal.ts';
import {
  documentAt,
  knownIds,
  moved,
  objectAt,
  readState,
  type State,
  type StateEntry,
} from '../state-file.ts';
import {
  type InterruptedAt,
  interruptedCreate,
  interruptedCreates,
  type Settling,
  settleDevices,
} from './create-settled.ts';
import { type CreateIntent, IntentLogs } from './intent-logs.ts';
import type { ApplyRow } from './report.ts';
import { type ApplyOptions, type ApplyRun, runApply } from './run-apply.ts';
import { interruptedUploads } from './settle-uploads.ts';
import { StateWriter } from './state-writer.ts';

/** What an apply is begun with. */
export interface ApplyInput extends PlanInput {
  /** Milliseconds that another apply of the same lock is waited for. */
  readonly lockTimeout: number;
  /** Milliseconds after its answer was lost in which a call may still take effect. */
  readonly settleMs: number;
  /** Checks the plan once interrupted calls are settled; throws if it is not to be carried out. */
  readonly check?: ((made: MadePlan) => Promise<void>) | undefined;
  /** How to go on after a failure; the same command again if undefined. */
  readonly again?: Remark | undefined;
}

const howToWait = 'Run it again once that has ended, or let it wait with --lock-timeout.';

/** How a plan is carried out, but for what it was begun with. */
type RunOptions = Omit<ApplyOptions, 'settleMs' | 'deciding' | 'again'>;

/** An apply that is planned and holds its lock: no other goes on beside it until it was closed. */
export interface OpenApply {
  readonly made: MadePlan;
  /** The path of its lock. */
  readonly lock: string;
  /** Carries the plan out, and closes it after the last row. */
  run(options: RunOptions): ApplyRun;
  close(): void;
}

/**
 * Opens an apply: acquires the lock, looks for the objects of interrupted calls of earlier runs, and plans. Objects that it doesn't
 * find are waited for while the plan is carried out.
 * @throws Failure `invalidInput` where another apply goes on, or nothing can be written beside the lock; as `makePlan`,
 *   `findLeft` and `check`
 */
export async function openApply(
  context: ResourceContext & Parameters<typeof makePlan>[0],
  { lockTimeout, settleMs, check, again, ...input }: ApplyInput,
): Promise<OpenApply> {
  const { reporter } = context;
  const { baseUrl } = context.api;
  const path = input.lock ?? lockBeside(input.paths ?? []);
  const turn = await takeTurn(context, path, { timeout: lockTimeout, hint: howToWait });
  const toClose = [() => turn.release()];
  const close = (): void => {
    for (const one of toClose.splice(0).toReversed()) one();
  };
  try {
    const journals = new IntentLogs(path, ({ message }) =>
      reporter.warn(`${message} If this is cut off, the next one can't tell what it has made.`),
    );
    toClose.push(() => journals.close());
    const before = new StateWriter(turn, path, baseUrl, readState(path, baseUrl), context.clock);
    const keep = (address: Address, entry: StateEntry | undefined) => before.keep(address, entry);
    const settling = { context, settleMs, keep, ...stateOf(before) };
    const waitsFrom = context.clock.now();
    const deadline = waitsFrom + settleMs;
    /** The interrupted creates whose objects were not found yet. */
    const left = new Map<Address, Intent<CreateIntent>>();
    const made = await makePlan(context, input, async (tenants, moves) => {
      const keys = new Set([
        ...tenants.map(({ key }) => key),
        ...moves.map(({ from }) => from.split('/')[0]),
      ]);
      const isConcerned = (address: Address): boolean => keys.has(address.split('/')[0]);
      const declared = new Set(
        tenants.flatMap(({ address, bots }) => [address, ...bots.map((bot) => bot.address)]),
      );
      const creates = interruptedCreates(settling, journals, isConcerned);
      for (const create of await lookForAll(context, creates)) {
        if (declared.has(create.address)) left.set(create.address, create.intent);
        // Its key may have changed: under the new one nothing waits for it, and it would be created twice.
        else await settleInterrupted(context, create, deadline);
      }
      await settleDevices(settling, before);
      for (const tenant of tenants) await lookForAll(context, interruptedUploads(settling, journals, tenant));
      return (teamId) => journals.leftTo(teamId);
    });
    await check?.(made);
    for (const tenant of made.tenants) {
      const { found: live, files } = made.live;
      const teamId = made.lock.entries.get(tenant.address)?.id;
      for (const { address, name } of tenant.documents) {
        const planned = files.get(address)?.planned;
        const entry = documentAt(made.lock, address);
        const isKnown =
          live.get(address)?.state === 'locked' && planned && filesToSend({ files: [planned] }).length === 0;
        if (teamId !== undefined && isKnown && entry) journals.endUploads(teamId, name, entry);
      }
    }
    const lock = new StateWriter(turn, path, baseUrl, made.lock, context.clock);
    const isMoved = [...before.entries.keys()].some((address) => !made.lock.entries.has(address));
    const settleRest = async (): Promise<void> => {
      const late: Settling = {
        ...{ context, settleMs, keep: lock.keep.bind(lock), ...stateOf(lock) },
      };
      await settleAll(
        context,
        [
          ...[...left.values()].map((intent) => interruptedCreate(late, journals, intent)),
          ...made.tenants.flatMap((tenant) => interruptedUploads(late, journals, tenant)),
        ],
        deadline,
      );
    };
    const run = (options: RunOptions): ApplyRun => {
      journals.begin();
      const { rows, ...end } = runApply(
        context,
        made,
        { lock, journals, left, waitsFrom },
        { ...options, settleMs, again, deciding: deciding(made.plan, input) },
      );
      const all = async function* (): AsyncGenerator<ApplyRow, void, void> {
        try {
          if (isMoved) await lock.change((entries) => move(entries, made.moved));
          yield* rows;
          await settleRest();
        } finally {
          close();
        }
      };
      return { rows: all(), ...end };
    };
    return { made, lock: path, run, close };
  } catch (thrown) {
    close();
    throw thrown;
  }
}

/** Looks for the objects of interrupted calls without waiting. Returns the calls whose objects were not found. */
function lookForAll<Call extends InterruptedAt>(
  context: ResourceContext,
  calls: readonly Call[],
): Promise<readonly Call[]> {
  for (const { address } of calls)
    context.reporter.note(`An earlier run was cut off at ${address}; looking for it.`);
  return endFound(context, calls);
}

/**
 * Finds out the outcomes of the interrupted calls that no operation of the plan depended on. Warns of those that stay unknown: the
 * next run looks for them again.
 */
async function settleAll(
  context: ResourceContext,
  calls: readonly InterruptedAt[],
  deadline: number,
): Promise<void> {
  for (const call of calls) {
    if (context.signal.aborted) return;
    try {
      await settleInterrupted(context, call, deadline);
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !thrown.isUncertain) throw thrown;
      context.reporter.warn(joinRemarks([`${call.address}: ${thrown.message}`, thrown.hint], ' ') ?? '');
    }
  }
}

/** Returns what the settling of interrupted calls reads of a state as it becomes. */
function stateOf(state: Pick<State, 'entries'>): Pick<Doing, 'entryOf' | 'lineOf' | 'lockedIds'> {
  return {
    entryOf: (address) => objectAt(state, address),
    lineOf: (address) => documentAt(state, address),
    lockedIds: () => knownIds(state),
  };
}

function move(entries: Map<Address, StateEntry>, moves: readonly Move[]): void {
  const after = [...moved({ origin: '', entries }, moves).entries];
  entries.clear();
  for (const [address, entry] of after) entries.set(address, entry);
}
