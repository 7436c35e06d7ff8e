import type { JsonObject } from '../lib/json-object.ts';
import { inSentence } from '../lib/text/sentence.ts';

/** A thing of the service, by its id and name. */
export interface Named {
  readonly id: string;
  /** Absent if the service doesn't show one. */
  readonly name?: string | undefined;
  /** Its name in a sentence: the name or, if the service doesn't show one, its id. */
  readonly label: string;
}

/** Returns what a thing with this id is called. */
export function namedBy(id: string, { name }: JsonObject): Named {
  const known = typeof name === 'string' && name !== '' ? name : undefined;
  return { id, name: known, label: inSentence(known ?? id) };
}
