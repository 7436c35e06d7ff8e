import { once } from 'node:events';
import { createServer } from 'node:http';
import { isIP } from 'node:net';
import { Failure, messageOf } from '../../lib/errors.ts';
import { pathOf } from '../http/exchange.ts';
import type { Metrics } from './metrics.ts';

/** Where the metrics are. */
export interface MetricsAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** A running listener. */
export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Of Prometheus' text format (Prometheus, Exposition formats). */
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Lets metrics be read at an address of their own, by anyone who reaches it: they hold no secret.
 * @throws Failure `invalidInput` if the address can't be had
 */
export async function startMetrics(
  metrics: Pick<Metrics, 'text'>,
  { host, port }: MetricsAddress,
): Promise<MetricsServer> {
  const server = createServer(({ method = '', url = '' }, response) => {
    const isAsked = pathOf(url) === '/metrics' && ['GET', 'HEAD'].includes(method);
    if (!isAsked) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('GET /metrics\n');
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': contentType }).end(text),
      () => response.destroy(),
    );
  });
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw new Failure('invalidInput', `The metrics can't be at ${shown}:${port}: ${messageOf(cause)}.`, {
      hint: 'Name an address of this machine with a port that is free: --metrics 127.0.0.1:9464',
      cause,
    });
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the metrics have no port');
  return {
    url: `http://${shown}:${address.port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
