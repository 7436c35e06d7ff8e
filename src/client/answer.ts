import { exactJson, NestedTooDeeply, parseExactly } from '../lib/exact-json.ts';
import { isObject, type JsonObject, ownMember } from '../lib/json-object.ts';
import { stripByteOrderMark } from '../lib/text/characters.ts';
import { oneLine } from '../lib/text/sentence.ts';
import type { HttpResponse } from './http-message.ts';

/** The content of the envelope of a success. */
export interface Answer {
  readonly data: unknown;
  readonly meta: unknown;
  readonly status: number;
}

/** The kind of a refusal. */
export type RefusalKind = 'rejected' | 'authentication' | 'notFound' | 'rateLimited' | 'server' | 'foreign';

/** An answer that isn't a success: the service's refusal, or something that isn't the service's at all. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(
    /** `foreign`: a success or a 404 that doesn't come from the API, such as a captive portal's page. */
    readonly kind: RefusalKind,
    /** The service's words, sanitised; for other bodies what they begin with. */
    message: string,
    readonly status: number,
    readonly detail: {
      readonly code?: string | undefined;
      readonly details?: unknown;
      /** The `Retry-After` header as it came. */
      readonly retryAfter?: string | undefined;
      /** True if the body was the API's: a JSON object. */
      readonly isEnvelope: boolean;
      /** The target of a redirect that isn't followed. */
      readonly location?: string | undefined;
      /** The origin that answered, where it isn't the one that was asked. */
      readonly elsewhere?: string | undefined;
    },
  ) {
    super(message);
  }
}

/** The codes of errors (specification, Errors). */
const refusalKinds: Readonly<Record<string, RefusalKind>> = {
  BAD_REQUEST: 'rejected',
  UNAUTHORIZED: 'authentication',
  FORBIDDEN: 'rejected',
  NOT_FOUND: 'notFound',
  INTERNAL_ERROR: 'server',
};

/** How an answer is read. */
interface ReadOptions {
  /** Keeps secrets out of the words of a refusal, before they are cut to a sentence. */
  clean(text: string): string;
  /** True if the body may hold a secret that the redactor does not know yet, such as a new token: then it is not quoted. */
  readonly mayHoldSecret: boolean;
  /** True if no body could come, as for HEAD. */
  readonly isBodiless?: boolean;
}

/**
 * Opens the envelope of an answer. Lenient: the code counts before the status, a missing `success` is read
 * from the rest, and unknown members don't matter.
 * @param askedOrigin where the request was sent to
 * @throws ServiceError for whatever isn't a success
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

/** Returns the details of a refusal, or a note if they are nested too deeply to be written: that must not hide the refusal. */
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

/** 429 speaks for itself (RFC 6585); otherwise the code counts, then the status. */
function kindOf(status: number, code: string | undefined, envelope: JsonObject | undefined): RefusalKind {
  if (status === 429) return 'rateLimited';
  const known = code === undefined ? undefined : ownMember(refusalKinds, code);
  if (known) return known;
  if (status === 401) return 'authentication';
  // A 404 that isn't the API's says something of the address, and nothing of the object.
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
