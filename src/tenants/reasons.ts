/** The action of a plan on an object. */
export type Action = 'create' | 'update' | 'replace' | 'adopt' | 'delete' | 'none';

/** The reason of an action: each code with its phrase. */
export const reasons = {
  new: 'new',
  gone: 'gone from the service',
  changed: 'changed in the files',
  drifted: 'changed in the service',
  /** It is unknown whether the files or the service changed. */
  differs: 'differs from the files',
  renamed: 'renamed',
  replaced: 'replaced by another document',
  content: 'content changed',
  found: 'same name found',
  booked: 'in the device book',
  moved: 'file moved',
  'same-text': 'same text, different bytes',
  /** An imported document has the same text as its file. */
  matched: 'has the same text',
  assumed: 'secrets recorded as current',
  undeclared: 'no longer declared',
  deleted: 'already deleted in the service',
  'as-declared': 'as declared',
  impossible: 'not possible',
  unknown: 'unknown',
  unverified: 'unverified',
  unverifiable: 'not shown by the service',
} as const;

export type Reason = keyof typeof reasons;

const usual: ReadonlySet<Reason> = new Set(['new', 'changed', 'found', 'undeclared']);

/** Returns the phrase for a reason that the action alone does not suggest, or undefined. */
export function unusualReason(reason: Reason): string | undefined {
  return usual.has(reason) ? undefined : reasons[reason];
}

const recorded: ReadonlySet<Reason> = new Set(['moved', 'same-text', 'matched', 'assumed']);

/** Returns whether a change only adds information about an object to the state file: the service already matches the files. */
export function isRecordedOnly(reason: Reason): boolean {
  return recorded.has(reason);
}
