import type { ListedDocument } from '../../documents/sync/sync-plan.ts';
import { ShownSizes } from '../../documents/upload/shown-size.ts';
import { Failure, failureCode } from '../../lib/errors.ts';
import { CircuitBreaker } from '../../lib/run-batch.ts';
import { joinRemarks, type RemarkText } from '../../lib/text/remark.ts';
import { settleInterrupted } from '../../once/settle.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { Address } from '../desired.ts';
import { idOf, type Known, type ObjectPlan, type Risk, retiredId } from '../kinds/kind.ts';
import type { DeclaredObject, KindContext } from '../kinds/kind-context.ts';
import { objectsOf } from '../kinds/kinds.ts';
import { deleteBot } from '../kinds/pruned-bot.ts';
import type { PlanResult } from '../make-plan.ts';
import { type Operation, operationsOf } from '../operations.ts';
import { createSettled, type InterruptedAt, type SettleContext } from './create-settled.ts';
import { documentRecords } from './record-documents.ts';
import type { ApplyRow, ApplyTotals } from './report.ts';
import type { StateChange, StateWriter } from './state-writer.ts';
import type { TokenFile } from './token-file.ts';

/** Tenants that are applied at the same time. */
const tenantsAtOnce = 4;

/** How a plan is carried out. */
export interface ApplyOptions {
  /** The file for the tokens of new devices; they are discarded if undefined. */
  readonly tokens: TokenFile | undefined;
  /** Returns true if a risk is allowed for every object; the risks of the plan were already confirmed. */
  allows(risk: Risk): boolean;
}

/** Returns whether the object stays in the service if the operation fails. @param id of the object in the state file */
function keepsObject({ action, reason }: Operation, id: string | null): boolean {
  // The state file still has the object that is missing or would be replaced.
  const makesAnother = action === 'replace' || reason === 'gone';
  return action === 'update' || (!makesAnother && id !== null);
}

/** Returns whether an operation only changes the state file. */
function isOfStateFile({ action, reason }: ApplyRow): boolean {
  return action === 'adopt' || reason === 'deleted';
}

/** The progress of one tenant. */
interface TenantRun {
  /** Undefined if the files no longer declare the tenant. */
  readonly known: Known | undefined;
  readonly objects: ReadonlyMap<Address, DeclaredObject>;
  /** Objects that should have been created and do not exist. */
  readonly missing: Set<Address>;
  /** Objects whose operation failed. */
  readonly failed: Set<Address>;
  /** The documents of its team, updated as the run goes on. */
  readonly documents: ListedDocument[];
  /** The change of the state file for its documents, which is written before any operation of the tenant. */
  record: StateChange | undefined;
  /** The remaining operations. */
  readonly operations: Operation[];
}

/**
 * Carries out a plan, several tenants at a time; the operations of one tenant run one after the other. A failure does not stop
 * operations that don't depend on it. A signal ends the run, and so does a failure that affects every operation.
 */
export class Apply {
  readonly end: ApplyTotals = {
    outcomes: { done: 0, failed: 0, unknown: 0, skipped: 0, impossible: 0 },
    ...{ failed: [], undecided: [], notStarted: 0, recordedOnly: 0 },
  };
  readonly #settling: SettleContext;
  readonly #context: ResourceContext;
  readonly #state: StateWriter;
  readonly #planResult: PlanResult;
  readonly #unsettled: Map<Address, InterruptedAt>;
  readonly #options: ApplyOptions;
  readonly #breaker = new CircuitBreaker();
  readonly #sizes = new ShownSizes();

  /** @param unsettled the interrupted creates of earlier runs whose objects were not found; each is removed once it is settled */
  constructor(
    settling: SettleContext,
    planResult: PlanResult,
    unsettled: Map<Address, InterruptedAt>,
    options: ApplyOptions,
  ) {
    this.#settling = settling;
    this.#context = settling.context;
    this.#state = settling.state;
    this.#planResult = planResult;
    this.#unsettled = unsettled;
    this.#options = options;
  }

