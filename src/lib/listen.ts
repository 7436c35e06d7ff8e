import { once } from 'node:events';
import { isIP, type Server } from 'node:net';

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
}

/**
 * Starts listening. Returns the port.
 * @throws the system's error, with its code, if the address is in use, forbidden or not of this machine
 */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  return address.port;
}

/**
 * Returns true if a host is this machine: 127.0.0.0/8, ::1 (RFC 1122, RFC 4291), also as in a URL, and localhost (RFC
 * 6761).
 */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Returns a host and port as a URL contains them, with an IPv6 address in brackets. */
export function hostAndPort(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
