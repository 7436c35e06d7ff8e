import type { ResourceRow } from '../client/api.ts';
import type { PlannedFile } from '../documents/sync/planned-file.ts';
import type { ListedDocument } from '../documents/sync/sync-plan.ts';
import { inSentence } from '../lib/text/sentence.ts';
import type { Usage } from '../resources/teams/usage.ts';
import type { Address } from './desired.ts';

/** The match of a declared object in the service. */
export type Found =
  /** It is the one of the state file; or, if it is `alike`, it has no entry there and is the only match. */
  | { readonly state: 'locked' | 'alike'; readonly row: ResourceRow }
  /** If it is `gone`, the state file has an id that no longer exists. */
  | { readonly state: 'gone' | 'absent'; readonly row?: undefined };

/** The state of the service that a plan needs. Teams and bots are in their detail form. */
export interface Live {
  readonly found: ReadonlyMap<Address, Found>;
  /** The usage of quotas by team id, if bots and documents were listed. */
  readonly usage: ReadonlyMap<string, Partial<Usage>>;
  /** The names of teams, bots and documents by their ids, as far as they were listed. */
  readonly names: ReadonlyMap<string, string>;
  /** The planned changes of the files of documents. */
  readonly files: ReadonlyMap<Address, FileState>;
  /** The documents of the teams of tenants, by the addresses of those. */
  readonly documents: ReadonlyMap<Address, readonly ListedDocument[]>;
  /** Ambiguous objects; these take precedence over `found` and `files`. */
  readonly ambiguous: ReadonlyMap<Address, Ambiguity>;
  /** Devices of the device book that are not in the state file. */
  readonly bookedDevices: ReadonlyMap<Address, BookedDeviceEntry>;
  /** The states of the secret fields of bots that the service shows otherwise than the files say. */
  readonly secrets: ReadonlyMap<Address, SecretStates>;
}

/** By the field. Of one that is missing nothing was ever applied. */
export type SecretStates = ReadonlyMap<string, SecretState>;

/**
 * Whether a secret is the same as at the last apply, or was changed in the files or in the service. `unverified` if an earlier
 * version applied it, which recorded nothing to compare with.
 */
export type SecretState = 'same' | 'files' | 'service' | 'unverified';

/** The entry of the device book for a device that the files declare. */
export interface BookedDeviceEntry {
  /** In words, as a sentence. */
  readonly says: string;
  /** The one device of its name in the team; undefined where a create has had no answer. */
  readonly id?: string;
  /** True if it is the device that is declared: the state file has no entry of the tenant, and the book names no other bot. */
  readonly isIt: boolean;
}

/** The reason why an address matches several objects of the service. */
export interface Ambiguity {
  /** The candidates, as a sentence. */
  readonly says: string;
  /** The id of one that it may be; undefined where several of one name are to be made. */
  readonly candidate?: string;
}

/** Says that an address may be any of several things of a name. @param more how they are told apart otherwise */
export function ambiguity(
  noun: string,
  name: string,
  rows: readonly { readonly id: string }[],
  more = '',
): Ambiguity {
  const ids = rows.map(({ id }) => id).join(', ');
  const says = `It may be any of ${rows.length} ${noun}s that are named ${inSentence(name)}${more}: ${ids}.`;
  return { says, candidate: rows[0]?.id ?? '' };
}

/** The result of comparing the file of a document. */
export interface FileState {
  /** Undefined where the file could not be read. */
  readonly planned: PlannedFile | undefined;
  /** Why it could not. */
  readonly unread?: string | undefined;
  /** The documents that stood for the file before, and have the name of one that stands for a file. */
  readonly before: readonly ListedDocument[];
}
