import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, ownMember } from '../../lib/json-object.ts';
import { flagOf } from '../../lib/parse.ts';
import type { Bot } from './bot.ts';

/**
 * The writable fields of a bot, in the order in which a person would describe it, each with its allowed values
 * for the help.
 */
export const editableKinds = {
  name: 'text',
  role: 'support, dynamic or sales',
  description: 'text',
  identification_name: 'text or null; the name it introduces itself with',
  instructions: 'text',
  temperature: 'number from 0 to 2',
  allow_human: 'true or false',
  use_audio_responses: 'true or false',
  allow_user_audio_requests: 'true or false',
  capture_payments: 'true or false',
  break_lines: 'true or false',
  questions: 'list of question and answer, both text',
  actions: 'list of HTTP actions: see bots actions add --help',
  document_ids: 'list of documents, by name or id',
} as const;

export type EditableField = keyof typeof editableKinds;

/** The names of the fields, in that order. */
export const editableFields = Object.keys(editableKinds) as readonly EditableField[];

/** The member of a file with the path of another file that contains the instructions. */
export const instructionsFileField = 'instructions_file';

/** The fields that a file may have, one on each line, for the help. */
export const fieldLines: string = Object.entries({
  team_id: 'team, by name or id',
  ...editableKinds,
  [instructionsFileField]: 'text file beside this file, or in a subfolder',
})
  .map(([name, kind]) => `  ${name.padEnd(25)}  ${kind}`)
  .join('\n');

/**
 * Returns a bot as a file describes it: the writable fields that the service shows, in the shape in which they
 * are written. `--file`, `bots edit` and `bots diff` accept exactly this.
 */
export function editableOf({ raw }: Bot): JsonObject {
  const { documents } = raw;
  const shown: JsonObject = {
    ...raw,
    document_ids: Array.isArray(documents) ? documents.map(documentId) : undefined,
  };
  const values = editableFields.flatMap((field) => {
    const value = shownValue(field, shown[field]);
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(values);
}

/**
 * Returns the fields of a bot in the shape in which they are sent: without the ids of
 * actions, which the service sets, and with default values for the omitted members of an action. Checks nothing.
 */
export function writtenShape(written: JsonObject): JsonObject {
  const { actions } = written;
  return Array.isArray(actions) ? { ...written, actions: actions.map(writtenAction) } : written;
}

/**
 * Returns whether two values of a field are equivalent. Missing and null are equal. Lists have no order: questions are compared by
 * text, actions by name, the body of an action by key, documents by id. Texts are equal if they differ only
 * in line endings, or in line breaks at the end.
 */
export function isSameValue(field: string, one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(comparable(field, one), comparable(field, other));
}

/** Returns a value of a field in its canonical form. */
export function comparable(field: string, value: unknown): unknown {
  return inOneOrder(field, withPlainLines(value));
}

/** Returns a value with \n as the line ending of its texts, and without line breaks at the end. */
function withPlainLines(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\r\n', '\n').replace(/\n+$/, '');
  if (Array.isArray(value)) return value.map(withPlainLines);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withPlainLines(member)]));
}

/** Returns a value of a field with its lists sorted. */
export function inOneOrder(field: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? undefined;
  if (field === 'document_ids') return value.map((id) => String(id).toLowerCase()).sort();
  if (field === 'questions') return inOrderOf('question', value);
  if (field !== 'actions') return value;
  const actions = value.map((action: unknown) =>
    isObject(action) && Array.isArray(action.body)
      ? { ...action, body: inOrderOf('key', action.body) }
      : action,
  );
  return inOrderOf('name', actions);
}

/** Returns a list sorted by a member of its items; the sort is stable. */
function inOrderOf(member: string, list: readonly unknown[]): readonly unknown[] {
  const word = (one: unknown): string => (isObject(one) ? String(ownMember(one, member)) : '');
  return list.toSorted((one, other) => {
    const [before, after] = [word(one), word(other)];
    return before === after ? 0 : before < after ? -1 : 1;
  });
}

function documentId(link: unknown): unknown {
  return isObject(link) ? link.document_id : undefined;
}

function shownValue(field: EditableField, value: unknown): unknown {
  if (value === null) return undefined;
  // If a document has no id, the list could not be written back.
  if (field === 'document_ids') return isTexts(value) ? value : undefined;
  if (editableKinds[field] === 'true or false') return flagOf(value) ?? value;
  if (!Array.isArray(value)) return value;
  if (field === 'questions') return value.map(shownQuestion);
  return field === 'actions' ? value.map(shownAction) : value;
}

/** Returns whether a value is a list of texts. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function shownQuestion(shown: unknown): unknown {
  return isObject(shown) ? { question: shown.question, answer: shown.answer } : shown;
}

function shownAction(shown: unknown): unknown {
  if (!isObject(shown)) return shown;
  const { name, description, endpoint, method, headers, body } = shown;
  return writtenAction({ name, description, endpoint, method, headers, body });
}

/** Returns an action without its id, with empty values for omitted members. */
function writtenAction(written: unknown): unknown {
  if (!isObject(written)) return written;
  const { id: _, name, description, endpoint, method, headers, body, ...others } = written;
  return {
    name,
    description: description ?? '',
    endpoint,
    method,
    headers: headers ?? {},
    body: body ?? [],
    ...others,
  };
}
