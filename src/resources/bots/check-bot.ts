import * as z from 'zod/mini';
import { writableBot } from '../../contract/bots.ts';
import { type JsonObject, ownMember } from '../../lib/json-object.ts';
import type { Problem } from '../../lib/problem.ts';
import { type FieldMessages, schemaProblems } from '../../lib/schema-problems.ts';
import type { Bot } from './bot.ts';
import type { DocumentNames } from './document-names.ts';
import { editableFields, editableOf, instructionsFileField, isTexts } from './editable.ts';
import type { BotFields } from './model.ts';

/** The fields of a bot if they are valid, or else all of their problems. */
export type CheckedBot =
  | { readonly bot: BotFields; readonly problems: readonly [] }
  | { readonly bot?: undefined; readonly problems: readonly Problem[] };

/** Checks all fields of a bot as a person wrote them. Returns them, or all of their problems. */
export function checkBot(written: unknown): CheckedBot {
  const checked = z.safeParse(writableBot, written);
  const problems = checked.success
    ? blankName(checked.data)
    : schemaProblems(writableBot, written, botFieldWords);
  return checked.success && problems.length === 0 ? { bot: checked.data, problems: [] } : { problems };
}

/** A bot as a file that can be edited and sent back. */
export interface BotFile {
  readonly values: JsonObject;
  /** Fields whose value can't be written, such as a role that the API doesn't describe. */
  readonly leftOut: readonly string[];
}

/**
 * Returns a bot as a file for editing: with a null if the service shows no name to introduce with, so
 * that the field is visible, and with unique names of documents instead of ids. Sent back unchanged,
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

function blankName({ name }: BotFields): readonly Problem[] {
  return name !== undefined && name.trim() === '' ? [{ path: ['name'], message: 'must not be empty' }] : [];
}

/** Fields that the service sets, each with the reason why it can't be written. */
const readOnly: Readonly<Record<string, string>> = {
  id: 'is set by the service; leave it out',
  provider_id: 'is set by the service; leave it out',
  vector_id: 'is set by the service; leave it out',
  created_at: 'is set by the service; leave it out',
  updated_at: 'is set by the service; leave it out',
  published: "can't be written: the API has no way to publish a bot",
  documents: 'is what the service shows; write document_ids instead',
};

/** Names and hints for the fields of a bot file. */
export const botFieldWords: FieldMessages = {
  unwritableReason: ([field, ...inner]) =>
    inner.length === 0 ? ownMember(readOnly, String(field)) : undefined,
  // The service sets the id of an action.
  fieldNames: ({ length }, names) =>
    length === 0 ? [...names, instructionsFileField] : names.filter((name) => name !== 'id'),
};
