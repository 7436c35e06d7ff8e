import * as z from 'zod/mini';
import { writableBot } from '../../contract/bots.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { own } from '../../lib/own.ts';
import { mostSimilar } from '../../lib/text/similar.ts';
import type { Bot } from './bot.ts';
import type { DocumentNames } from './document-names.ts';
import { editableFields, editableOf, instructionsFileField, isTexts } from './editable.ts';
import type { BotFields, Path, Problem } from './model.ts';

/** The fields of a bot if they are right, and else everything that is wrong with them. */
export type Checked =
  | { readonly bot: BotFields; readonly problems: readonly [] }
  | { readonly bot?: undefined; readonly problems: readonly Problem[] };

/** Checks all the fields of a bot that a person wrote. Returns them, or everything that is wrong with them. */
export function checkBot(written: unknown): Checked {
  const checked = z.safeParse(writableBot, written);
  const problems = checked.success
    ? blankName(checked.data)
    : checked.error.issues.flatMap((issue) => problemsOf(issue, written));
  return checked.success && problems.length === 0 ? { bot: checked.data, problems: [] } : { problems };
}

/** A bot as a file that can be written back. */
export interface BotFile {
  readonly values: JsonObject;
  /** Fields that the service shows with a value that can't be written, such as a role that the API doesn't describe. */
  readonly leftOut: readonly string[];
}

/**
 * Returns a bot as a person gets it to write on: with a null where the service shows no name to introduce with, so
 * that one sees the field, and with names of documents instead of ids where they mean them alone. Sent back as it is,
 * it changes nothing.
 */
export function fileOf(bot: Bot, documents: DocumentNames): BotFile {
  const editable = editableOf(bot);
  const { document_ids: ids } = editable;
  const shown: JsonObject = {
    identification_name: null,
    ...editable,
    ...(isTexts(ids) && { document_ids: ids.map(documents.wordFor) }),
  };
  const wrong = new Set(checkBot(shown).problems.map(({ path: [field] }) => field));
  const fields = editableFields.filter((field) => Object.hasOwn(shown, field));
  return {
    values: Object.fromEntries(
      fields.filter((field) => !wrong.has(field)).map((field) => [field, shown[field]]),
    ),
    leftOut: fields.filter((field) => wrong.has(field)),
  };
}

/** `questions.2.answer`, counted from 1 as people do. */
export function pathWords(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? step + 1 : String(step))).join('.');
}

/** One sentence. */
export function sentenceOf({ path, says }: Problem): string {
  const subject = path.length === 0 ? 'This' : pathWords(path);
  return `${subject} ${says}${says.endsWith('?') ? '' : '.'}`;
}

function blankName({ name }: BotFields): readonly Problem[] {
  return name !== undefined && name.trim() === '' ? [{ path: ['name'], says: 'must not be empty' }] : [];
}

function problemsOf(issue: z.core.$ZodIssue, written: unknown): readonly Problem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], says: unknownField(path, key) }));
  }
  const value = valueAt(written, path);
  return [{ path, says: value === undefined ? 'is missing' : saysOf(issue, value) }];
}

function saysOf(issue: z.core.$ZodIssue, value: unknown): string {
  const not = `, not ${shown(value)}`;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${own(kinds, issue.expected) ?? issue.expected}${not}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}${not}`;
    case 'invalid_union':
      return `must be text, a number, or true or false${not}`;
    case 'too_small':
    case 'too_big':
      return typeof value === 'string' ? 'must not be empty' : `must be a number from 0 to 2${not}`;
    default:
      return `can't be ${shown(value)}`;
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'fields with values',
  record: 'names with values',
};

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'fields with values';
  if (typeof value !== 'string') return String(value);
  const line = value.replace(/\s+/g, ' ');
  return JSON.stringify(line.length > 40 ? `${line.slice(0, 39)}…` : line);
}

/** The names of the fields, by what holds them. */
const fieldNames = {
  bot: [...Object.keys(writableBot.shape), instructionsFileField],
  questions: ['question', 'answer'],
  actions: ['name', 'description', 'endpoint', 'method', 'headers', 'body'],
  body: ['key', 'value', 'type'],
} as const;

/** Fields that the service sets, and why they can't be written. */
const readOnly: Readonly<Record<string, string>> = {
  id: 'is set by the service; leave it out',
  provider_id: 'is set by the service; leave it out',
  vector_id: 'is set by the service; leave it out',
  created_at: 'is set by the service; leave it out',
  updated_at: 'is set by the service; leave it out',
  published: "can't be written: the API has no way to publish a bot",
  documents: 'is what the service shows; write document_ids instead',
};

function unknownField(path: Path, key: string): string {
  const [field, , inner] = path;
  const why = field === undefined ? own(readOnly, key) : undefined;
  if (why !== undefined) return why;
  const names =
    inner === 'body'
      ? fieldNames.body
      : field === 'questions' || field === 'actions'
        ? fieldNames[field]
        : fieldNames.bot;
  const similar = mostSimilar(key, names);
  return similar === undefined
    ? `is not a field; the fields are ${names.join(', ')}`
    : `is not a field; did you mean ${similar}?`;
}

function valueAt(written: unknown, path: Path): unknown {
  let value = written;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, step)?.value;
  }
  return value;
}
