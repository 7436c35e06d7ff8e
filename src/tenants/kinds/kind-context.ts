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
 * An object of the files, with what its kind does about it. None can be carried out that isn't planned. What a method has done
 * is in the state file when it returns.
 */
export interface DeclaredObject {
  readonly address: Address;
  /** Says what is to be done about it. */
  plan(known: Known): ObjectPlan;
  /**
   * Makes it.
   * @throws Failure as `Api.call`, and where it can't be told whether there is one by now
   */
  create(kindContext: KindContext): Promise<void>;
  /** Takes what is there for it. Nothing of it counts as applied that the files say otherwise. */
  adopt(kindContext: KindContext, planned: ObjectPlan): Promise<void>;
  /**
   * Gives it some of its fields. Absent for a kind whose plans never change an object.
   * @throws Failure `rejected` if they were changed since the plan, and as `Api.call`
   */
  update?(kindContext: KindContext, fields: readonly string[]): Promise<void>;
  /**
   * Renames what it took the place of. Absent for a kind that takes no place.
   * @throws Failure as `Api.call`
   */
  retire?(kindContext: KindContext, planned: ObjectPlan): Promise<void>;
}

/** A team or a bot to create, which is found by its name if the answer is lost. `set` has the secrets too, which no log stores. */
export interface Creating extends Omit<CreateIntent, 'before' | 'replaces'> {
  /** True for a bot of a team that this run has created, which can have no other objects. */
  readonly isInNewTeam?: boolean;
}

/** Dependencies of the kinds of objects. */
export interface KindContext {
  /** Its reporter speaks of the object. */
  readonly context: ResourceContext;
  /** The input of the plan. */
  readonly known: Known;
  /** When calls of earlier runs can't take effect any more, in milliseconds since 1970 by this machine's clock. */
  readonly deadline: number;
  /** The current entries of the state file; a change is on the disk before the next call. */
  readonly state: StateWriter;
  /**
   * Returns the id of an object that is there by now.
   * @throws TypeError where there is none: what needs it isn't begun then
   */
  idOf(address: Address): string;
  /**
   * Creates a team or a bot once, and keeps it: where the answer is lost it is looked for.
   * @throws Failure as `create`, and `outcomeUnknown` if the outcome can't be found out
   */
  createOnce(creating: Creating, create: () => Promise<ResourceRow>): Promise<ResourceRow>;
  /** The intent log of documents, of all tenants. */
  readonly uploads: IntentLog<UploadIntent>;
  /** The documents of the team, as they become. */
  readonly documents: ListedDocument[];
  /** The sizes that the service shows for documents; each response adds one. */
  readonly sizes: ShownSizes;
  /** True if a risk was agreed to. */
  isAllowed(risk: Risk): boolean;
  /**
   * Keeps the token of a new device where that is wanted.
   * @param token undefined if the service told none
   * @throws Failure `outputFailed` where it can't be written
   */
  saveToken(address: Address, id: string, token: Secret | undefined): Promise<void>;
}