  /** Yields a row for each outcome as it comes. If the consumer stops, no operation starts any more; running ones are awaited. */
  async *rows(): AsyncGenerator<ApplyRow, void, void> {
    for (const object of this.#planResult.plan.objects) yield* this.#unchangedRow(object);
    const runs = this.#runs();
    const waiting = [...runs];
    const running = new Map<
      TenantRun,
      Promise<{ readonly run: TenantRun; readonly row: ApplyRow | undefined }>
    >();
    const begin = (): void => {
      while (!this.#isOver && running.size < tenantsAtOnce) {
        const run = waiting.shift();
        if (!run) return;
        const step = this.#step(run).then((row) => ({ run, row }));
        // Promise.race reports a rejection; this only marks it as handled.
        step.catch(() => undefined);
        running.set(run, step);
      }
    };
    try {
      for (begin(); running.size > 0; begin()) {
        const { run, row } = await Promise.race(running.values());
        running.delete(run);
        if (run.operations.length > 0) waiting.unshift(run);
        if (row) yield row;
      }
    } finally {
      await Promise.allSettled(running.values());
      this.end.notStarted = runs.reduce((sum, { operations }) => sum + operations.length, 0);
    }
  }

  /** Returns the row of an object that is impossible or unknown. */
  *#unchangedRow({ address, kind, name, id, impossible, unknownSince }: ObjectPlan): Generator<ApplyRow> {
    const row = { address, kind, name, id: id ?? null, code: null };
    if (unknownSince !== undefined) {
      const error = `Creating it was interrupted at ${unknownSince}.`;
      this.end.undecided.push(address);
      yield this.#count({ ...row, action: 'none', reason: 'unknown', outcome: 'unknown', error });
    } else if (impossible.length > 0) {
      yield this.#count({
        ...row,
        ...{ action: 'none', reason: 'impossible', outcome: 'impossible' },
        error: impossible.join(' '),
      });
    }
  }

  /** Returns the tenants with operations. */
  #runs(): readonly TenantRun[] {
    const { tenants, knownOf, plan, live } = this.#planResult;
    const declared = new Map(tenants.map((tenant) => [tenant.key, tenant]));
    const planned = new Map(plan.objects.map((object) => [object.address, object]));
    const runs = [...operationsOf(plan)].map(([key, operations]): TenantRun => {
      const tenant = declared.get(key);
      const objects = tenant ? objectsOf(tenant).map((object) => [object.address, object] as const) : [];
      return {
        ...{ known: tenant && knownOf(tenant), objects: new Map(objects) },
        ...{ missing: new Set(), failed: new Set(), operations: [...operations] },
        documents: [...(live.documents.get(key) ?? [])],
        record: tenant && documentRecords(knownOf(tenant), planned),
      };
    });
    const all = runs.filter((run) => run.operations.length > 0 || run.record);
    // The other tenants run while these wait.
    return [...all.filter((run) => !this.#waits(run)), ...all.filter((run) => this.#waits(run))];
  }

  /** Returns whether a tenant has to wait for the outcome of a call that an earlier run did not finish. */
  #waits({ known, operations }: TenantRun): boolean {
    const teamId = known && this.#state.entries.get(known.tenant.address)?.id;
    const waitsForUpload = this.#settling.logs.unfinishedUploads(teamId).length > 0;
    return waitsForUpload || operations.some(({ address }) => this.#unsettled.has(address));
  }

  /** Returns whether no further operation may start. */
  get #isOver(): boolean {
    // If results can't be saved, no further operation starts.
    const isKept = !this.#state.isBroken && this.#options.tokens?.isBroken !== true;
    return this.#context.signal.aborted || this.#breaker.isOpen || !isKept;
  }

  /** Runs the next operation of a tenant. Returns its row. */
  async #step(run: TenantRun): Promise<ApplyRow | undefined> {
    const { record, known } = run;
    if (!record || !known) {
      const operation = run.operations.shift();
      return operation && this.#count(await this.#operation(run, operation));
    }
    run.record = undefined;
    try {
      await this.#state.change(record);
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.kind === 'unexpected') throw thrown;
      // The result can't be saved, so no further operation starts.
      this.end.failed.push({ address: known.tenant.address, failure: thrown });
    }
    return undefined;
  }

  /** Runs an operation, and returns its row once the state file has the result. */
  async #operation(run: TenantRun, operation: Operation): Promise<ApplyRow> {
    const { address, action, reason, planned, needs } = operation;
    const { kind, name } = planned;
    const row = { address, kind, name, action, reason, error: null, code: null };
    const isRetired = reason === 'replaced';
    const id = (): string | null => {
      if (isRetired) return retiredId(planned);
      return (action === 'delete' ? planned.id : this.#state.entries.get(address)?.id) ?? null;
    };
    const lacking = isRetired ? run.failed : run.missing;
    const lacks = needs.filter((needed) => lacking.has(needed));
    if (lacks.length > 0) {
      run.failed.add(address);
      if (!isRetired) run.missing.add(address);
      const error = `It needs ${lacks.join(', ')}.`;
      return { ...row, id: id(), outcome: 'skipped', error };
    }
    try {
      await this.#carryOut(run, operation);
      this.#breaker.record(undefined);
      return { ...row, id: id(), outcome: 'done' };
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.kind === 'unexpected') throw thrown;
      this.#breaker.record(thrown);
      this.end.failed.push({ address, failure: thrown });
      if (!keepsObject(operation, id())) run.missing.add(address);
      run.failed.add(address);
      const outcome = thrown.isUncertain ? 'unknown' : 'failed';
      return { ...row, id: id(), outcome, error: thrown.message, code: failureCode(thrown) };
    }
  }

  async #carryOut(run: TenantRun, { address, action, reason, planned, fields }: Operation): Promise<void> {
    const call = this.#unsettled.get(address);
    this.#unsettled.delete(address);
    const context = { ...this.#context, reporter: objectReporter(this.#context, address) };
    const isThere = call && (await settleInterrupted(context, call, this.#settling.deadline));
    if (action === 'delete') {
      const row = this.#planResult.live.found.get(address)?.row;
      if (row) await deleteBot(context, row);
      return this.#state.set(address, undefined);
    }
    const object = run.objects.get(address);
    if (!object || !run.known) throw new TypeError(`${address} is planned and not declared`);
    const kindContext = this.#kindContext(context, run, run.known, planned);
    if (isThere) {
      // Its create was sent by an earlier version of the files. An adopted object has an update operation of its own.
      if (action !== 'adopt') await object.update?.(kindContext, fields);
    } else if (action === 'adopt') await object.adopt(kindContext, planned);
    else if (reason === 'replaced') await object.retire?.(kindContext, planned);
    else if (action === 'update') await object.update?.(kindContext, fields);
    else await object.create(kindContext);
  }

  #kindContext(
    context: ResourceContext,
    { documents }: TenantRun,
    known: Known,
    { risks }: ObjectPlan,
  ): KindContext {
    const { deadline, logs, state } = this.#settling;
    const { tokens } = this.#options;
    const isAllowed = (risk: Risk): boolean =>
      risks.some((one) => one.risk === risk) || this.#options.allows(risk);
    const settling = { ...this.#settling, context };
    const { names } = this.#planResult.live;
    return {
      ...{ context, known, documents, isAllowed, deadline, state },
      ...{ sizes: this.#sizes, uploads: logs.uploads },
      idOf: (of) => currentId(state, known, of),
      createOnce: (creating, create) => createSettled(settling, names, creating, create),
      async saveToken(of, id, token) {
        if (token) await tokens?.add(of, id, token);
        else if (tokens)
          context.reporter.warn(`The service returned no token for device ${id}, so none is saved.`);
      },
    };
  }

  #count(row: ApplyRow): ApplyRow {
    this.end.outcomes[row.outcome] += 1;
    if (isOfStateFile(row) && row.outcome === 'done') this.end.recordedOnly += 1;
    return row;
  }
}

/** Returns the current id of an object: the one in the state file, or the one that the plan found. */
function currentId({ entries }: StateWriter, known: Known, address: Address): string {
  // The planned id may be that of the replaced object.
  const id = entries.get(address)?.id ?? idOf(known, address);
  if (id === undefined) throw new TypeError(`${address} is needed and not there`);
  return id;
}

/** Returns a reporter that names the object in each message, and drops `done`, since the rows show it. */
function objectReporter({ reporter }: ResourceContext, address: Address): ResourceContext['reporter'] {
  const about = (text: RemarkText): RemarkText => joinRemarks([`${address}:`, text], ' ') ?? '';
  return {
    note: (text) => reporter.note(about(text)),
    warn: (text) => reporter.warn(about(text)),
    done: () => undefined,
    progress: (text) => reporter.progress(text),
  };
}
