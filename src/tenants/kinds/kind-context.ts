import type { ResourceRow } from '../../client/api.ts';
import type { ListedDocument } from '../../documents/sync/sync-plan.ts';
import type { ShownSizes } from '../../documents/upload/shown-size.ts';
import type { UploadIntent } from '../../documents/upload/upload-intent.ts';
import type { IntentLog } from '../../once/intent-log.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { Secret } from '../../secrets/secret.ts';
import type { CreateIntent } from '../apply/intent-logs.ts';
import type { StateWriter } from '../apply/state-writer.ts';
import type { Address } from '../desired.ts';
import type { Known, ObjectPlan, Risk } from './kind.ts';

/**
 * The handler of a declared object. `plan` comes before the other methods. When a method returns, the state file has
 * its result.
 */
export interface DeclaredObject {
  readonly address: Address;
  /** Plans the object. */
  plan(known: Known): ObjectPlan;
  /**
   * Creates the object.
   * @throws Failure as `Api.call`, and if it is unknown whether it exists
   */
  create(kindContext: KindContext): Promise<void>;
  /** Records an existing object as this one. Fields that differ from the files do not count as applied. */
  adopt(kindContext: KindContext, planned: ObjectPlan): Promise<void>;
  /**
   * Changes some of its fields. Absent for a kind whose plans never change an object.
   * @throws Failure `rejected` if they were changed since the plan, and as `Api.call`
   */
  update?(kindContext: KindContext, fields: readonly string[]): Promise<void>;
  /**
   * Renames the object that it replaced. Absent for a kind that replaces nothing.
   * @throws Failure as `Api.call`
   */
  retire?(kindContext: KindContext, planned: ObjectPlan): Promise<void>;
}

/**
 * A team or a bot to create, which is found by its name if the response is lost. `set` includes the secrets, which no log stores.
 */
export interface Creating extends Omit<CreateIntent, 'before' | 'replaces'> {
  /** True for a bot of a team that this run created, which can't have other objects. */
  readonly isInNewTeam?: boolean;
}

/** Dependencies of the handlers of objects. */
export interface KindContext {
  /** Its reporter names the object. */
  readonly context: ResourceContext;
  /** The input of the plan. */
  readonly known: Known;
  /** When calls of earlier runs can't take effect any more, in milliseconds since 1970 by this machine's clock. */
  readonly deadline: number;
  /** The current entries of the state file; a change is on the disk before the next call. */
  readonly state: StateWriter;
  /**
   * Returns the id of an object that exists.
   * @throws TypeError if it does not exist: an operation that needs it must not run then
   */
  idOf(address: Address): string;
  /**
   * Creates a team or a bot once, and records it. If the response is lost, this looks for the object.
   * @throws Failure as `create`, and `outcomeUnknown` if the outcome can't be found out
   */
  createOnce(creating: Creating, create: () => Promise<ResourceRow>): Promise<ResourceRow>;
  /** The intent log of documents, of all tenants. */
  readonly uploads: IntentLog<UploadIntent>;
  /** The documents of the team, updated as the run goes on. */
  readonly documents: ListedDocument[];
  /** The sizes that the service shows for documents; each response adds one. */
  readonly sizes: ShownSizes;
  /** Returns whether a risk was allowed. */
  isAllowed(risk: Risk): boolean;
  /**
   * Saves the token of a new device if requested.
   * @param token undefined if the service did not show it
   * @throws Failure `outputFailed` if it can't be written
   */
  saveToken(address: Address, id: string, token: Secret | undefined): Promise<void>;
}
