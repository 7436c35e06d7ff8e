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
  /** Whether the call needs a bearer token. All do but the token call. */
  readonly authenticated: boolean;
  /** Whether the same call made twice leaves what one call leaves, so that a lost answer may be asked for again. */
  readonly repeatable: boolean;
  readonly query?: ObjectSchema;
  /** Members of the JSON body, or the text fields of the form when `file` is set. */
  readonly body?: ObjectSchema;
  /** Name of the form field that carries a file; the body is then multipart/form-data. */
  readonly file?: string;
  readonly data: Schema;
  /** The member beside `data`, where there is one. */
  readonly meta?: ObjectSchema;
  /** Codes that the specification lists for this call. UNAUTHORIZED, FORBIDDEN and INTERNAL_ERROR may answer any call. */
  readonly errors: readonly ErrorCode[];
}

/** Names of the parameters in a path template: `'/teams/{id}'` gives `'id'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** Keeps the literal types of a declaration. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

/** Half of a character that has two code units. UTF-8 has no form for it, nor has a path. */
const loneSurrogate = /\p{Surrogate}/gu;

/** Puts values into a path template. Every parameter is percent-encoded. */
export function fillPath(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new TypeError(`path ${template} needs ${name}`);
    return encodeURIComponent(value.replace(loneSurrogate, '\ufffd'));
  });
}
