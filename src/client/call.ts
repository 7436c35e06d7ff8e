import { type Endpoint, isRepeatable } from '../contract/endpoint.ts';
import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import { idIn, isListSchema, withTextIds, wrongMember } from '../contract/loose.ts';
import { unlessAborted } from '../lib/clock.ts';
import { Failure, messageOf } from '../lib/errors.ts';
import { asText, isObject, type JsonObject, ownMember } from '../lib/json-object.ts';
import { version } from '../lib/version.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { NamedResource } from '../settings/completion-cache.ts';
import type { Identity } from '../settings/settings.ts';
import type { Tokens } from './access-token.ts';
import { type Answer, isEmptySuccess, readAnswer, ServiceError } from './answer.ts';
import type { CallArguments, Reply } from './api.ts';
import { maskedAnswer, maskedBody, maskedForm, secretMembers } from './debug.ts';
import type { FailedCall } from './failed-call.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { readListing } from './listing.ts';
import { resourcesIn, subjectMismatch } from './named-resources.ts';
import { buildRequest, type CallParts, type Destination, type Target } from './request.ts';
import { isUncertain, type RetryOptions, withRetries } from './retry.ts';
import { checkJsonBody, checkTexts } from './sendable.ts';
import type { ServiceClock } from './service-clock.ts';
import type { Transport } from './transport.ts';
import { openUpload, type UploadFile } from './upload.ts';
import { callFailure, unreadableAnswerFailure } from './words/call-failure.ts';
import { incompleteListFailure } from './words/list-failure.ts';

/** The context of every call. */
export interface ClientContext extends Destination {
  readonly transport: Transport;
  readonly retry: RetryOptions;
  /** Waits until `--max-rps` permits the next request; undefined without a limit. */
  readonly throttle: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly identity: Identity;
  readonly baseUrl: string;
  readonly requestTimeout: number;
  readonly caFile: string | undefined;
  readonly redactor: Redactor;
  readonly serviceClock: ServiceClock;
  readonly onDebug: ((text: string) => void) | undefined;
  /** Called for each object that a response names. */
  readonly onResource: ((resource: NamedResource) => void) | undefined;
}

/**
 * Calls an endpoint and returns its data in the contract's loose form.
 * @throws Failure
 */
export async function call<N extends EndpointName>(
  context: ClientContext,
  tokens: Tokens,
  name: N,
  ...input: CallArguments<N>
): Promise<Reply<N>>;
// TypeScript can't relate one name across the tables of schemas, parts and replies; the signature above does it.
export async function call(
  context: ClientContext,
  tokens: Tokens,
  name: EndpointName,
  parts: CallParts = {},
): Promise<{ data: unknown; meta: unknown }> {
  const answer = await send(context, tokens, name, parts);
  const endpoint: Endpoint = endpoints[name];
  const data = readLooseData(context, endpoint, answer);
  const wrong = wrongMember(endpoint.data, data);
  const problem =
    wrong === undefined
      ? subjectMismatch(endpoint, parts.path, data)
      : `${wrong} is missing or of another kind`;
  if (problem !== undefined)
    throw unreadableAnswerFailure(
      problem,
      failedCall(context, name, buildRequest(context, endpoint, parts), parts),
    );
  return { data, meta: isObject(answer.meta) ? answer.meta : undefined };
}

/**
 * Returns the data of a response with ids as text. For a list without pages, returns its rows from either envelope.
 * @throws Failure `network` if the service reports more rows than it returned
 */
function readLooseData(
  { identity }: ClientContext,
  { data: schema }: Endpoint,
  { data, meta }: Answer,
): unknown {
  if (!isListSchema(schema)) return idIn(schema, data) === undefined ? withTextIds(data) : data;
  const listing = readListing(data, meta);
  if (!listing) return data;
  const { elements, total } = listing;
  const read = elements.length;
  if (total !== undefined && read < total) throw incompleteListFailure(total, read, identity);
  return withTextIds(elements);
}

/**
 * Calls an endpoint and returns the content of the envelope unparsed: list envelopes are parsed leniently by the
 * caller.
 * @param tokens undefined for the token call itself
 * @throws Failure
 */
export async function send(
  context: ClientContext,
  tokens: Tokens | undefined,
  name: EndpointName,
  parts: CallParts,
): Promise<Answer> {
  const endpoint: Endpoint = endpoints[name];
  const target = buildRequest(context, endpoint, parts);
  try {
    const answer = await makeAttempts(context, tokens, {
      signal: parts.signal,
      repeatable: isRepeatable(endpoint.method, endpoint),
      mayTakeEffect: target.mayTakeEffect,
      once: (token, signal) => exchangeOnce(context, name, target, parts, signal, token),
      settle: (error) => settle(context, tokens, name, parts, error),
    });
    if (context.onResource) resourcesIn(name, parts.path ?? {}, answer.data).forEach(context.onResource);
    return answer;
  } catch (error) {
    throw callFailure(error, failedCall(context, name, target, parts));
  }
}

