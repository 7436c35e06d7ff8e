import { openTransport, type TransportOptions } from '../client/transport.ts';
import { TransportError } from '../client/transport-error.ts';
import { callFailure } from '../client/words/call-failure.ts';
import { asFailure, type Failure } from '../lib/errors.ts';
import { Secret } from '../secrets/secret.ts';
import type { Identity } from '../settings/settings.ts';

/** An identity with an address but no key: enough to check the connection and to explain failures. */
export function anonymousIdentity(baseUrl: string): Identity {
  return { baseUrl, keyId: '', keySecret: new Secret(''), source: 'login', profile: undefined };
}

/**
 * Checks that a connection to a base address can be made. Sends nothing secret, and accepts any response:
 * only a call can show whether it is the service.
 * @throws Failure `network` with the message of a failed call, and the signal's reason
 */
export async function checkReach(baseUrl: string, options: TransportOptions): Promise<void> {
  const transport = openTransport(options);
  const { origin, pathname: path } = new URL(baseUrl);
  try {
    await transport.send({ method: 'HEAD', origin, path, headers: {} });
  } catch (thrown) {
    options.signal.throwIfAborted();
    // If the request was sent, there is a server.
    if (thrown instanceof TransportError && thrown.sent) return;
    throw reachFailure(thrown, anonymousIdentity(baseUrl), options);
  } finally {
    await transport.close();
  }
}

/** Returns the failure of a call for an error on the way to the service. */
export function reachFailure(
  thrown: unknown,
  identity: Identity,
  { requestTimeout, caFile }: Pick<TransportOptions, 'requestTimeout' | 'caFile'>,
): Failure {
  const call = { name: undefined, method: 'HEAD', path: '', repeatable: true, requestTimeout, caFile };
  return asFailure(callFailure(thrown, { ...call, baseUrl: identity.baseUrl, identity }));
}
