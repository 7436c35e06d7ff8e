import type { ResourceRow } from '../../client/api.ts';
import { endUploads } from '../../documents/sync/earlier-uploads.ts';
import { filesToSend } from '../../documents/sync/planned-file.ts';
import { Failure } from '../../lib/errors.ts';
import { joinRemarks, type Remark } from '../../lib/text/remark.ts';
import { resolveFound, settleInterrupted, settleMs } from '../../once/settle.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { acquireApplyLock } from '../apply-lock.ts';
import { type Address, type Move, tenantKeyOf } from '../desired.ts';
import { makePlan, type PlanInput, type PlanResult, statePathFor } from '../make-plan.ts';
import { decisionHints } from '../plan-failure.ts';
import { documentAt, moveEntries, readState, type StateEntry } from '../state-file.ts';
import {
  type InterruptedAt,
  interruptedCreates,
  interruptedUploads,
  type SettleContext,
  settleDevices,
} from './create-settled.ts';
import { IntentLogs } from './intent-logs.ts';
import { type ApplyRow, applyFailure, applyTotals } from './report.ts';
import { Apply, type ApplyOptions } from './run-apply.ts';
import { StateWriter } from './state-writer.ts';

/** Input of an apply. */
export interface ApplyInput extends PlanInput {
  /** Checks the plan once interrupted calls are settled; throws if it must not be applied. */
  readonly check?: ((made: PlanResult) => Promise<void>) | undefined;
  /** The hint for how to continue after a failure; the same command again if undefined. */
  readonly resume?: Remark | undefined;
}

/** A running apply: its rows as they come, and the failure that follows the last one. */
interface ApplyRun {
  readonly rows: AsyncIterable<ApplyRow>;
  /** Undefined if everything matches the files. Call it after the last row. */
  failure(): Failure | undefined;
  /** The current totals, in one line without a full stop. */
  totals(): string;
}

/** An apply that is planned and holds the lock: no other apply can run until it is closed. */
export interface OpenApply {
  readonly planResult: PlanResult;
  /** The path of its state file. */
  readonly statePath: string;
  /** Carries out the plan, and closes the apply after the last row. */
  run(options: ApplyOptions): ApplyRun;
  close(): void;
}

/**
 * Opens an apply: acquires the lock, looks for the objects of interrupted calls of earlier runs, and plans. While the
 * plan is carried out, it waits for the objects that were not found.
 * @throws Failure `invalidInput` if another apply is running, or nothing can be written beside the state file; as
 *   `makePlan`, `settleInterrupted` and `check`
 */
export async function openApply(
  context: ResourceContext & Parameters<typeof makePlan>[0],
  { check, resume, ...input }: ApplyInput,
): Promise<OpenApply> {
  const { reporter } = context;
  const { baseUrl } = context.api;
  const path = input.lock ?? statePathFor(input.paths ?? []);
  const heldLock = await acquireApplyLock(context, path, 0);
  const toClose = [() => heldLock.release()];
  const close = (): void => {
    for (const one of toClose.splice(0).toReversed()) one();
  };
  try {
    const logs = new IntentLogs(path, ({ message }) =>
      reporter.warn(`${message} If this apply is interrupted, the next one can't tell what it created.`),
    );
    toClose.push(() => logs.close());
    const state = new StateWriter(heldLock, path, baseUrl, readState(path, baseUrl));
    const deadline = context.clock.now() + settleMs;
    const settling: SettleContext = { context, deadline, logs, state };
    /** The interrupted creates whose objects were not found. */
    const unsettled = new Map<Address, InterruptedAt>();
    const planResult = await makePlan(context, input, async (tenants, moves) => {
      const keys = new Set([...tenants.map(({ key }) => key), ...moves.map(({ from }) => tenantKeyOf(from))]);
      const isConcerned = (address: Address): boolean => keys.has(tenantKeyOf(address));
      const declared = new Set(
        tenants.flatMap(({ address, bots }) => [address, ...bots.map((bot) => bot.address)]),
      );
      for (const create of await lookForAll(context, interruptedCreates(settling, isConcerned))) {
        if (declared.has(create.address)) unsettled.set(create.address, create);
        // The key of the object may have changed: under the new key no operation waits for it, and it would be created
        // twice.
        else await settleInterrupted(context, create, deadline);
      }
      await settleDevices(settling);
      for (const tenant of tenants) await lookForAll(context, interruptedUploads(settling, tenant));
      return (teamId) => logs.unfinishedUploads(teamId);
    });
    await check?.(planResult);
    endKnownUploads(planResult, logs);
    const isMoved = [...state.entries.keys()].some((address) => !planResult.state.entries.has(address));
    const run = (options: ApplyOptions): ApplyRun => {
      logs.begin();
      const running = new Apply(settling, planResult, unsettled, options);
      const all = async function* (): AsyncGenerator<ApplyRow, void, void> {
        try {
          if (isMoved) await state.change((entries) => applyMoves(entries, planResult.moved));
          yield* running.rows();
          const uploads = planResult.tenants.flatMap((tenant) => interruptedUploads(settling, tenant));
          await settleAll(settling, [...unsettled.values(), ...uploads]);
        } finally {
          close();
        }
      };
      return {
        rows: all(),
        failure: () =>
          applyFailure(running.end, context.signal, decisionHints(planResult.plan, input), resume),
        totals: () => applyTotals(running.end),
      };
    };
    return { planResult, statePath: path, run, close };
  } catch (thrown) {
    close();
    throw thrown;
  }
}

/** Ends the interrupted uploads whose documents the state file has, if the files are unchanged since they were sent. */
function endKnownUploads({ tenants, live, state }: PlanResult, logs: IntentLogs): void {
  for (const tenant of tenants) {
    const teamId = state.entries.get(tenant.address)?.id;
    for (const { address, name } of tenant.documents) {
      const planned = live.files.get(address)?.planned;
      const line = documentAt(state, address);
      const isRecorded =
        live.found.get(address)?.state === 'locked' &&
        planned &&
        filesToSend({ files: [planned] }).length === 0;
      if (teamId !== undefined && isRecorded && line) endUploads(logs.uploads, { teamId, name }, line);
    }
  }
}

/** Looks for the objects of interrupted calls without waiting. Returns the calls whose objects were not found. */
function lookForAll<Call extends InterruptedAt>(
  context: ResourceContext,
  calls: readonly Call[],
): Promise<readonly Call[]> {
  for (const { address } of calls)
    context.reporter.note(`An earlier run was interrupted at ${address}. Looking for it.`);
  return resolveFound<ResourceRow, Call>(context, calls);
}

/**
 * Finds out the outcomes of the interrupted calls that no operation of the plan depended on. Warns of those that are
 * still unknown: the next run looks for them again.
 */
async function settleAll(
  { context, deadline }: SettleContext,
  calls: readonly InterruptedAt[],
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

function applyMoves(entries: Map<Address, StateEntry>, moves: readonly Move[]): void {
  const after = [...moveEntries({ origin: '', entries }, moves).entries];
  entries.clear();
  for (const [address, entry] of after) entries.set(address, entry);
}
