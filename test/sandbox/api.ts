import { beforeEach, expect } from 'vitest';
import * as z from 'zod/mini';
import { type Endpoint, fillPath } from '../../src/contract/endpoint.ts';
import {
  type BodyOf,
  type DataOf,
  type EndpointName,
  endpoints,
  type MetaOf,
  type PathOf,
} from '../../src/contract/endpoints.ts';
import { errorEnvelope, errorStatus } from '../../src/contract/envelope.ts';
import type { UsedSandbox } from '../support/sandbox.ts';
import { send as sendOnce } from '../support/send.ts';

/** A response as it was received. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A request, which may be invalid. */
export interface WireRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
  /** The first key's token by default; `null` sends none. */
  readonly token?: string | null;
}

/** The input of a call. `body` may be invalid on purpose. */
export interface CallInput<N extends EndpointName> {
  readonly path?: PathOf<N>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: BodyOf<N> | Readonly<Record<string, unknown>>;
  readonly form?: FormData;
  readonly token?: string | null;
}

export type Refused = z.infer<typeof errorEnvelope>;

/** The API's calls. Every response is checked against the contract. */
export interface TestApi {
  send(method: string, path: string, request?: WireRequest): Promise<WireAnswer>;
  /** Returns the response with any status. */
  call<N extends EndpointName>(name: N, input?: CallInput<N>): Promise<WireAnswer>;
  /** Expects a success; returns the data and meta of its envelope. */
  ok<N extends EndpointName>(name: N, input?: CallInput<N>): Promise<{ data: DataOf<N>; meta: MetaOf<N> }>;
  /** Expects an error with a code and the status for it; returns its envelope. */
  refused<N extends EndpointName>(name: N, code: Refused['code'], input?: CallInput<N>): Promise<Refused>;
  /** Exchanges a key for a token, by default the first key. */
  token(credentials?: { key_id: string; key_secret: string }): Promise<string>;
}

/** Returns the calls of a sandbox. Use it at the top of a test file. */
export function createTestApi(sandbox: Pick<UsedSandbox, 'baseUrl' | 'keyId' | 'keySecret'>): TestApi {
  let usual: string | undefined;
  beforeEach(() => {
    usual = undefined;
  });

  async function token(credentials?: { key_id: string; key_secret: string }): Promise<string> {
    const { key_id, key_secret } = credentials ?? {
      key_id: sandbox.keyId,
      key_secret: sandbox.keySecret.reveal(),
    };
    return (await ok('createToken', { body: { key_id, key_secret } })).data.access_token;
  }

  async function send(method: string, path: string, wire: WireRequest = {}): Promise<WireAnswer> {
    if (wire.token !== undefined) return sendWith(wire.token, method, path, wire);
    // One token serves a whole test, unless it expires.
    usual ??= await token();
    const answer = await sendWith(usual, method, path, wire);
    if (answer.status !== 401) return answer;
    usual = await token();
    return sendWith(usual, method, path, wire);
  }

  async function sendWith(
    bearer: string | null,
    method: string,
    path: string,
    wire: WireRequest,
  ): Promise<WireAnswer> {
    const answer = await sendOnce(`${sandbox.baseUrl}${path}`, {
      method,
      headers: { ...(bearer !== null && { authorization: `Bearer ${bearer}` }), ...wire.headers },
      body: wire.body,
    });
    return {
      status: answer.status,
      headers: new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
      body: answer.body === '' ? undefined : JSON.parse(answer.body),
    };
  }

  async function call<N extends EndpointName>(name: N, input: CallInput<N> = {}): Promise<WireAnswer> {
    const { method, path, withoutToken }: Endpoint = endpoints[name];
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(input.query ?? {})) query.append(key, String(value));
    const url = `${fillPath(path, input.path ?? {})}${query.size > 0 ? `?${query}` : ''}`;
    return send(method, url, {
      ...(input.form && { body: input.form }),
      ...(input.body && {
        body: JSON.stringify(input.body),
        headers: { 'content-type': 'application/json' },
      }),
      token: withoutToken ? null : input.token,
    });
  }

  async function ok<N extends EndpointName>(
    name: N,
    input?: CallInput<N>,
  ): Promise<{ data: DataOf<N>; meta: MetaOf<N> }> {
    const endpoint: Endpoint = endpoints[name];
    const { status, body } = await call(name, input);
    expect(body).toMatchObject({ success: true });
    expect(status).toBe(200);
    const envelope = z.strictObject({
      success: z.literal(true),
      data: endpoint.data,
      ...(endpoint.meta && { meta: endpoint.meta }),
    });
    // The types are derived from these schemas.
    return z.parse(envelope, body) as unknown as { data: DataOf<N>; meta: MetaOf<N> };
  }

  async function refused<N extends EndpointName>(
    name: N,
    code: Refused['code'],
    input?: CallInput<N>,
  ): Promise<Refused> {
    return expectRefusal(await call(name, input), code);
  }

  return { send, call, ok, refused, token };
}

/** Expects an error envelope with the status for its code. */
export function expectRefusal({ status, body }: WireAnswer, code: Refused['code']): Refused {
  const refusal = z.parse(errorEnvelope, body);
  expect({ status, code: refusal.code }).toEqual({ status: errorStatus[code], code });
  return refusal;
}

/** Returns the paths of the issues in an error. */
export function issuePaths({ details }: Refused): readonly string[] {
  const listed = z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) });
  return z.parse(listed, details).issues.map(({ path }) => path);
}
