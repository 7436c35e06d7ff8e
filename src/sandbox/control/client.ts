import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { errorCode, Failure, type FailureKind } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json-object.ts';
import { Secret } from '../../secrets/secret.ts';
import { SandboxProblem } from '../problem.ts';
import type { ControlAddress } from '../sandbox.ts';
import { controlFile, controlFileName, readIfExists } from '../store/control-file.ts';
import { engineIn, onServer } from '../store/engine.ts';
import { type ControlPath, type ControlRequest, type ControlResponse, calls, controlError } from './calls.ts';

/**
 * Returns the control channel of the sandbox that runs on a data directory.
 * @param signal ends the calls
 * @throws SandboxProblem if none runs there
 */
export function findControl(data: string, signal?: AbortSignal): ControlAddress {
  const use = { signal, data, onServer: engineIn(data) === onServer };
  const file = join(data, controlFileName);
  const text = readIfExists(file);
  if (text === undefined) throw notRunningFailure(`No sandbox is running on ${data}.`, use);
  const parsed = z.safeParse(controlFile, parseJson(text));
  if (!parsed.success) throw notRunningFailure(`${file} was not written by a sandbox.`, use, parsed.error);
  return { url: parsed.data.url, token: new Secret(parsed.data.token), ...use };
}

/**
 * Makes a control call. Returns its response.
 * @throws Failure `invalidInput` if the sandbox refuses the request or no longer runs, `notFound` if the object does
 * not exist, `rejected` if its state does not allow the call, `network` if the sandbox fails or disconnects before it
 * has responded
 */
export async function callControl<P extends ControlPath>(
  control: ControlAddress,
  path: P,
  request: ControlRequest<P>,
): Promise<ControlResponse<P>> {
  const { url } = control;
  let status: number | undefined;
  let answer: unknown;
  try {
    const response = await send(control, path, JSON.stringify(request));
    status = response.statusCode;
    answer = JSON.parse(await text(response));
  } catch (error) {
    control.signal?.throwIfAborted();
    if (isInterrupted(error)) {
      const words = `The sandbox closed its control channel at ${url} before it answered.`;
      throw new Failure('network', words, { cause: error });
    }
    throw notRunningFailure(`The sandbox's control channel at ${url} doesn't answer.`, control, error);
  }
  if (status !== 200) throw refusedFailure(status, answer, control);
  return z.parse(calls[path].response, answer);
}

/**
 * Sends a request on a new connection, because a stopping sandbox may be closing a reused one. Waits for the response
 * without a deadline: seeding many rows takes long.
 */
async function send(
  { url, token, signal }: ControlAddress,
  path: ControlPath,
  body: string,
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token.reveal()}`, 'content-type': 'application/json' };
  const options = { method: 'POST', headers, agent: false, ...(signal && { signal }) };
  return await new Promise((resolve, reject) => {
    const sending = request(`${url}${path}`, options, resolve);
    sending.on('error', reject);
    // The only event if the response would switch to another protocol.
    sending.on('close', () => reject(new Error('The connection closed without a response.')));
    sending.end(body);
  });
}

/** Returns true if an established connection ended before the response: the call may have taken effect. */
function isInterrupted(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '');
}

function refusedFailure(status: number | undefined, answer: unknown, control: ControlAddress): Failure {
  const kinds: Readonly<Record<number, FailureKind>> = {
    400: 'invalidInput',
    404: 'notFound',
    409: 'rejected',
    413: 'invalidInput',
  };
  const { data } = z.safeParse(controlError, answer);
  const words = data?.error ?? `The sandbox answered ${status}.`;
  if (status === 401) return notRunningFailure(words, control);
  const kind = kinds[status ?? 0] ?? 'network';
  if (data?.problem) return new SandboxProblem(words, data.problem, { kind });
  return new Failure(kind, words, { hint: data?.hint, status });
}

function notRunningFailure(
  message: string,
  { onServer = false, data }: Pick<ControlAddress, 'onServer' | 'data'>,
  cause?: unknown,
): SandboxProblem {
  return new SandboxProblem(message, { code: 'notRunning', onServer, data }, { cause });
}
