import type * as z from 'zod/mini';
import type { ErrorCode } from './envelope.ts';
import type { Schema } from './schema.ts';

/** An object schema of the contract: a query, a body or a meta member. */
export type ObjectSchema = z.ZodMiniObject<z.core.$ZodShape, z.core.$ZodObjectConfig>;

/** One call of the API, as the specification describes it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the base address, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** True if the call needs no bearer token: only the token call. */
  readonly withoutToken?: true;
  /** True for a POST that has the same effect made once or twice, as every other method has; see `isRepeatable`. */
  readonly repeatable?: true;
  readonly query?: ObjectSchema;
  /** Members of the JSON body, or the text fields of the form when `file` is set. */
  readonly body?: ObjectSchema;
  /** Name of the form field for a file; the body is then multipart/form-data. */
  readonly file?: string;
  readonly data: Schema;
  /** Members of the data that are secrets. The body of such a response is never quoted. */
  readonly secrets?: readonly string[];
  /** The member beside `data`, if any. */
  readonly meta?: ObjectSchema;
  /**
   * Codes that the specification lists for this call. Any call may return UNAUTHORIZED, FORBIDDEN and INTERNAL_ERROR.
   */
  readonly errors: readonly ErrorCode[];
}

/** Names of the parameters in a path template: `'/teams/{id}'` gives `'id'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** Returns a declaration unchanged, with its literal types. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

/**
 * Returns true if a call has the same effect made once or twice, so that it may be repeated if its response was lost.
 * This holds for every method except POST, which is assumed to create something unless the contract says otherwise.
 */
export function isRepeatable(method: string, endpoint: Endpoint | undefined): boolean {
  return method !== 'POST' || endpoint?.repeatable === true;
}

/** Returns true if a call may change something at the service: any except a read or a token exchange. */
export function mayTakeEffect(method: string, endpoint: Endpoint | undefined): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method) && !endpoint?.withoutToken;
}

/**
 * Percent-encodes a text for a path or a query. A lone surrogate becomes U+FFFD, because it can't be encoded in UTF-8
 * or in a URL.
 */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * Returns true if a text can be the value of a path parameter. URL normalization removes `.` and `..`, encoded or not,
 * and an empty value leads to another path (RFC 3986, 5.2.4).
 */
export function isPathValue(text: string): boolean {
  return !['', '.', '..'].includes(text);
}

/** Fills a path template with percent-encoded values. */
export function fillPath(template: string, parameters: Readonly<Record<string, string>>): string {
  if (!template.includes('{')) return template;
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value === undefined) throw new TypeError(`path ${template} needs ${name}`);
    return percentEncoded(value);
  });
}
