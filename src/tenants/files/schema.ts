import * as z from 'zod/mini';
import { actionInput, writableBot } from '../../contract/bots.ts';
import { openObject } from '../../contract/schema.ts';
import { createTeam, updateTeam } from '../../contract/teams.ts';
import { ownMember } from '../../lib/json-object.ts';
import type { FieldMessages } from '../../lib/schema-problems.ts';
import { botFieldWords } from '../../resources/bots/check-bot.ts';
import { editableKinds, instructionsFileField } from '../../resources/bots/editable.ts';

/** Descriptions of the fields, for editors; the schemas of the contract have none. */
const about = z.registry<{ readonly description: string }>();

function described<S extends z.core.$ZodType>(schema: S, description: string): S {
  const own = z.clone(schema);
  about.add(own, { description });
  return own;
}

/** The key of a tenant, or of an object of one. */
export const tenantKey = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be a key: letters, digits, and inside also a dot, _ or -'),
  );
const someText = z.string().check(z.minLength(1));

const administrator = described(
  // The phone is read as people write it, with the parser for all phone numbers.
  z.extend(createTeam.body.shape.user, { phone: someText }),
  'User who is created with the team: needed for a new team, never compared.',
);

/** The sources of a document: exactly one of these. */
export const documentSources = ['file', 'files', 'folder', 'existing'] as const;

const documents = z.strictObject({
  file: z.optional(described(someText, 'A file beside or below this file.')),
  files: z.optional(described(someText, 'A pattern for such files: faq/**/*.docx')),
  folder: z.optional(described(someText, 'A folder with all its files, also in subfolders.')),
  existing: z.optional(described(someText, 'The name or id of an existing document of the team.')),
});

const { name: _name, team_id: _team, document_ids: _documents, ...botFields } = writableBot.shape;

const bot = z.strictObject({
  // First, in the order that people expect.
  name: described(someText, 'name of the bot'),
  ...withWords(botFields, editableKinds),
  // Members of an action that may be omitted, as in a bot file.
  actions: z.optional(
    described(
      z.array(
        z.extend(actionInput, {
          description: z.nullish(actionInput.shape.description),
          headers: z.nullish(actionInput.shape.headers),
          body: z.nullish(actionInput.shape.body),
        }),
      ),
      'list of HTTP actions',
    ),
  ),
  [instructionsFileField]: z.optional(
    described(someText, 'file with the instructions, beside or below this file'),
  ),
  documents: z.optional(described(z.array(someText), 'list of documents, by their keys in this tenant')),
});

const device = z.strictObject({
  name: described(someText, 'name of the device'),
  bot: described(someText, 'key of a bot of this tenant'),
});

/** One tenant, after its variables were replaced. */
export const tenantSchema = z.strictObject({
  ...withWords(updateTeam.body.shape, {
    plan_name: 'name of its plan; needed for a new team',
    quotas: 'quotas that are left out are not changed',
  }),
  name: described(someText, 'name of the team'),
  administrator: z.optional(administrator),
  documents: z.optional(described(z.record(tenantKey, documents), 'documents of the team, by key')),
  bots: z.optional(described(z.record(tenantKey, bot), 'bots of the team, by key')),
  devices: z.optional(described(z.record(tenantKey, device), 'devices of the team, by key')),
});

const tenants = described(z.record(tenantKey, tenantSchema), 'Teams and what belongs to them, by key.');

const moved = z.array(
  z.strictObject({
    from: described(someText, 'old address, such as aurora/bots/desk'),
    to: described(someText, 'new address, such as aurora/bots/front-desk'),
  }),
);

/** A whole file, without the members that begin with `x-`. */
export const fileSchema = z.strictObject({
  $schema: z.optional(z.string()),
  version: described(z.literal(1), 'Version of the file format.'),
  tenants: z.optional(tenants),
  moved: z.optional(described(moved, 'Keys that changed.')),
});

/** The prefix of members that exist only for YAML aliases. */
export const extensionPrefix = 'x-';

/** Fields that the service sets, or that have another name here, each with the reason why it can't be written. */
const otherNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['id', 'created_at', 'updated_at', 'settings'].map((name) => [
      name,
      'is set by the service; leave it out',
    ]),
  ),
  user: 'is written as administrator',
  admin: 'is written as administrator',
  plan: 'is written as plan_name',
};

/** Names and hints for the fields of a tenant. */
export const tenantWords: FieldMessages = {
  unwritableReason([kind, key, ...inner]) {
    if (key === undefined) return ownMember(otherNames, String(kind));
    if (kind !== 'bots' || inner.length !== 1) return undefined;
    const [field] = inner;
    if (field === 'document_ids') return 'is written as documents: the keys of documents of this tenant';
    if (field === 'team_id') return 'is not written here: the bot belongs to its tenant';
    return botFieldWords.unwritableReason?.(inner);
  },
  fieldNames: ([kind, _key, ...inner], names) =>
    kind === 'bots' && inner.length > 0 ? names.filter((name) => name !== 'id') : names,
};

/** Returns the JSON Schema of a tenants' file as it is written: a variable may replace any value. */
export function schemaText(): string {
  const { $schema: _, ...schema } = z.toJSONSchema(fileSchema, {
    metadata: about,
    io: 'input',
    override({ jsonSchema, zodSchema }) {
      if (zodSchema === openObject) Object.assign(jsonSchema, { type: 'object', additionalProperties: {} });
      if (zodSchema === fileSchema)
        Object.assign(jsonSchema, { patternProperties: { [`^${extensionPrefix}`]: {} } });
      if (zodSchema === documents) {
        const oneOf = documentSources.map((source) => ({ required: [source] }));
        Object.assign(jsonSchema, { oneOf });
      }
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      allowVariable(jsonSchema);
    },
  });
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  return JSON.stringify({ $schema, title: 'Tenants of botctl', ...schema }, null, 2);
}

/** Allows a variable in place of a value that is not a text, or a text with a format. */
function allowVariable(schema: z.core.JSONSchema.BaseSchema): void {
  const { description, ...form } = schema;
  const isText = form.type === 'string' && form.enum === undefined && !form.pattern && !form.format;
  const isOpen =
    form.type === undefined || form.type === 'object' || form.type === 'array' || form.type === 'null';
  if (form.const !== undefined || isText || isOpen) return;
  for (const name of Object.keys(form)) Reflect.deleteProperty(schema, name);
  schema.anyOf = [form, { type: 'string', pattern: '\\$\\{' }];
}

function withWords<S extends z.core.$ZodShape>(shape: S, words: Readonly<Record<string, string>>): S {
  const worded = Object.entries<z.core.$ZodType>(shape).map(([name, schema]) => {
    const text = ownMember(words, name);
    return [name, text === undefined ? schema : described(schema, text)];
  });
  // The names and schemas are the same; only descriptions were added.
  return Object.fromEntries(worded) as S;
}