/** Describes how to make an attempt of a call. */
interface AttemptOptions<T> {
  /** Ends this call only; the signal of the whole command is observed separately. */
  readonly signal?: AbortSignal | undefined;
  readonly repeatable: boolean;
  readonly mayTakeEffect: boolean;
  once(token: string | undefined, signal: AbortSignal | undefined): Promise<T>;
  /** Returns the success implied by an error, given that an earlier attempt may already have done the work. */
  settle(refusal: unknown): Promise<T | undefined>;
}

/**
 * Calls with retries. Replaces a refused token once, and settles lost responses.
 * @param tokens undefined if the call needs none
 * @throws the error of the last attempt
 */
export function makeAttempts<T>(
  context: ClientContext,
  tokens: Tokens | undefined,
  { signal, repeatable, mayTakeEffect, once, settle }: AttemptOptions<T>,
): Promise<T> {
  /**
   * A lost response or an error of the service from the last attempt: it explains more than the abort of the whole
   * command.
   */
  let decisiveError: unknown;
  // The signal of the whole command is observed in one place; only a different one is observed per request.
  const own = signal === context.retry.signal ? undefined : signal;
  const send = (token: string | undefined): Promise<T> => once(token, own);
  const answer = withRetries(
    {
      repeatable,
      attempt: () => (tokens ? withToken(tokens, send, own) : send(undefined)),
      async settle(error, before) {
        if (isUncertain(error) || isRefusal(error)) decisiveError = error;
        return before.some(isUncertain) ? await settle(error) : undefined;
      },
    },
    own ? retryWithSignal(context.retry, own) : context.retry,
  );
  if (!mayTakeEffect) return answer;
  return answer.catch((error: unknown) => {
    throw context.retry.signal.aborted ? (decisiveError ?? error) : error;
  });
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && ['rejected', 'notFound', 'authentication'].includes(error.kind);
}

/**
 * Returns options for retries that end with another signal too. The combined signal is only created when a call fails:
 * Node holds each one until a full garbage collection, which would be noticeable for a list of many pages.
 */
function retryWithSignal(retry: RetryOptions, signal: AbortSignal): RetryOptions {
  return {
    ...retry,
    get signal() {
      return AbortSignal.any([signal, retry.signal]);
    },
  };
}

/**
 * Sends with a token. If the token is refused, replaces it once and sends again: the refused call was not executed.
 */
async function withToken<T>(
  tokens: Tokens,
  once: (token: string) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { token } = await unlessAborted(tokens.get(), signal);
  try {
    const answer = await once(token.reveal());
    tokens.accept(token);
    return answer;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.detail.elsewhere !== undefined) throw error;
    if (error.kind !== 'authentication') {
      // A gateway may limit requests, or fail, before the token is checked.
      if (error.kind === 'rejected' || error.kind === 'notFound') tokens.accept(token);
      throw error;
    }
    const other = await unlessAborted(tokens.replace(token), signal);
    if (!other) throw error;
    const answer = await once(other.token.reveal());
    tokens.accept(other.token);
    return answer;
  }
}

/** The state of a device after a transition (specification, Device status). */
const reachedStates: Partial<Readonly<Record<EndpointName, string>>> = {
  connectDevice: 'started',
  disconnectDevice: 'stopped',
};

/**
 * Returns the success implied by an error, given that an earlier attempt may have done the work. A delete of a missing
 * object succeeded, and so did a connect or disconnect of a device that is already in the requested state.
 */
export async function settle(
  context: ClientContext,
  tokens: Tokens | undefined,
  name: EndpointName,
  parts: CallParts,
  error: unknown,
): Promise<Answer | undefined> {
  if (!(error instanceof ServiceError)) return undefined;
  const { status, kind } = error;
  if (endpoints[name].method === 'DELETE' && kind === 'notFound')
    return { data: impliedData(name, parts), meta: undefined, status };
  const reached = reachedStates[name];
  if (reached === undefined || kind !== 'rejected') return undefined;
  const { data } = await send(context, tokens, 'getDeviceStatus', {
    ...(parts.path && { path: parts.path }),
    signal: parts.signal,
  });
  if (!isObject(data) || String(data.status).toLowerCase() !== reached) return undefined;
  return {
    data: { ...impliedData(name, parts), message: data.message },
    meta: undefined,
    status,
  };
}

/**
 * Returns the data that a success without a body implies, or undefined if the caller needs data of the service. The
 * message of the service is not part of it.
 */
