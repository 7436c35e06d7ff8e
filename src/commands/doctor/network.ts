import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import {
  type ConnectionOptions,
  connect as connectSecurely,
  type DetailedPeerCertificate,
  type TLSSocket,
} from 'node:tls';
import { trustedWith } from '../../client/certificates.ts';
import { describe } from '../../client/transport-error.ts';
import { callFailure } from '../../client/words/call-failure.ts';
import { Failure } from '../../lib/errors.ts';
import { own } from '../../lib/json-object.ts';
import { counted } from '../../lib/text/numbers.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import { isoTime, timeSpan } from '../../lib/time.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { type Answer, type Check, ok, type Subject, skipped, warning } from './check.ts';

/** A certificate that ends sooner than this deserves attention. Milliseconds. */
const soonMs = 14 * 86_400_000;

/** Milliseconds that each step on the way may take at most. */
const maxStepMs = 10_000;

/** The way to the service, step by step, as the client goes it. */
export const networkChecks: readonly Check[] = [
  { name: 'proxy', run: proxyAnswer },
  { name: 'dns', needs: ['proxy'], run: dnsAnswer },
  { name: 'connection', needs: ['dns'], run: connectionAnswer },
  { name: 'ca file', run: caAnswer },
  { name: 'tls', needs: ['connection', 'ca file'], run: tlsAnswer },
];

function proxyAnswer({ context, url, proxy }: Subject): Answer {
  const { env } = context.io;
  const name = proxyVariable(url);
  if (proxy) return ok(`The way to ${url.host} goes through ${proxy.origin} (${name}).`);
  if (own(env, name.toLowerCase()) ?? own(env, name))
    return ok(`None for ${url.host}: ${name} doesn't apply to it.`);
  if (env.all_proxy || env.ALL_PROXY) {
    return warning(
      `ALL_PROXY is set, and botctl doesn't read it: the way to ${url.host} is direct.`,
      `If a proxy is needed: export ${name}="$ALL_PROXY"`,
    );
  }
  return ok(`None: the way to ${url.host} is direct.`);
}

function proxyVariable({ protocol }: URL): 'HTTPS_PROXY' | 'HTTP_PROXY' {
  return protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
}

/** The host that this machine itself connects to: the proxy's where there is one. */
function nearest({ url, proxy }: Subject): { readonly host: string; readonly port: number } {
  return hostAndPort(proxy ?? url);
}

function hostAndPort({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
  };
}

async function dnsAnswer(subject: Subject): Promise<Answer> {
  const { url, proxy, context } = subject;
  const { host } = nearest(subject);
  const whose = proxy ? ` The proxy looks up ${url.hostname}.` : '';
  if (isIP(host) !== 0) return ok(`${host} is an address; there is nothing to look up.${whose}`);
  try {
    const addresses = await inTime(subject, (signal) => lookedUp(host, signal), 'EAI_AGAIN');
    const shown = firstFew(
      addresses.map(({ address }) => address),
      3,
    );
    return ok(`${host} is ${shown}.${whose}`);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!proxy) throw error;
    const name = proxyVariable(url);
    throw new Failure('network', `The proxy's name, ${host}, can't be looked up.`, {
      hint: `Check ${name}, or name the host in NO_PROXY to go without: NO_PROXY=${url.hostname}`,
      cause: error,
    });
  }
}

/** Returns the addresses of a host. A lookup can't be stopped, so one that takes too long is left to itself. */
function lookedUp(host: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
  const stopped = once(signal, 'abort').then(() => Promise.reject(signal.reason));
  return Promise.race([lookup(host, { all: true }), stopped]);
}

async function connectionAnswer(subject: Subject): Promise<Answer> {
  const socket = await connected(subject);
  const address = `${socket.remoteAddress} port ${socket.remotePort}`;
  socket.destroy();
  const whose = subject.proxy ? 'The proxy' : 'The service';
  return ok(`${whose} answers at ${address}.`);
}

async function caAnswer({ caFile, context }: Subject): Promise<Answer> {
  const { env } = context.io;
  if (caFile !== undefined) {
    trustedWith(caFile, env);
    return ok(`The certificates in ${caFile} are trusted too.`);
  }
  const extra = env.NODE_EXTRA_CA_CERTS;
  if (!extra) return skipped('None is named; the certificates that Node.js brings are trusted.');
  try {
    trustedWith(extra, {});
    return ok(`The certificates in ${extra} are trusted too (NODE_EXTRA_CA_CERTS).`);
  } catch (thrown) {
    // Node.js goes on without the file, and so does botctl.
    if (!(thrown instanceof Failure)) throw thrown;
    return warning(
      `${thrown.message} It is named by NODE_EXTRA_CA_CERTS.`,
      'Mend the variable, or unset it.',
    );
  }
}

