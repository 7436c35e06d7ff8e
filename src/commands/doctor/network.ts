import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { trustedWith } from '../../client/certificates.ts';
import { openTransport } from '../../client/transport.ts';
import { describe } from '../../client/transport-error.ts';
import { callFailure } from '../../client/words/call-failure.ts';
import { unlessAborted } from '../../lib/clock.ts';
import { Failure } from '../../lib/errors.ts';
import { isObject, own } from '../../lib/json-object.ts';
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
  const { port, protocol } = proxy ?? url;
  return { host: bare(proxy ?? url), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/** The name or the address of a host; an IPv6 address without its brackets. */
function bare({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

async function dnsAnswer(subject: Subject): Promise<Answer> {
  const { url, proxy, context } = subject;
  const { host } = nearest(subject);
  const whose = proxy ? ` The proxy looks up ${url.hostname}.` : '';
  if (isIP(host) !== 0) return ok(`${host} is an address; there is nothing to look up.${whose}`);
  try {
    // A look-up can't be stopped, so one that takes too long is left to itself.
    const look = (signal: AbortSignal) => unlessAborted(lookup(host, { all: true }), signal);
    const addresses = (await inTime(subject, look, 'EAI_AGAIN')).map(({ address }) => address);
    return ok(`${host} is ${firstFew(addresses, 3)}.${whose}`);
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

async function connectionAnswer(subject: Subject): Promise<Answer> {
  const reached = await inTime(subject, async (signal) => {
    const socket = connect({ ...nearest(subject), signal });
    await once(socket, 'connect');
    const { remoteAddress, remotePort } = socket;
    socket.destroy();
    return `${remoteAddress} port ${remotePort}`;
  });
  return ok(`${subject.proxy ? 'The proxy' : 'The service'} answers at ${reached}.`);
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
  const { url, context } = subject;
  if (url.protocol !== 'https:') return skipped(`${url.origin} is plain http, without certificates.`);
  const { protocol, certificate, problem } = await handshake(subject);
  if (problem && context.io.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return warning(
      `NODE_TLS_REJECT_UNAUTHORIZED=0: anybody on the way can read and change everything.`,
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
    );
  }
  const [holder, issuer] = [nameIn(certificate.subject), nameIn(certificate.issuer)];
  if (problem) {
    const { message, hint, kind } = inWords(Object.assign(new Error(problem), { code: problem }), subject);
    const maker = holder === issuer ? 'It is self-signed' : `It was made out by ${issuer}`;
    throw new Failure(kind, `${message} ${maker}, for ${holder}.`, { hint });
  }
  const chain = chainOf(certificate);
  const ends = Math.min(...chain.map(({ valid_to: end }) => Date.parse(end)));
  const left = ends - context.clock.now();
  if (left < soonMs) {
    return warning(
      `The certificate of ${url.host} ends in ${timeSpan(left / 1000)} (${isoTime(ends)}).`,
      'Tell the operator of the service: then nothing works until it is renewed.',
    );
  }
  return ok(
    `${protocol}; ${counted(chain.length, 'certificate')}, made out by ${issuer}, good until ${isoTime(ends)}.`,
  );
}

/** The certificates that the other side sent, its own first. The last one may name itself as its issuer. */
function chainOf(own: DetailedPeerCertificate): readonly DetailedPeerCertificate[] {
  const chain = new Set<DetailedPeerCertificate>();
  let next: DetailedPeerCertificate | undefined = own;
  for (; next && !chain.has(next); next = next.issuerCertificate) chain.add(next);
  return [...chain];
}

function nameIn(subject: DetailedPeerCertificate['issuer'] | undefined): string {
  return sanitise(String(subject?.CN ?? subject?.O ?? 'nobody')).slice(0, 80);
}

/** The greeting of the service. */
interface Handshake {
  readonly protocol: string;
  readonly certificate: DetailedPeerCertificate;
  /** Why its certificate is not trusted. */
  readonly problem: string | undefined;
}

/** Connects to the service as the client does, whatever its certificate is worth, and sends nothing. */
async function handshake(subject: Subject): Promise<Handshake> {
  const { url, caFile, context } = subject;
  const { signal, io } = context;
  let seen: Handshake | undefined;
  const look = (message: unknown): void => {
    if (!isObject(message) || !isObject(message.connectParams)) return;
    const { connectParams, socket } = message;
    // Not a proxy's own.
    if (!(socket instanceof TLSSocket) || connectParams.hostname !== bare(url)) return;
    seen = {
      protocol: socket.getProtocol() ?? 'TLS',
      certificate: socket.getPeerCertificate(true),
      problem: socket.authorized ? undefined : String(socket.authorizationError),
    };
  };
  const transport = openTransport({
    ...{ env: io.env, caFile, insecureHttp: false, requestTimeout: timeLimit(subject), signal },
    takesAnyCertificate: true,
    onLeaving() {
      throw new Error('nothing is sent');
    },
  });
  subscribe('undici:client:connected', look);
  try {
    return await transport.send({ method: 'HEAD', origin: url.origin, path: '/', headers: {} }).then(
      () => Promise.reject(new Error('something was sent')),
      (thrown: unknown) => seen ?? Promise.reject(thrown),
    );
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Failure ? error : inWords(error, subject);
  } finally {
    unsubscribe('undici:client:connected', look);
    await transport.close();
  }
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
