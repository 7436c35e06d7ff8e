import { createServer } from 'node:http';
import { messageOf } from '../../lib/errors.ts';
import { hostAndPort, type ListenAddress, listen } from '../../lib/listen.ts';
import { pathOf } from '../http/exchange.ts';
import { SandboxProblem } from '../problem.ts';
import type { Metrics } from './metrics.ts';

/** A running listener. */
export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Of Prometheus' text format (Prometheus, Exposition formats). */
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Lets metrics be read at an address of their own, by anyone who reaches it: they hold no secret.
 * @throws SandboxProblem if it can't listen there
 */
export async function startMetrics(
  metrics: Pick<Metrics, 'text'>,
  given: ListenAddress,
): Promise<MetricsServer> {
  const server = createServer(({ method = '', url = '' }, response) => {
    const isAsked = pathOf(url) === '/metrics' && ['GET', 'HEAD'].includes(method);
    if (!isAsked) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('GET /metrics\n');
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': contentType }).end(text),
      () => response.destroy(),
    );
  });
  const port = await listen(server, given).catch((cause: unknown) => {
    throw new SandboxProblem(
      `The metrics can't be at ${hostAndPort(given.host, given.port)}: ${messageOf(cause)}.`,
      { code: 'metricsAddressUnusable' },
      { cause },
    );
  });
  return {
    url: `http://${hostAndPort(given.host, port)}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
