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
  /** Returns the requests to an endpoint since the client was opened, or to all endpoints. */
  seen(name?: EndpointName): Promise<readonly LoggedRequest[]>;
  /** Counts the requests to an endpoint. */
  requests(name: EndpointName): Promise<number>;
}

/** A sandbox whose calls fail on command, for tests of the client alone. */
export interface FaultySandbox {
  readonly sandbox: UsedSandbox;
  readonly direct: Direct;
  /** Opens the client with a test clock. */
  open(options?: TestOptions): Promise<OpenedClient>;
  fail(target: EndpointName, effect?: FaultEffect, more?: Partial<FaultRequest>): Promise<unknown>;
}

/** The sandbox's time, which stands still at the start of the client's clock. */
export const now = Date.UTC(2026, 0, 1);

export const broken: FaultEffect = { kind: 'status', status: 500 };

/** Gives a test file a sandbox as `useSandbox` does, with functions that open the client and add faults. */
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