async function tlsAnswer(subject: Subject): Promise<Answer> {
  const { url, caFile, context } = subject;
  if (url.protocol !== 'https:') return skipped(`${url.origin} is plain http, without certificates.`);
  const trusted = caFile === undefined ? {} : trustedWith(caFile, context.io.env);
  const socket = await secured(subject, trusted);
  const chain = chainOf(socket.getPeerCertificate(true));
  const protocol = socket.getProtocol() ?? 'TLS';
  const problem = socket.authorized ? undefined : socket.authorizationError;
  socket.destroy();
  const [own] = chain;
  if (problem && context.io.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return warning(
      `NODE_TLS_REJECT_UNAUTHORIZED=0: anybody on the way can read and change everything.`,
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
    );
  }
  if (problem) throw untrusted(String(problem instanceof Error ? problem.message : problem), own, subject);
  const ends = Math.min(...chain.map((certificate) => Date.parse(certificate.valid_to)));
  const words = `${protocol}; ${counted(chain.length, 'certificate')}, made out by ${nameIn(own?.issuer)}`;
  const left = ends - context.clock.now();
  if (left < soonMs) {
    return warning(
      `The certificate of ${url.host} ends in ${timeSpan(left / 1000)} (${isoTime(ends)}).`,
      'Tell the operator of the service: then nothing works until it is renewed.',
    );
  }
  return ok(`${words}, good until ${isoTime(ends)}.`);
}

/** The certificates that the other side sent, its own first. The last one may name itself as its issuer. */
function chainOf(own: DetailedPeerCertificate): readonly DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  const seen = new Set<string>();
  let next: DetailedPeerCertificate | undefined = own;
  while (next?.fingerprint256 && !seen.has(next.fingerprint256)) {
    seen.add(next.fingerprint256);
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

function nameIn(subject: DetailedPeerCertificate['issuer'] | undefined): string {
  return sanitise(String(subject?.CN ?? subject?.O ?? 'nobody')).slice(0, 80);
}

/** The client's own words for a certificate that it refuses, and who made it out. */
function untrusted(code: string, own: DetailedPeerCertificate | undefined, subject: Subject): Failure {
  const { message, hint, kind } = inWords(Object.assign(new Error(code), { code }), subject);
  const isOwn = own !== undefined && nameIn(own.subject) === nameIn(own.issuer);
  const maker = isOwn ? 'It is self-signed' : `It was made out by ${nameIn(own?.issuer)}`;
  return new Failure(kind, own ? `${message} ${maker}, for ${nameIn(own.subject)}.` : message, { hint });
}

/** Connects to the nearest host. */
function connected(subject: Subject): Promise<Socket> {
  return inTime(subject, (signal) => opened(connect(nearest(subject)), 'connect', signal));
}

/** Connects to the service and greets it, whatever its certificate is worth. */
async function secured(subject: Subject, trusted: ConnectionOptions): Promise<TLSSocket> {
  const { url, proxy } = subject;
  const { host, port } = hostAndPort(url);
  const tunnel = proxy && (await tunnelled(proxy, subject, trusted));
  const options = {
    ...trusted,
    host,
    port,
    ...(isIP(host) === 0 && { servername: host }),
    ...(tunnel && { socket: tunnel }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
  };
  return inTime(subject, (signal) => opened(connectSecurely(options), 'secureConnect', signal));
}

/** Asks the proxy for a way through to the service. */
async function tunnelled(proxy: URL, subject: Subject, trusted: ConnectionOptions): Promise<Socket> {
  const request = proxy.protocol === 'https:' ? requestByHttps : requestByHttp;
  const { host, port } = hostAndPort(subject.url);
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const options = {
    ...trusted,
    ...hostAndPort(proxy),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...proxyCredentials(proxy) },
  };
  const ask = (signal: AbortSignal) =>
    new Promise<readonly [status: number | undefined, socket: Socket]>((resolve, reject) => {
      request({ ...options, signal })
        .once('connect', ({ statusCode }, socket: Socket) => resolve([statusCode, socket]))
        .once('error', reject)
        .end();
    });
  const [status, socket] = await inTime(subject, ask);
  if (status === 200) return socket;
  socket.destroy();
  // As undici says it, whose words the client knows.
  throw inWords(new Error(`Proxy response (${status ?? 0}) !== 200 when HTTP Tunneling`), subject);
}

function proxyCredentials({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** Returns a socket once it has reached an event. */
async function opened<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  // An error after that is not looked at.
  addAbortSignal(signal, socket).on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    socket.once(event, resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  return socket;
}

/**
 * Takes a step on the way, for as long as a step may take.
 * @param late the code of the error if it takes longer
 * @throws Failure in the client's words, and the signal's reason
 */
async function inTime<T>(
  subject: Subject,
  step: (signal: AbortSignal) => Promise<T>,
  late = 'ETIMEDOUT',
): Promise<T> {
  const { clock, signal } = subject.context;
  const deadline = clock.deadline(timeLimit(subject), signal);
  try {
    return await step(deadline.signal);
  } catch (error) {
    signal.throwIfAborted();
    throw inWords(deadline.isOver ? Object.assign(new Error('too long'), { code: late }) : error, subject);
  } finally {
    deadline.clear();
  }
}

function timeLimit({ context }: Subject): number {
  return Math.min(context.options.requestTimeout ?? maxStepMs, maxStepMs);
}

/** Returns the failure with which a call ends that meets this. */
function inWords(thrown: unknown, subject: Subject): Failure {
  const { caller, proxy, caFile } = subject;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const failure = callFailure(describe(error, false, proxy?.origin), {
    name: 'createToken',
    method: 'POST',
    path: '',
    repeatable: true,
    baseUrl: caller.baseUrl,
    identity: caller,
    requestTimeout: timeLimit(subject),
    caFile,
  });
  return failure instanceof Failure ? failure : new Failure('network', error.message, { cause: error });
}