function impliedData(name: EndpointName, { path }: CallParts): JsonObject | undefined {
  const status = reachedStates[name];
  if (status !== undefined) return { device_id: path?.id, status };
  return endpoints[name].method === 'DELETE' ? {} : undefined;
}

/** Returns the facts about a call that its failure reports. */
export function failedCall(
  context: ClientContext,
  name: EndpointName | undefined,
  target: Target,
  { body, path, file }: CallParts,
): FailedCall {
  const named = isObject(body?.team) ? body.team.name : (file?.name ?? body?.name);
  const { signal } = context.retry;
  const reason: unknown = target.mayTakeEffect && signal.aborted ? signal.reason : undefined;
  return {
    name,
    method: target.method,
    path: target.path,
    repeatable: isRepeatable(target.method, target.endpoint),
    baseUrl: context.baseUrl,
    identity: context.identity,
    createdName: asText(named),
    id: Object.values(path ?? {})[0],
    endedBy: reason instanceof Failure ? reason : undefined,
    requestTimeout: context.requestTimeout,
    caFile: context.caFile,
  };
}

/** Sends one request and parses its response. */
async function exchangeOnce(
  context: ClientContext,
  name: EndpointName,
  target: Target,
  parts: CallParts,
  signal: AbortSignal | undefined,
  token: string | undefined,
): Promise<Answer> {
  const endpoint: Endpoint = endpoints[name];
  const { file, body = {} } = parts;
  const form = endpoint.file !== undefined && file ? { field: endpoint.file, file, texts: body } : undefined;
  const response = await exchange(context, target, form, signal, token);
  const implied = isEmptySuccess(response) ? impliedData(name, parts) : undefined;
  if (implied) return { data: implied, meta: undefined, status: response.status };
  const answer = readAnswer(response, target.origin, {
    clean: (text) => context.redactor.foreign(text),
    mayHoldSecret: endpoint.secrets !== undefined,
  });
  learnSecrets(answer.data, context.redactor);
  return answer;
}

/** A multipart form with a file. */
export interface FileForm {
  /** Name of the field that carries the file. */
  readonly field: string;
  readonly file: UploadFile;
  readonly texts: Readonly<Record<string, unknown>>;
}

/**
 * Sends one request and returns the response for every status. Records the service's clock.
 * @throws TransportError, and Failure as `checkJsonBody`
 */
export async function exchange(
  context: ClientContext,
  target: Target,
  form: FileForm | undefined,
  signal: AbortSignal | undefined,
  token: string | undefined,
): Promise<HttpResponse> {
  const { method, origin, path, json, mayTakeEffect, endpoint } = target;
  if (json !== undefined) checkJsonBody(json);
  if (form) checkTexts({ ...form.texts, [form.field]: form.file.name });
  if (context.throttle) await context.throttle(signal ?? context.retry.signal);
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': `botctl/${version}` };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (json !== undefined) headers['content-type'] = 'application/json';
  const sending = { method, origin, path, headers, body: json, signal, mayTakeEffect };
  const response = form
    ? await sendForm(context, sending, form, endpoint)
    : await deliver(context, sending, endpoint, () => maskedBody(json, context.redactor));
  if (response.origin === origin) context.serviceClock.recordDate(response.headers.date);
  return response;
}

async function sendForm(
  context: ClientContext,
  sending: HttpRequest,
  { field, file, texts }: FileForm,
  endpoint: Endpoint | undefined,
): Promise<HttpResponse> {
  const { headers, body, close } = await openUpload(field, file, texts);
  const whole = { ...sending, headers: { ...sending.headers, ...headers }, body };
  try {
    return await deliver(context, whole, endpoint, () => maskedForm(texts, file, context.redactor));
  } finally {
    await close();
  }
}

/** Registers the secrets in a response with the redactor. */
export function learnSecrets(data: unknown, redactor: Redactor): void {
  if (!isObject(data)) return;
  for (const member of secretMembers) {
    const value = ownMember(data, member);
    if (typeof value === 'string') redactor.learn(value);
  }
}

/** Sends a request; with `--debug`, logs it and its response. */
async function deliver(
  { onDebug, redactor, transport }: ClientContext,
  request: HttpRequest,
  endpoint: Endpoint | undefined,
  showBody: () => string,
): Promise<HttpResponse> {
  if (!onDebug) return transport.send(request);
  onDebug(`→ ${request.method} ${request.origin}${redactor.foreign(request.path)} ${showBody()}`);
  const start = performance.now();
  const elapsed = (): string => `after ${Math.round(performance.now() - start)} ms`;
  try {
    const response = await transport.send(request);
    onDebug(`← ${response.status} ${elapsed()} ${maskedAnswer(response.body, endpoint, redactor)}`);
    return response;
  } catch (error) {
    onDebug(`× ${redactor.foreign(messageOf(error))} ${elapsed()}`);
    throw error;
  }
}
