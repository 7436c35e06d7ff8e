import { onTestFinished } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import { newData } from './sandbox.ts';

type Options = Partial<Omit<SandboxOptions, 'insecureHttp'>>;

/** Starts a sandbox for one test, by default on a free port and in a directory of its own. It stops with the test. */
export async function startOwn(options: Options = {}): Promise<Sandbox> {
  const usual = { host: '127.0.0.1', port: 0, data: newData(), phone: 'manual' } as const;
  const sandbox = await startSandbox({ ...usual, ...options });
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

/** Returns the status and text of a sandbox's response at a path: `200 ok`. */
export async function ask(sandbox: Sandbox, path: string): Promise<string> {
  const answer = await fetch(`${sandbox.baseUrl}${path}`);
  return `${answer.status} ${(await answer.text()).trim()}`;
}

/** Signs in and returns the `authorization` header for calls. */
export async function authorization({ baseUrl, keyId, keySecret }: Sandbox): Promise<string> {
  const body = JSON.stringify({ key_id: keyId, key_secret: keySecret.reveal() });
  const answer = await fetch(`${baseUrl}/api/openapi/auth/token`, { method: 'POST', body });
  const told = (await answer.json()) as { data: { access_token: string } };
  return `Bearer ${told.data.access_token}`;
}

export interface OwnAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Makes a call below `/api/openapi/v1` with a token. */
export type Caller = (method: string, path: string, body?: unknown) => Promise<OwnAnswer>;

/** Signs in with a key, and returns a function that makes calls with its token. */
export async function callerOf(
  { baseUrl, keyId, keySecret }: Pick<Sandbox, 'baseUrl' | 'keyId' | 'keySecret'>,
  key = { id: keyId, secret: keySecret.reveal() },
): Promise<Caller> {
  const call = async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<OwnAnswer> => {
    const answer = await fetch(`${baseUrl}/api/openapi${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const { status, headers: received } = answer;
    return { status, headers: received, body: (await answer.json()) as Record<string, unknown> };
  };
  const { body } = await call('POST', '/auth/token', { key_id: key.id, key_secret: key.secret }, {});
  const token = (body.data as { access_token: string } | undefined)?.access_token;
  return (method, path, given) => call(method, `/v1${path}`, given, { authorization: `Bearer ${token}` });
}
