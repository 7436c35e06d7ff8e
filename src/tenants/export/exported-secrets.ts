import type { ResourceRow } from '../../client/api.ts';
import { isObject, ownMember } from '../../lib/json-object.ts';
import { findUnsendable } from '../../lib/text/characters.ts';
import { percentDecode } from '../../lib/text/quote.ts';
import { toBot } from '../../resources/bots/bot.ts';
import { editableOf } from '../../resources/bots/editable.ts';
import { Redactor } from '../../secrets/redactor.ts';
import { isSecretName, mask, Secret } from '../../secrets/secret.ts';
import { mapMembers, mapTexts, replaceSecrets, secretsIn } from '../action-secrets.ts';
import { type DeclaredValue, declaredValue } from '../desired.ts';
import { isAsShown, isSent, recordOf, type SecretRecord, withShown } from '../secret-records.ts';
import { objectsIn, type State } from '../state-file.ts';

/** A field of a bot. */
export interface BotFieldValue {
  readonly name: string;
  readonly value: unknown;
  /** True if a secret is in it: by the state file, where a variable gave it, or by the rules for actions. */
  readonly isSecret: boolean;
}

/**
 * Returns the value of a field with other texts in place of its secrets.
 * @param secret gets the secret, and the names of what it is of
 * @param open replaces all other texts; they stay as they are by default
 */
export function replaceFieldSecrets(
  { name, value, isSecret }: BotFieldValue,
  secret: (text: string, names: readonly string[]) => string,
  open: (text: string) => string = (text) => text,
): unknown {
  if (name === 'actions') return replaceSecrets(value, secret, open);
  const hide = (text: string): string => (isSecret && text.trim() !== '' ? secret(text, [name]) : open(text));
  if (!Array.isArray(value)) return mapTexts(value, hide);
  // Of questions, only the answers can come from a variable that is secret.
  return value.map((item: unknown) =>
    isObject(item)
      ? mapMembers(item, (member, one) => mapTexts(one, member === 'answer' ? hide : open))
      : mapTexts(item, open),
  );
}

/** Finds secrets in the teams that are exported. */
export class SecretSearch {
  readonly #redact: (text: string) => string;
  readonly #redactor = new Redactor();
  /** The names of the fields that are secret by the state file, by the ids of bots in lower case. */
  readonly #names: ReadonlyMap<string, readonly string[]>;

  /**
   * @param bots in the detail form
   * @param redact masks the secrets that this command used
   */
  constructor(state: State, bots: readonly ResourceRow[], redact: (text: string) => string) {
    this.#redact = redact;
    this.#names = new Map(
      objectsIn(state).map(([, { id = '', secret = [] }]) => [id.toLowerCase(), secret] as const),
    );
    for (const field of bots.flatMap((row) => this.fieldsOf(row))) this.#learn(field);
  }

  /** Returns the names of the fields of a bot that are secret by the state file: a variable gave their values. */
  namesOf({ id }: ResourceRow): readonly string[] {
    return this.#names.get(id.toLowerCase()) ?? [];
  }

  /** Returns the fields of a bot, but its documents. */
  fieldsOf(row: ResourceRow): readonly BotFieldValue[] {
    const { document_ids: _, ...values } = editableOf(toBot(row));
    const names = this.namesOf(row);
    return Object.entries(values).map(([name, value]) => {
      const isSecret = name === 'actions' ? secretsIn(value).size > 0 : names.includes(name);
      return { name, value, isSecret };
    });
  }

  /** Learns the secrets of a field, which may appear in other fields too. */
  #learn(field: BotFieldValue): void {
    const learn = (text: string, names: readonly string[]): string => {
      const of = names.at(-1) ?? '';
      // A header with another name may be a key, but is often an ordinary word.
      if (!isMask(text) && (field.name !== 'actions' || /^login$|cookie/i.test(of) || isSecretName(of)))
        for (const form of formsOf(text, of)) this.#redactor.learn(form);
      return text;
    };
    replaceFieldSecrets(field, learn);
  }

  /** True of a name that files can hold. */
  isName(name: unknown): boolean {
    return typeof name === 'string' && name.trim() !== '' && !this.isIn(name);
  }

  /** True if there is a secret in a JSON value, or the mask of one. */
  isIn(value: unknown): boolean {
    const text = JSON.stringify(value) ?? '';
    return this.#isOwnIn(text) || this.#redactor.text(text) !== text;
  }

  /** Returns why the files can't have a field, as the end of a sentence; undefined if they can. */
  exportProblem(field: BotFieldValue): string | undefined {
    const secrets: string[] = [];
    const open = replaceFieldSecrets(field, (text) => {
      secrets.push(text);
      return '';
    });
    if (secrets.some(isMask) || isMasked(open)) return 'whose value the service masks';
    if (this.isIn(open) || secrets.some((text) => this.#isOwnIn(text)))
      return 'whose value contains a secret';
    return secrets.every(fitsFile) ? undefined : "whose secret a file can't hold";
  }

  #isOwnIn(text: string): boolean {
    return text.includes(mask) || this.#redact(text) !== text;
  }
}

/**
 * Returns the fingerprint of a secret field as the files declare it and the service shows it: by it, a plan notices a change.
 * @param before the fingerprint in the state file, which stays if it fits
 */
export async function exportedRecord(
  field: BotFieldValue,
  before: SecretRecord | undefined,
  salt: string,
): Promise<SecretRecord> {
  const { name, value } = field;
  const marked = replaceFieldSecrets(field, (text) => `${text}\0`);
  const declared = { name, value: withSecrets(value, marked) };
  if (before && (await isSent(before, declared)) && (await isAsShown(before, declared, value))) return before;
  return withShown(await recordOf(declared, salt), declared, value);
}

/** Returns a value with a `Secret` in place of each text that is another one in the second value. */
function withSecrets(value: unknown, other: unknown): DeclaredValue {
  if (typeof value === 'string') return value === other ? value : new Secret(value);
  if (Array.isArray(value) && Array.isArray(other))
    return value.map((item: unknown, at) => withSecrets(item, other[at]));
  if (!isObject(value) || !isObject(other)) return declaredValue(value);
  const members = Object.entries(value).map(([name, one]) => [
    name,
    withSecrets(one, ownMember(other, name)),
  ]);
  return Object.fromEntries(members);
}

/** Returns a secret, and its part behind `Bearer ` or the name of a login, also without percent encoding. */
function formsOf(secret: string, of: string): readonly string[] {
  const part = of === 'login' ? secret.slice(secret.indexOf(':') + 1) : secret.trim().replace(/^\w+\s+/, '');
  return [secret, part].flatMap((text) => [text, percentDecode(text) ?? text]);
}

/** True of a secret of which the service shows a part at most. */
function isMask(secret: string): boolean {
  return /^(?:\w+\s+)?\S*[*•●]{3}\S*$|^\W?(?:redacted|masked|hidden)\W?$/i.test(secret);
}

/** True if a text in a value consists of a mask. */
function isMasked(value: unknown): boolean {
  let isFound = false;
  mapTexts(value, (text) => {
    isFound ||= /^[*•●]{4,}$/.test(text);
    return text;
  });
  return isFound;
}

/** True of a secret that is read from a file as it was written: see `parseSecret`. */
function fitsFile(secret: string): boolean {
  const text = secret.replace(/\n+$/, '');
  return !/[\r\n]/.test(text) && findUnsendable(text) === undefined && text.length <= 64 * 1024;
}
