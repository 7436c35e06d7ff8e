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
  /** True if it contains a secret: by the state file, if a variable gave it, or by the rules for actions. */
  readonly isSecret: boolean;
}

/**
 * Returns the value of a field with its secrets replaced.
 * @param secret gets the secret, and the names that locate it
 * @param open replaces all other texts; without it they are unchanged
 */
export function replaceFieldSecrets(
  { name, value, isSecret }: BotFieldValue,
  secret: (text: string, names: readonly string[]) => string,
  open: (text: string) => string = (text) => text,
): unknown {
  if (name === 'actions') return replaceSecrets(value, secret, open);
  const hide = (text: string): string => (isSecret && text.trim() !== '' ? secret(text, [name]) : open(text));
  if (!Array.isArray(value)) return mapTexts(value, hide);
  // In questions, only the answers can come from a secret variable.
  return value.map((item: unknown) =>
    isObject(item)
      ? mapMembers(item, (member, one) => mapTexts(one, member === 'answer' ? hide : open))
      : mapTexts(item, open),
  );
}

/** Finds secrets in exported teams. */
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

  /** Returns the fields of a bot without its documents. */
  fieldsOf(row: ResourceRow): readonly BotFieldValue[] {
    const { document_ids: _, ...values } = editableOf(toBot(row));
    const names = this.namesOf(row);
    return Object.entries(values).map(([name, value]) => {
      const isSecret = name === 'actions' ? secretsIn(value).size > 0 : names.includes(name);
      return { name, value, isSecret };
    });
  }

  /** Records the secrets of a field, which may appear in other fields too. */
  #learn(field: BotFieldValue): void {
    const learn = (text: string, names: readonly string[]): string => {
      const of = names.at(-1) ?? '';
      // Another header may contain a key, but its value is often an ordinary word.
      if (!isMask(text) && (field.name !== 'actions' || /^login$|cookie/i.test(of) || isSecretName(of)))
        for (const form of formsOf(text, of)) this.#redactor.learn(form);
      return text;
    };
    replaceFieldSecrets(field, learn);
  }

  /** Returns whether files can contain a name. */
  isName(name: unknown): boolean {
    return typeof name === 'string' && name.trim() !== '' && !this.isIn(name);
  }

  /** Returns whether a JSON value contains a secret, or the mask of one. */
  isIn(value: unknown): boolean {
    const text = JSON.stringify(value) ?? '';
    return this.#isOwnIn(text) || this.#redactor.text(text) !== text;
  }

  /** Returns why the files can't contain a field, as the end of a sentence; undefined if they can. */
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
 * Returns the fingerprint of a secret field as the files declare it and the service shows it. A plan detects changes with it.
 * @param before the fingerprint in the state file, which is reused if it still matches
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

/** Returns a value with a `Secret` in place of each text that differs in the second value. */
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

/** Returns a secret, and its part after `Bearer ` or the user name of a login, also without percent encoding. */
function formsOf(secret: string, of: string): readonly string[] {
  const part = of === 'login' ? secret.slice(secret.indexOf(':') + 1) : secret.trim().replace(/^\w+\s+/, '');
  return [secret, part].flatMap((text) => [text, percentDecode(text) ?? text]);
}

/** Returns whether a secret is masked: the service shows at most a part of it. */
function isMask(secret: string): boolean {
  return /^(?:\w+\s+)?\S*[*•●]{3}\S*$|^\W?(?:redacted|masked|hidden)\W?$/i.test(secret);
}

/** Returns whether a value contains a masked text. */
function isMasked(value: unknown): boolean {
  let isFound = false;
  mapTexts(value, (text) => {
    isFound ||= /^[*•●]{4,}$/.test(text);
    return text;
  });
  return isFound;
}

/** Returns whether a secret is read back unchanged from a file: see `parseSecret`. */
function fitsFile(secret: string): boolean {
  const text = secret.replace(/\n+$/, '');
  return !/[\r\n]/.test(text) && findUnsendable(text) === undefined && text.length <= 64 * 1024;
}
