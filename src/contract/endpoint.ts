import type * as z from 'zod/mini';
import type { ErrorCode } from './envelope.ts';
import type { Schema } from './schema.ts';

/** An object schema of the contract: a query, a body or a meta member. */
export type ObjectSchema = z.ZodMiniObject<z.core.$ZodShape, z.core.$ZodObjectConfig>;

/** One call of the API, as the specification describes it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the base address; parameters stand in braces. */
  readonly path: string;
  readonly summary: string;
  /** The call needs no bearer token: the token call alone. */
  readonly withoutToken?: true;
  /** A POST that made twice has the effect of one, as every other method has; see `isRepeatable`. */
  readonly repeatable?: true;
  readonly query?: ObjectSchema;
  /** Members of the JSON body, or the text fields of the form when `file` is set. */
  readonly body?: ObjectSchema;
  /** Name of the form field that carries a file; the body is then multipart/form-data. */
  readonly file?: string;
  readonly data: Schema;
  /** Members of the data that are secrets. The body of such an answer is never quoted. */
  readonly secrets?: readonly string[];
  /** The member beside `data`, if there is one. */
  readonly meta?: ObjectSchema;
  /** Codes that the specification lists for this call. UNAUTHORIZED, FORBIDDEN and INTERNAL_ERROR may answer any call. */
  readonly errors: readonly ErrorCode[];
}

/** Names of the parameters in a path template: `'/teams/{id}'` gives `'id'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** Returns a declaration as it is, with its literal types. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

/**
 * True if the same call made twice has the effect of one, so that a call whose answer was lost may be repeated: any but
 * a POST, which is taken for one that creates unless the contract says otherwise.
 */
export function isRepeatable(method: string, endpoint: Endpoint | undefined): boolean {
  return method !== 'POST' || endpoint?.repeatable === true;
}

/** True if a call may change something at the service: any but one that reads, or asks for a token. */
export function mayTakeEffect(method: string, endpoint: Endpoint | undefined): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method) && !endpoint?.withoutToken;
}

/**
 * Returns a text as it stands in a path or a query. Half of a character that has two code units becomes U+FFFD, since it
 * can't be written in UTF-8, nor in a URL.
 */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * True if a text can be the value of a parameter in a path. `.` and `..` are taken out on the way, encoded or not, and so is
 * nothing, which leads to another path (RFC 3986, 5.2.4).
 */
export function isPathValue(text: string): boolean {
  return !['', '.', '..'].includes(text);
}

/** Returns a path template with values put into it, each percent-encoded. */
export function fillPath(template: string, parameters: Readonly<Record<string, string>>): string {
  if (!template.includes('{')) return template;
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value === undefined) throw new TypeError(`path ${template} needs ${name}`);
    return percentEncoded(value);
  });
}
