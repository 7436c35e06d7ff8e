/** The reasons why the characters of a file aren't counted, each with its sentence after the name of the file. */
export const refusals = {
  empty: 'has no characters but white space',
  encrypted: 'is encrypted',
  'no-text': 'has no text in it, only pictures',
  mismatch: 'is something else than its name says',
  unsupported: 'is of a format that is not read',
  corrupt: 'is damaged, or cut short',
  bomb: 'unpacks to far more than a document has',
  'too-large': 'needs more memory than is given to a document',
  'timed-out': 'takes longer than is given to a document',
  'not-text': 'is not text: it holds binary data',
} as const satisfies Readonly<Record<string, string>>;

/** The reason why the characters of a file aren't counted. */
export type RefusalReason = keyof typeof refusals;

/** The reasons. */
export const refusalReasons: readonly RefusalReason[] = Object.keys(refusals).filter(
  (reason): reason is RefusalReason => Object.hasOwn(refusals, reason),
);
