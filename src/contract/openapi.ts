import * as z from 'zod/mini';
import { action, bot, botDetail, botDocument, question } from './bots.ts';
import { device, deviceStatus, deviceTransition } from './devices.ts';
import { document } from './documents.ts';
import type { Endpoint, ObjectSchema } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { type ErrorCode, errorEnvelope, errorStatus } from './envelope.ts';
import { createdKey, key } from './keys.ts';
import { sentMessage } from './messages.ts';
import { deleted, openObject, paging, type Schema } from './schema.ts';
import { quotas, team, teamDetail, user } from './teams.ts';
import { accessToken } from './token.ts';

/** A JSON object of the document. */
type Json = Readonly<Record<string, unknown>>;

/** Version of the interface description that the contract follows (specification, Versioning). */
const interfaceVersion = '1.3.0';

/** Schemas that become named components of the document instead of being repeated. */
const components: Readonly<Record<string, Schema>> = {
  AccessToken: accessToken,
  Action: action,
  Bot: bot,
  BotDetail: botDetail,
  BotDocument: botDocument,
  CreatedKey: createdKey,
  Deleted: deleted,
  Device: device,
  DeviceStatus: deviceStatus,
  DeviceTransition: deviceTransition,
  Document: document,
  Error: errorEnvelope,
  Key: key,
  Paging: paging,
  Question: question,
  Quotas: quotas,
  SentMessage: sentMessage,
  Team: team,
  TeamDetail: teamDetail,
  User: user,
};

/** Codes that any call may return, regardless of its row in the specification. */
const commonErrorCodes: readonly ErrorCode[] = [
  ...(['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'] as const),
  ...(['RATE_LIMITED', 'INTERNAL_ERROR'] as const),
];

const meanings: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'Invalid request body or input',
  UNAUTHORIZED: 'Invalid API credentials',
  FORBIDDEN: 'Insufficient permissions',
  NOT_FOUND: 'The resource does not exist',
  RATE_LIMITED: 'Too many requests; Retry-After says when to try again',
  INTERNAL_ERROR: 'Server error',
};

/**
 * Returns the OpenAPI 3.1 description of the API, derived from the contract. The same contract always returns
 * the same document.
 */
export function openApiDocument(): Json {
  const { describe, schemas } = createDescriber();
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const operations = paths[endpoint.path] ?? {};
    operations[endpoint.method.toLowerCase()] = operation(name, endpoint, describe);
    paths[endpoint.path] = operations;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bot and Messaging-Device Management API',
      version: interfaceVersion,
      description: 'Manages teams, documents, bots and messaging devices of a conversational-bot platform.',
    },
    security: [{ accessToken: [] }],
    paths,
    components: {
      schemas: schemas(),
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

type Describe = (schema: Schema) => Json;

/** Creates a function that describes schemas and collects the components it meets. */
function createDescriber(): { readonly describe: Describe; schemas(): Json } {
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(components)) names.add(schema, { id });
  const found = new Map<string, unknown>();
  const describe: Describe = (schema) => {
    const { $schema, $defs, ...described } = z.toJSONSchema(schema, {
      metadata: names,
      override: ({ jsonSchema, zodSchema }) => {
        // The limits of safe integers in JavaScript are not rules of the API.
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (zodSchema === openObject) Object.assign(jsonSchema, { type: 'object', additionalProperties: {} });
      },
    });
    for (const [id, definition] of Object.entries($defs ?? {})) found.set(id, definition);
    return described;
  };
  return {
    describe: (schema) => withComponentReferences(describe(schema)),
    schemas() {
      for (const schema of Object.values(components)) describe(schema);
      const sorted = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1));
      return withComponentReferences(Object.fromEntries(sorted));
    },
  };
}

/** Rewrites references: JSON Schema puts definitions beside a schema, OpenAPI puts them into components. */
function withComponentReferences(json: Json): Json {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, rewriteReference(name, value)]),
  );
}

function rewriteReference(name: string, value: unknown): unknown {
  if (name === '$ref' && typeof value === 'string') return value.replace('#/$defs/', '#/components/schemas/');
  if (Array.isArray(value)) return value.map((item: unknown) => rewriteReference('', item));
  if (typeof value === 'object' && value !== null) return withComponentReferences({ ...value });
  return value;
}

function operation(name: string, endpoint: Endpoint, describe: Describe): Json {
  const parameters = [...pathParameters(endpoint.path), ...queryParameters(endpoint.query, describe)];
  return {
    operationId: name,
    tags: [endpoint.path.replace(/^\/api\/openapi\/(v1\/)?/, '').split('/')[0] ?? ''],
    summary: endpoint.summary,
    ...(endpoint.withoutToken && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && { requestBody: requestBody(endpoint, endpoint.body, describe) }),
    responses: { 200: success(endpoint, describe), ...refusals(endpoint, describe) },
  };
}

function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'id' ? { type: 'string', format: 'uuid' } : { type: 'string' },
  }));
}

function queryParameters(query: ObjectSchema | undefined, describe: Describe): readonly Json[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: describe(schema),
  }));
}

function requestBody(endpoint: Endpoint, body: ObjectSchema, describe: Describe): Json {
  if (endpoint.file === undefined)
    return { required: true, content: { 'application/json': { schema: describe(body) } } };
  const form = z.extend(body, { [endpoint.file]: z.string() });
  const { properties, ...schema } = describe(form);
  const binary = { type: 'string', contentMediaType: 'application/octet-stream' };
  return {
    required: true,
    content: {
      'multipart/form-data': {
        schema: { ...schema, properties: { ...Object(properties), [endpoint.file]: binary } },
      },
    },
  };
}

function success(endpoint: Endpoint, describe: Describe): Json {
  const members = { data: describe(endpoint.data), ...(endpoint.meta && { meta: describe(endpoint.meta) }) };
  return {
    description: 'Done',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { success: { const: true }, ...members },
          required: ['success', ...Object.keys(members)],
          additionalProperties: false,
        },
      },
    },
  };
}

/** Returns the error responses by status; each code has a status of its own. */
function refusals(endpoint: Endpoint, describe: Describe): Readonly<Record<number, Json>> {
  const codes = new Set<ErrorCode>([...endpoint.errors, ...commonErrorCodes]);
  const schema = describe(errorEnvelope);
  return Object.fromEntries(
    [...codes].map((code) => [
      errorStatus[code],
      { description: `${code}: ${meanings[code]}`, content: { 'application/json': { schema } } },
    ]),
  );
}
