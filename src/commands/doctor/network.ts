import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { tlsOptionsFor } from '../../client/certificates.ts';
import { openTransport } from '../../client/transport.ts';
import { toTransportError } from '../../client/transport-error.ts';
import { unlessAborted } from '../../lib/clock.ts';
import { Failure } from '../../lib/errors.ts';
import { isObject, ownMember } from '../../lib/json-object.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { firstFew, oneLine } from '../../lib/text/sentence.ts';
import { durationInWords, isoTime } from '../../lib/time.ts';
import { reachFailure } from '../../resources/check-reach.ts';
import { type Answer, type Check, ok, orFailure, type Subject, skipped, soonMs, warning } from './check.ts';

/** The time limit of each step, in milliseconds. */
const maxStepMs = 10_000;

/** The checks of the connection to the service, step by step as the client connects. */
export const networkChecks: readonly Check[] = [
  { name: 'proxy', run: proxyAnswer },
  { name: 'dns', needs: ['proxy'], run: dnsAnswer },
  { name: 'connection', needs: ['dns'], run: connectionAnswer },
  { name: 'ca file', run: caAnswer },
  { name: 'tls', needs: ['connection', 'ca file'], run: tlsAnswer },
];

function proxyAnswer({ context, url, proxy }: Subject): Answer {
  const { env } = context.io;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  if (proxy) return ok(`${url.host} is reached through ${proxy.origin} (${name}).`);
  if (ownMember(env, name.toLowerCase()) ?? ownMember(env, name))
    return ok(`None for ${url.host}: ${name} does not apply to it.`);
  if (env.all_proxy || env.ALL_PROXY)
    return warning(
      `botctl ignores ALL_PROXY: the connection to ${url.host} is direct.`,
      `If a proxy is needed: export ${name}="$ALL_PROXY"`,
    );
  return ok(`None: the connection to ${url.host} is direct.`);
}

