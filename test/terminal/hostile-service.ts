import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { endpoints } from '../../src/contract/endpoints.ts';
import { identifiers, type Schema, uuid } from '../../src/contract/schema.ts';
import { listen } from '../support/scripted-server.ts';
import { hostile } from './support.ts';

// A scripted server returns hostile text for every string of every answer; faults would need each answer written by
// hand.

/** A service that returns hostile text wherever the API has a string. */
export interface HostileService {
  readonly url: string;
  /** Every string that it has returned, including names of members. */
  readonly told: ReadonlySet<string>;
  /** The data of its last answer. */
  readonly lastData: unknown;
}

/** Options of the service. */
export interface Hostility {
  /** The index of its first text; each further string uses the next one. */
  readonly from?: number;
  /** Whether it refuses every call except the token's. */
  readonly refuses?: boolean;
  /** Members with valid values, so that a command gets as far as it should. */
  readonly sane?: Readonly<Record<string, unknown>>;
}

/** Every hostile text, and their concatenation. */
export const texts: readonly string[] = [...Object.values(hostile), Object.values(hostile).join('')];

/** The number of rows in a list: more than there are texts, so that each column has each text. */
const rows = texts.length + 3;

/** The number of elements of a nested list. */
const fewRows = 3;

/** Non-ASCII text in a header can only be single bytes (RFC 9110, section 5.5). */
const header = 'id\x9b31m\x9d0;owned\x9c';

/** Starts the service; it stops with the test. */
export async function startHostileService(hostility: Hostility = {}): Promise<HostileService> {
  const { from = 0, refuses = false, sane = {} } = hostility;
  const told = new Set<string>();
  let lastData: unknown;
  let next = from;
  /** The id in the path of a call, which the answer must return. */
  let asked: string | undefined;
  const tell = (text: string): string => {
    told.add(text);
    return text;
  };
  const text = (): string => {
    next += 1;
    return tell(texts[next % texts.length] ?? '');
  };

  const id = (): string => {
    const about = asked;
    asked = undefined;
    // Ids are unique.
    return tell(about ?? `${next} ${text().slice(0, 60)}`);
  };
  const object = (shape: Readonly<Record<string, Schema>>, key?: string): Record<string, unknown> => {
    const members = Object.entries(shape).map(([name, schema]) => {
      const value = name === key ? id() : sampleOf(schema, true);
      return [name, sane[name] ?? value];
    });
    return { ...Object.fromEntries(members), [tell(text().slice(0, 60))]: text() };
  };
  const sampleOf = (schema: Schema, isInside = false): unknown => {
    if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable)
      return sampleOf(schema.def.innerType, isInside);
    if (schema instanceof z.ZodMiniObject) return object(schema.shape, identifiers.get(schema)?.key);
    if (schema instanceof z.ZodMiniRecord) return object({});
    if (schema instanceof z.ZodMiniArray)
      return Array.from({ length: isInside ? fewRows : rows }, () => sampleOf(schema.def.element));
    if (schema instanceof z.ZodMiniBoolean) return true;
    if (schema instanceof z.ZodMiniNumber) return 1;
    if (schema instanceof z.ZodMiniLiteral) return [...schema.def.values][0];
    // No server accepts the longest texts in a path.
    if (schema === uuid) return tell(text().slice(0, 60));
    // Times and enumerated values are hostile strings too.
    return text();
  };
  const paging = { page: 1, limit: 100, total: rows, totalPages: 1 };

  const answerTo = (method: string, path: string): { readonly status: number; readonly body: unknown } => {
    if (path.endsWith('/auth/token'))
      return {
        status: 200,
        body: { success: true, data: { access_token: 'token-of-the-key', expires_in: 86_400 } },
      };
    const endpoint = Object.values(endpoints).find((one) => one.method === method && fits(one.path, path));
    if (!endpoint || refuses)
      return { status: 400, body: { success: false, error: text(), code: text(), details: object({}) } };
    asked = path.split('/').find((part) => part === anyId);
    const data = sampleOf(endpoint.data);
    asked = undefined;
    if (typeof data === 'object' && data !== null && 'pagination' in data)
      Object.assign(data, {
        bots: Array.from({ length: rows }, () => sampleOf(endpoints.getBot.data)),
        pagination: paging,
      });
    lastData = data;
    const meta = 'meta' in endpoint ? { ...paging, changes: [text(), text()] } : undefined;
    return { status: 200, body: { success: true, data, meta } };
  };
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    request.resume().on('end', () => {
      const { status, body } = answerTo(method, url.replace(/\?.*/, ''));
      response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': header });
      response.end(JSON.stringify(body));
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    told,
    get lastData() {
      return lastData;
    },
  };
}

/** Returns whether a path matches a template, with any values for its parameters. */
function fits(template: string, path: string): boolean {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
}

/** An id that every lookup accepts. */
export const anyId = '11111111-1111-4111-8111-111111111111';
