import { exactJson, NestedTooDeeply, parseExactly } from '../lib/exact-json.ts';
import { isObject, type JsonObject, ownMember } from '../lib/json-object.ts';
import { stripByteOrderMark } from '../lib/text/characters.ts';
import { oneLine } from '../lib/text/sentence.ts';
import type { HttpResponse } from './http-message.ts';

/** The content of a success envelope. */
export interface Answer {
  readonly data: unknown;
  readonly meta: unknown;
  readonly status: number;
}

/** The kind of a refusal. */
export type RefusalKind = 'rejected' | 'authentication' | 'notFound' | 'rateLimited' | 'server' | 'foreign';

/**
 * A response that isn't a success: an error of the service, or a response that doesn't come from the service at all.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(
    /** `foreign`: a success or a 404 that doesn't come from the API, such as a captive portal's page. */
    readonly kind: RefusalKind,
    /** The service's message, sanitised; for other bodies, the first characters. */
    message: string,
    readonly status: number,
    readonly detail: {
      readonly code?: string | undefined;
      readonly details?: unknown;
      /** The `Retry-After` header, unparsed. */
      readonly retryAfter?: string | undefined;
      /** True if the body was a JSON object, as the API sends. */
      readonly isEnvelope: boolean;
      /** The target of a redirect that isn't followed. */
      readonly location?: string | undefined;
      /** The origin that responded, if it isn't the one requested. */
      readonly elsewhere?: string | undefined;
    },
  ) {
    super(message);
  }
}

/** Maps the API's error codes (specification, Errors). */
const refusalKinds: Readonly<Record<string, RefusalKind>> = {
  BAD_REQUEST: 'rejected',
  UNAUTHORIZED: 'authentication',
  FORBIDDEN: 'rejected',
  NOT_FOUND: 'notFound',
  INTERNAL_ERROR: 'server',
};

/** Options for reading a response. */
interface ReadOptions {
  /**
   * Masks secrets in an error message. Runs before the message is shortened, because half a secret isn't recognised.
   */
  clean(text: string): string;
  /**
   * True if the body may contain a secret that the redactor has not learned yet, such as a new token: the body is then
   * not quoted.
   */
  readonly mayHoldSecret: boolean;
  /** True if the response can have no body, as for HEAD. */
  readonly isBodiless?: boolean;
}

/**
 * Parses the envelope of a response. Lenient: the error code takes precedence over the status, a missing `success` is
 * inferred from the other members, and unknown members are ignored.
 * @param askedOrigin origin that the request was sent to
 * @throws ServiceError for anything that isn't a success
 */
export function readAnswer(response: HttpResponse, askedOrigin: string, reading: ReadOptions): Answer {
  const { clean, isBodiless = false } = reading;
  const body = parseExactly(stripByteOrderMark(response.body));
  const envelope = isObject(body) ? body : undefined;
  if (envelope && isSuccess(envelope, response.status)) {
    return { data: envelope.data, meta: envelope.meta, status: response.status };
  }
  const { status, headers } = response;
  const isQuoted =
    !reading.mayHoldSecret || !isSuccessful(status) || (envelope !== undefined && isRefusal(envelope));
  const code = typeof envelope?.code === 'string' ? oneLine(clean(envelope.code), 60) : undefined;
  const kind = isBodiless && status === 404 ? 'notFound' : kindOf(status, code, envelope);
  throw new ServiceError(kind, refusalText(isQuoted ? envelope : undefined, response, reading), status, {
    code,
    details: isQuoted ? writableDetails(envelope?.details) : undefined,
    retryAfter: singleHeader(headers['retry-after']),
    isEnvelope: envelope !== undefined,
    location:
      status >= 300 && status < 400 ? clean(singleHeader(headers.location) ?? '') || undefined : undefined,
    elsewhere: response.origin === askedOrigin ? undefined : response.origin,
  });
}

/** True for a success without a body, such as a 204. */
export function isEmptySuccess({ status, body }: Pick<HttpResponse, 'status' | 'body'>): boolean {
  return isSuccessful(status) && body.trim() === '';
}

function isSuccessful(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * Returns the details of an error, or a placeholder text if they are nested too deeply to be written: that must not
 * hide the error.
 */
function writableDetails(details: unknown): unknown {
  if (!isObject(details) && !Array.isArray(details)) return details ?? undefined;
  try {
    exactJson(details);
    return details;
  } catch (thrown) {
    if (thrown instanceof NestedTooDeeply) return 'nested too deeply to be shown';
    throw thrown;
  }
}

function isSuccess(envelope: JsonObject, status: number): boolean {
  return isSuccessful(status) && (envelope.success === true || ('data' in envelope && !isRefusal(envelope)));
}

function isRefusal({ success, error, code }: JsonObject): boolean {
  return success === false || typeof code === 'string' || typeof error === 'string';
}

/** Returns the kind of an error. 429 decides alone (RFC 6585); otherwise the code takes precedence over the status. */
function kindOf(status: number, code: string | undefined, envelope: JsonObject | undefined): RefusalKind {
  if (status === 429) return 'rateLimited';
  const known = code === undefined ? undefined : ownMember(refusalKinds, code);
  if (known) return known;
  if (status === 401) return 'authentication';
  // A 404 that isn't from the API means a wrong address, not a missing object.
  if (status === 404) return envelope ? 'notFound' : 'foreign';
  if (status >= 500 || status === 408) return 'server';
  if (status >= 400) return 'rejected';
  return envelope && status < 300 && isRefusal(envelope) ? 'rejected' : 'foreign';
}

function refusalText(
  envelope: JsonObject | undefined,
  { body }: HttpResponse,
  { clean, mayHoldSecret }: ReadOptions,
): string {
  const said = envelope?.error ?? envelope?.message;
  if (typeof said === 'string' && said.trim() !== '') return oneLine(clean(said), 500);
  if (body.trim() === '') return 'an empty body';
  return mayHoldSecret
    ? 'a body that is not shown, since it may hold a secret'
    : `"${oneLine(clean(body), 80)}"`;
}

function singleHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
