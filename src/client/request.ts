import { type Endpoint, fillPath, isPathValue, mayTakeEffect, percentEncoded } from '../contract/endpoint.ts';
import { Failure } from '../lib/errors.ts';
import { requestJson } from '../lib/exact-json.ts';
import { ownMember } from '../lib/json-object.ts';
import type { UploadFile } from './upload.ts';

/** The input of a call to any endpoint. */
export interface CallParts {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly file?: UploadFile;
  readonly signal?: AbortSignal;
}

/** The address that calls go to, and its parameter names. */
export interface Destination {
  /** Scheme, host and port of the base address. */
  readonly origin: string;
  /** Path of the base address, without a trailing slash. */
  readonly prefix: string;
  /** The service's names of the query's members, if they differ from the contract's. */
  readonly queryNames: Readonly<Record<string, string>>;
}

/** The destination of a call, and its JSON. */
export interface Target {
  readonly method: string;
  readonly origin: string;
  /** Path and query, with the prefix of the base address. */
  readonly path: string;
  readonly json: string | undefined;
  readonly mayTakeEffect: boolean;
  /** Undefined for a path outside the contract. */
  readonly endpoint: Endpoint | undefined;
}

/**
 * Builds the request of a call.
 * @throws Failure `invalidInput` if a value can't be part of a path, and as `requestJson`
 */
export function buildRequest(
  to: Destination,
  endpoint: Endpoint,
  { path = {}, query = {}, body, file }: CallParts,
): Target {
  const other = Object.values(path).find((value) => !isPathValue(value));
  if (other !== undefined)
    throw new Failure(
      'invalidInput',
      `"${other}" is no id: it would call another path. This call was not made.`,
    );
  return {
    method: endpoint.method,
    origin: to.origin,
    path: to.prefix + fillPath(endpoint.path, path) + queryText(query, to.queryNames),
    json: body && !file ? requestJson(body) : undefined,
    mayTakeEffect: mayTakeEffect(endpoint.method, endpoint),
    endpoint,
  };
}

function queryText(
  query: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): string {
  let text = '';
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const pair = `${percentEncoded(ownMember(names, name) ?? name)}=${percentEncoded(String(value))}`;
    text += text === '' ? `?${pair}` : `&${pair}`;
  }
  return text;
}
