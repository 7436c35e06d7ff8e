import { isRepeatable, mayTakeEffect } from '../contract/endpoint.ts';
import { type FoundEndpoint, findEndpoint } from '../contract/find.ts';
import { Failure } from '../lib/errors.ts';
import { didYouMean } from '../lib/text/similar.ts';
import { mask } from '../secrets/secret.ts';
import type { Tokens } from './access-token.ts';
import { readAnswer, ServiceError } from './answer.ts';
import {
  type ClientContext,
  exchange,
  type FileForm,
  failedCall,
  learnSecrets,
  makeAttempts,
  settle,
} from './call.ts';
import type { FailedCall } from './failed-call.ts';
import type { HttpResponse } from './http-message.ts';
import { resourcesIn } from './named-resources.ts';
import type { RawAnswer, RawRequest } from './raw-request.ts';
import type { Target } from './request.ts';
import { similarPath } from './similar-path.ts';
import { callFailure } from './words/call-failure.ts';

/** Headers whose value is a secret. */
const secretHeaders: ReadonlySet<string> = new Set(['set-cookie', 'authorization', 'proxy-authenticate']);

/** The form field for a file if the contract names none. */
const defaultFileField = 'file';

/**
 * Calls a path and returns its response unparsed. Retries follow the contract or, outside it, the method: a POST counts
 * as one that creates an object.
 * @throws Failure if no response arrived, or if it is unknown whether the call took effect
 */
export async function callRaw(
  context: ClientContext,
  tokens: Tokens,
  request: RawRequest,
): Promise<RawAnswer> {
  const { method, json, upload } = request;
  const found = endpointAt(context, method, request.path);
  const target = {
    method,
    origin: context.origin,
    path: request.path,
    json,
    mayTakeEffect: mayTakeEffect(method, found?.endpoint),
    endpoint: found?.endpoint,
  };
  const form: FileForm | undefined = upload && {
    field: found?.endpoint.file ?? defaultFileField,
    file: upload.file,
    texts: upload.fields,
  };
  const own = found?.endpoint.withoutToken ? undefined : tokens;

  let last: HttpResponse | undefined;
  let data: unknown;
  const isSettled = async (refusal: unknown): Promise<boolean> => {
    if (method === 'DELETE' && refusal instanceof ServiceError) return refusal.kind === 'notFound';
    if (!found) return false;
    const { name, parameters } = found;
    return (await settle(context, own, name, { path: parameters }, refusal)) !== undefined;
  };
  let settled = false;
  try {
    const answer = await makeAttempts(context, own, {
      repeatable: isRepeatable(method, found?.endpoint),
      mayTakeEffect: target.mayTakeEffect,
      async once(token, signal) {
        last = undefined;
        last = await exchange(context, target, form, signal, token);
        data = checkSuccess(last, context, target);
        return last;
      },
      async settle(refusal) {
        settled = await isSettled(refusal);
        return settled ? last : undefined;
      },
    });
    if (found && context.onResource)
      resourcesIn(found.name, found.parameters, data).forEach(context.onResource);
    return { ...rawContent(answer, context), data, failure: undefined, settled };
  } catch (error) {
    const parts = found ? { path: found.parameters } : {};
    const failure = rawFailure(error, failedCall(context, found?.name, target, parts));
    if (!(failure instanceof Failure) || !(error instanceof ServiceError) || !last) throw failure;
    const told = found ? failure : withSimilarPath(failure, context, request);
    return { ...rawContent(last, context), data: undefined, failure: told, settled: false };
  }
}

function rawFailure(error: unknown, call: FailedCall): unknown {
  const failure = callFailure(error, call);
  const isTyped = call.name === 'createToken' && failure instanceof Failure;
  if (!isTyped || failure.kind !== 'authentication' || !(error instanceof ServiceError)) return failure;
  // The refused key is the one in the request body, not the caller's own.
  return new Failure(failure.kind, `The service refused: ${error.message}`, {
    ...failure,
    hint: undefined,
    cause: error,
  });
}

/** Adds a hint with the similar path of the contract to the failure of a path that does not exist. */
function withSimilarPath(failure: Failure, { prefix }: ClientContext, { method, path }: RawRequest): Failure {
  const [bare = ''] = path.split('?');
  const below = bare.startsWith(`${prefix}/`) ? bare.slice(prefix.length) : bare;
  const meant = failure.status === 404 ? similarPath(method, below) : undefined;
  if (meant === undefined) return failure;
  const hint = didYouMean(`the path ${meant}`);
  return new Failure(failure.kind, failure.message, { ...failure, hint, cause: failure.cause });
}

/** Returns the endpoint of the contract for a path with the prefix of the base address. */
export function endpointAt(
  { prefix }: Pick<ClientContext, 'prefix'>,
  method: string,
  path: string,
): FoundEndpoint | undefined {
  const [bare = ''] = path.split('?');
  return bare.startsWith(`${prefix}/`) ? findEndpoint(method, bare.slice(prefix.length)) : undefined;
}

/**
 * Accepts any 2xx as a success, whatever its body, unless the API's envelope says otherwise: a raw call may reach
 * endpoints that don't use the envelope.
 * @returns the data in the envelope
 * @throws ServiceError
 */
function checkSuccess(
  response: HttpResponse,
  { origin, redactor }: ClientContext,
  { method, endpoint }: Target,
): unknown {
  try {
    const { data } = readAnswer(response, origin, {
      clean: (text) => redactor.foreign(text),
      // A path outside the contract may return a secret.
      mayHoldSecret: endpoint === undefined || endpoint.secrets !== undefined,
      isBodiless: method === 'HEAD',
    });
    learnSecrets(data, redactor);
    return data;
  } catch (error) {
    const isAnswer = response.status >= 200 && response.status < 300;
    if (!(error instanceof ServiceError) || error.kind !== 'foreign' || !isAnswer) throw error;
    return undefined;
  }
}

function rawContent(
  { status, headers, bytes }: HttpResponse,
  { redactor }: ClientContext,
): Pick<RawAnswer, 'status' | 'headers' | 'bytes'> {
  const shown = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, secretHeaders.has(name) ? mask : redactor.text(one)] as const),
  );
  return { status, headers: shown, bytes };
}
