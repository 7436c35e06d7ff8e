import type { EndpointName } from '../../src/contract/endpoints.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultEffect, FaultRequest } from '../../src/sandbox/faults/fault.ts';
import type { LoggedRequest } from '../../src/sandbox/request-log/request-log.ts';
import { type Direct, openDirect } from '../support/direct.ts';
import { openTestApi, type TestApi, type TestOptions } from '../support/open-test-api.ts';
import { requestsFromNow } from '../support/requests.ts';
import { type UsedSandbox, useSandbox } from '../support/sandbox.ts';

/** The client on a sandbox. */
export interface OpenedClient extends TestApi {
  /** Returns the requests that an endpoint met since the client was opened, or those of all endpoints. */
  seen(name?: EndpointName): Promise<readonly LoggedRequest[]>;
  /** Counts those of an endpoint. */
  requests(name: EndpointName): Promise<number>;
}

/** A sandbox whose calls fail on command, for tests of the client alone. */
export interface FaultySandbox {
  readonly sandbox: UsedSandbox;
  readonly direct: Direct;
  /** Opens the client. Its clock is that of a test. */
  open(options?: TestOptions): Promise<OpenedClient>;
  fail(target: EndpointName, effect?: FaultEffect, more?: Partial<FaultRequest>): Promise<unknown>;
}

/** The time of the sandbox stands still, where the clock of the client begins. */
export const now = Date.UTC(2026, 0, 1);

export const broken: FaultEffect = { kind: 'status', status: 500 };

/** Gives a test file a sandbox as `useSandbox` does, and what opens the client on it and lets it fail. */
export function useFaultySandbox(): FaultySandbox {
  const sandbox = useSandbox({ machineTime: () => now });
  return {
    sandbox,
    direct: openDirect(sandbox),
    async open(options = {}) {
      const { baseUrl, keyId, keySecret } = sandbox;
      const identity = {
        ...{ baseUrl, keyId, keySecret },
        ...({ source: 'current profile', profile: 'default' } as const),
      };
      const read = await requestsFromNow(sandbox);
      const seen = async (name?: EndpointName): Promise<readonly LoggedRequest[]> =>
        (await read()).filter(({ operation }) => name === undefined || operation === name);
      return {
        ...openTestApi(baseUrl, { identity, ...options }),
        seen,
        requests: async (name) => (await seen(name)).length,
      };
    },
    fail: (target, effect, more = {}) =>
      callControl(sandbox.control, '/fault/add', { target, effect, ...more }),
  };
}