/** Returns the host to which this machine connects: the proxy if there is one. */
function nearest({ url, proxy }: Subject): { readonly host: string; readonly port: number } {
  const { port, protocol } = proxy ?? url;
  return { host: bare(proxy ?? url), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/** Returns the name or address of a host, without the brackets of an IPv6 address. */
function bare({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

async function dnsAnswer(subject: Subject): Promise<Answer> {
  const { host } = nearest(subject);
  const whose = subject.proxy ? ` The proxy looks up ${subject.url.hostname}.` : '';
  if (isIP(host) !== 0) return ok(`${host} is an IP address.${whose}`);
  return step(subject, 'EAI_AGAIN', async (signal) => {
    // A DNS query can't be cancelled, so a slow one is abandoned.
    const addresses = await unlessAborted(lookup(host, { all: true }), signal);
    return ok(
      `${host} is ${firstFew(
        addresses.map(({ address }) => address),
        3,
      )}.${whose}`,
    );
  });
}

function connectionAnswer(subject: Subject): Promise<Answer> {
  return step(subject, 'ETIMEDOUT', async (signal) => {
    const socket = connect({ ...nearest(subject), signal });
    await once(socket, 'connect');
    const { remoteAddress, remotePort } = socket;
    socket.destroy();
    return ok(`The ${subject.proxy ? 'proxy' : 'service'} answers at ${remoteAddress} port ${remotePort}.`);
  });
}

async function caAnswer({ caFile, context }: Subject): Promise<Answer> {
  const { env } = context.io;
  if (caFile !== undefined) {
    tlsOptionsFor(caFile, env);
    return ok(`Also trusted: ${caFile}.`);
  }
  const extra = env.NODE_EXTRA_CA_CERTS;
  if (!extra) return skipped('None. The certificates of Node.js are trusted.');
  // Node.js ignores a file of certificates that it can't use, and so does botctl.
  const trusted = await orFailure(() => tlsOptionsFor(extra, {}));
  return trusted instanceof Failure
    ? warning(`${trusted.message} NODE_EXTRA_CA_CERTS names it.`, 'Correct NODE_EXTRA_CA_CERTS, or unset it.')
    : ok(`Also trusted: ${extra} (NODE_EXTRA_CA_CERTS).`);
}

/** Connects to the service as the client does, but accepts any certificate. Sends nothing. */
async function tlsAnswer(subject: Subject): Promise<Answer> {
  const { url, caFile, context } = subject;
  if (url.protocol !== 'https:') return skipped(`${url.origin} is plain http, without certificates.`);
  return step(subject, 'ETIMEDOUT', async (signal) => {
    const requestTimeout = timeLimit(subject);
    const transport = openTransport({
      ...{ env: context.io.env, caFile, insecureHttp: false, requestTimeout, signal },
      acceptsAnyCertificate: true,
      onSend() {
        throw new Error('nothing is sent');
      },
    });
    let look = (_message: unknown): void => undefined;
    const answer = new Promise<Answer>((resolve, reject) => {
      look = (message) => {
        if (!isObject(message) || !isObject(message.connectParams)) return;
        const { connectParams, socket } = message;
        // The certificate must not be that of a proxy. It is read now, because the connection is closed next.
        if (socket instanceof TLSSocket && connectParams.hostname === bare(url))
          resolve(certificateAnswer(socket, subject));
      };
      subscribe(channel, look);
      transport.send({ method: 'HEAD', origin: url.origin, path: '/', headers: {} }).catch(reject);
    });
    try {
      return await answer;
    } finally {
      unsubscribe(channel, look);
      await transport.close();
    }
  });
}

/** The channel on which undici publishes its connections. */
const channel = 'undici:client:connected';

/** @throws Failure of a call with that certificate, if it is not trusted */
async function certificateAnswer(socket: TLSSocket, subject: Subject): Promise<Answer> {
  const { url, context } = subject;
  const certificate = socket.getPeerCertificate(true);
  const [holder, issuer] = [nameIn(certificate.subject), nameIn(certificate.issuer)];
  if (!socket.authorized) {
    if (context.io.env.NODE_TLS_REJECT_UNAUTHORIZED === '0')
      return warning(
        `NODE_TLS_REJECT_UNAUTHORIZED=0: anyone on the network can read and change everything.`,
        'unset NODE_TLS_REJECT_UNAUTHORIZED',
      );
    const { message, hint, kind } = inWords(coded(String(socket.authorizationError)), subject);
    const maker = holder === issuer ? 'It is self-signed' : `It was issued by ${issuer}`;
    throw new Failure(kind, `${message} ${maker}, for ${holder}.`, { hint });
  }
  const chain = chainOf(certificate);
  const ends = Math.min(...chain.map(({ valid_to: end }) => Date.parse(end)));
  const left = ends - context.clock.now();
  if (left < soonMs)
    return warning(
      `The certificate of ${url.host} expires in ${durationInWords(left / 1000)} (${isoTime(ends)}).`,
      'Tell the operator of the service. When it has expired, nothing works until it is renewed.',
    );
  return ok(
    `${socket.getProtocol()}; ${pluralize(chain.length, 'certificate')}, issued by ${issuer}, valid until ${isoTime(ends)}.`,
  );
}

/** Returns the certificates of the peer, its own first. The last one may be self-signed. */
function chainOf(own: DetailedPeerCertificate): readonly DetailedPeerCertificate[] {
  const chain = new Set<DetailedPeerCertificate>();
  let next: DetailedPeerCertificate | undefined = own;
  for (; next && !chain.has(next); next = next.issuerCertificate) chain.add(next);
  return [...chain];
}

function nameIn(subject: DetailedPeerCertificate['issuer'] | undefined): string {
  return oneLine(String(subject?.CN ?? subject?.O ?? 'nobody'), 80);
}

/**
 * Runs a step with the time limit.
 * @param late the error code if it takes longer
 * @throws Failure with the client's message, and the reason of the signal
 */
async function step(
  subject: Subject,
  late: string,
  take: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const { clock, signal } = subject.context;
  const deadline = clock.deadline(timeLimit(subject), signal);
  try {
    return await take(deadline.signal);
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown instanceof Failure ? thrown : inWords(deadline.isOver ? coded(late) : thrown, subject);
  } finally {
    deadline.clear();
  }
}

function timeLimit({ context }: Subject): number {
  return Math.min(context.options.requestTimeout ?? maxStepMs, maxStepMs);
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Returns the failure that the client reports for this error. */
function inWords(thrown: unknown, subject: Subject): Failure {
  const { caller, proxy, caFile } = subject;
  const error = thrown instanceof Error ? toTransportError(thrown, false, proxy?.origin) : thrown;
  return reachFailure(error, caller, { requestTimeout: timeLimit(subject), caFile });
}
