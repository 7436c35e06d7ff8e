import type { EndpointName } from '../../contract/endpoints.ts';
import { Failure, type FailureKind } from '../../lib/errors.ts';
import {
  command,
  joinRemarks,
  placeholder,
  type Remark,
  type RemarkText,
  remark,
} from '../../lib/text/remark.ts';
import { capitalised, fullStop, oneLine } from '../../lib/text/sentence.ts';
import type { Identity } from '../../settings/settings.ts';
import { type RefusalKind, ServiceError } from '../answer.ts';
import { type FailedCall, MissingToken, UnreadableAnswer } from '../call-error.ts';
import { isUncertain } from '../retry.ts';
import { TransportError } from '../transport-error.ts';
import { learnLine, pageNameLine } from './list-failure.ts';
import { endedInFlight, howToLook, outcomeUnknown } from './lost-call.ts';

/**
 * Turns what an attempt threw into a failure: what happened, and the setting or command that mends it.
 * Anything else, such as the reason of an abort, is given back as it is.
 */
export function callFailure(thrown: unknown, call: FailedCall): unknown {
  if (thrown instanceof MissingToken) return missingToken(thrown, call);
  if (thrown instanceof UnreadableAnswer) return unreadableAnswer(thrown, call);
  if (!(thrown instanceof TransportError || thrown instanceof ServiceError)) return thrown;
  if (isUncertain(thrown)) {
    if (call.endedBy) return endedInFlight(thrown, call.endedBy, call);
    if (!call.repeatable) return outcomeUnknown(thrown, call);
  }
  return thrown instanceof TransportError ? transportFailure(thrown, call) : serviceFailure(thrown, call);
}

function transportFailure(error: TransportError, call: FailedCall): Failure {
  const [message, hint] = error.reason === 'proxy' ? proxySentences(error, call) : sentences(error, call);
  const kind = error.reason === 'file' ? 'invalidInput' : 'network';
  return new Failure(kind, message, { hint, cause: error });
}

/** Returns the hint for an address that may be wrong. Before the first sign-in there is nobody for whoami to show. */
export function addressHint({ source, baseUrlFrom }: Identity): RemarkText {
  if (source === 'login')
    return remark`Check the address, and sign in with the right one: ${command('login', '--base-url', placeholder('URL'))}`;
  return baseUrlFrom === undefined
    ? remark`Check the address with ${command('whoami')}.`
    : `Check the address, which ${baseUrlFrom} gives.`;
}

/** Returns how another address is used from now on: one that the environment or the line gives is changed there. */
function otherAddress({ baseUrlFrom }: Identity): Remark {
  return baseUrlFrom === undefined
    ? remark`sign in there: ${command('login', '--base-url', placeholder('URL'))}`
    : remark`let ${baseUrlFrom} give it.`;
}

function sentences(error: TransportError, call: FailedCall): readonly [message: string, hint: RemarkText] {
  const { baseUrl } = call;
  const { hostname } = new URL(baseUrl);
  const checkAddress = addressHint(call.identity);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const moreTime = 'Give it more time with --request-timeout 2m, or try again later.';
  switch (error.reason) {
    case 'dns':
      return [`There is no host named ${hostname}.`, remark`Check your network. ${checkAddress}`];
    case 'dnsBusy':
      return [`The name ${hostname} can't be looked up at the moment.`, 'Check your network and try again.'];
    case 'refused':
      return [
        `Nothing answers at ${baseUrl}: connection refused.`,
        local
          ? remark`Is it running? A sandbox starts with: ${command('sandbox', 'start')}. ${checkAddress}`
          : checkAddress,
      ];
    case 'unreachable':
      return [`${baseUrl} can't be reached from this network.`, remark`Check your network. ${checkAddress}`];
    case 'connectTimeout':
      return [`No connection to ${baseUrl} in time.`, remark`${checkAddress} ${moreTime}`];
    case 'timeout':
      return [`No complete answer from ${baseUrl} within ${call.requestTimeout / 1000} s.`, moreTime];
    case 'tls':
      return tlsSentences(error, call);
    case 'protocol':
      return [`What answers at ${baseUrl} doesn't speak HTTP.`, checkAddress];
    case 'tooLarge':
      return [
        `The answer to ${call.method} ${call.path} is too large to read.`,
        'Ask for fewer rows with --per-page.',
      ];
    case 'redirect':
      return [`${error.message}.`, checkAddress];
    case 'file':
      return [`${capitalised(error.message)}.`, 'Nothing was uploaded; try again when the file is at rest.'];
    default:
      return [
        `The connection to ${baseUrl} broke before the answer was complete.`,
        'Try again; nothing has to be undone.',
      ];
  }
}

function tlsSentences(
  error: TransportError,
  { baseUrl, caFile, identity }: FailedCall,
): readonly [string, RemarkText] {
  const { host } = new URL(baseUrl);
  const checkAddress = addressHint(identity);
  const code = error.detail.code ?? '';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const state = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet';
    return [
      `The certificate of ${host} ${state}.`,
      'Check the clock of this machine, or tell the operator of the service.',
    ];
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    return [`The certificate of ${host} is made out for another name.`, checkAddress];
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return [
      `What answers at ${baseUrl} doesn't speak TLS as it should.`,
      remark`Is it a http address? ${checkAddress}`,
    ];
  }
  return [
    `The certificate of ${host} isn't trusted here (${code || oneLine(error.message, 80)}).`,
    caFile === undefined
      ? 'If you trust who runs it, name the file of their certificate authority: --ca-file FILE, or NODE_EXTRA_CA_CERTS.'
      : `${caFile} doesn't hold the certificate authority that made it out.`,
  ];
}

function proxySentences({ detail }: TransportError, { baseUrl }: FailedCall): readonly [string, RemarkText] {
  const variable = baseUrl.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const direct = `or name the host in NO_PROXY to go without: NO_PROXY=${new URL(baseUrl).hostname}`;
  if (detail.proxyStatus === 407) {
    return [
      `The proxy ${detail.proxy} wants a user name and a password.`,
      `Put them into ${variable}=http://USER:PASSWORD@HOST:PORT, ${direct}`,
    ];
  }
  if (detail.proxyStatus !== undefined) {
    return [
      `The proxy ${detail.proxy} refuses the way to ${baseUrl} (${detail.proxyStatus}).`,
      `Check ${variable}, ${direct}`,
    ];
  }
  return [`The proxy ${detail.proxy} doesn't answer.`, `Check ${variable}, ${direct}`];
}

const failureKinds: Readonly<Record<RefusalKind, FailureKind>> = {
  rejected: 'rejected',
  authentication: 'authentication',
  notFound: 'notFound',
  rateLimited: 'rateLimited',
  server: 'network',
  foreign: 'network',
};

/** Calls that name nothing by an id: where their path isn't there, no API is. */
const fixedPaths: ReadonlySet<EndpointName | undefined> = new Set([
  'createToken',
  'createKey',
  'listKeys',
  'createTeam',
  'listTeams',
  'listBots',
  'listDocuments',
]);

/** An id among the conditions of a list. */
const idInQuery = /\?.*=[\da-f]{8}-[\da-f]{4}-/i;

/**
 * True if an answer says that the address is wrong. That must not pass for a thing that isn't there: a script
 * may create what it doesn't find.
 */
function saysNoApi({ kind }: ServiceError, { name, path }: FailedCall): boolean {
  return kind === 'notFound' && fixedPaths.has(name) && !idInQuery.test(path);
}

function serviceFailure(error: ServiceError, call: FailedCall): Failure {
  const isElsewhere = saysNoApi(error, call);
  const [message, hint] = isElsewhere ? noApiSentences(error, call) : serviceSentences(error, call);
  const { code, details } = error.detail;
  return new Failure(isElsewhere ? 'network' : failureKinds[error.kind], message, {
    hint,
    code: isElsewhere ? undefined : code,
    status: error.status,
    details,
    cause: error,
  });
}

function noApiSentences(
  { message: said, status }: ServiceError,
  { baseUrl, method, path, identity }: FailedCall,
): readonly [message: string, hint: RemarkText] {
  return [
    `${baseUrl} is not the address of the API: it answered ${method} ${path} with status ${status}: ${said}${fullStop(said)}`,
    addressHint(identity),
  ];
}

function serviceSentences(
  error: ServiceError,
  call: FailedCall,
): readonly [message: string, hint?: RemarkText] {
  const { baseUrl, method, path } = call;
  const said = error.message;
  const { elsewhere, location, isEnvelope, retryAfter } = error.detail;
  if (elsewhere !== undefined) {
    return [
      `${baseUrl} redirects to ${elsewhere}, where ${method} ${path} got ${error.status}: ${said}${fullStop(said)}`,
      remark`A token never goes to another address. If the service moved, ${otherAddress(call.identity)}`,
    ];
  }
  if (location !== undefined) {
    return [
      `${baseUrl} redirects ${method} ${path} to ${oneLine(location, 200)}, and botctl follows redirects for reads only.`,
      remark`To use the address it points to, ${otherAddress(call.identity)}`,
    ];
  }
  switch (error.kind) {
    case 'rateLimited':
      return [
        `The service allows no more requests for now (429).`,
        retryAfter
          ? `It asks to wait: Retry-After ${oneLine(retryAfter, 40)}. Go slower with --max-rps 2.`
          : 'Go slower with --max-rps 2, or ask support for a higher limit.',
      ];
    case 'server':
      return [
        `The service at ${baseUrl} failed (${error.status}): ${said}${fullStop(said)}`,
        'It is safe to try again later.',
      ];
    case 'foreign':
      return [
        `${baseUrl} answered ${method} ${path} with status ${error.status} and something that isn't the API's: ${said}${fullStop(said)}`,
        remark`A wrong address, or a network that wants you to sign in first, answers like this: open it in a browser. ${addressHint(call.identity)}`,
      ];
    case 'authentication':
      return authenticationSentences(said, call);
    case 'notFound':
      return [`The service doesn't have that: ${said}${fullStop(said)}`, listHint(call)];
    default:
      return isEnvelope
        ? [`The service refused: ${said}${fullStop(said)}`, namesHint(error, call)]
        : [
            `${baseUrl} answered ${method} ${path} with status ${error.status}: ${said}${fullStop(said)}`,
            addressHint(call.identity),
          ];
  }
}

/** True if a refusal is of what was sent, by its code or its status. */
export function isOfInput({ status, code }: Pick<Failure, 'status' | 'code'>): boolean {
  return code === 'BAD_REQUEST' || status === 400 || status === 422;
}

/** Lists whose parameters may have other names at the service. */
const pagedLists: ReadonlySet<EndpointName | undefined> = new Set(['listTeams', 'listBots', 'listDocuments']);

/** Returns the hint for a list that is refused for what it was asked with: names that were learned may have changed. */
function namesHint(
  { status, detail: { code } }: ServiceError,
  { name, identity }: FailedCall,
): RemarkText | undefined {
  if (!pagedLists.has(name) || !isOfInput({ status, code })) return undefined;
  return remark`Lists may have other parameters at this service, or shorter pages. Find out which: ${learnLine(identity)}\nOr, if you know them, say them: ${pageNameLine(identity)}`;
}

/** The lists by what their rows are called in the paths of the API. */
const lists: readonly (readonly [path: RegExp, hint: RemarkText])[] = [
  [/\/teams\/[^/]+$/, remark`See what there is: ${command('teams', 'list')}`],
  [/\/bots\/[^/]+$/, remark`See what there is: ${command('bots', 'list')}`],
  [/\/documents\/[^/]+$/, remark`See what there is: ${command('docs', 'list')}`],
  [
    /\/devices\/[^/]+\/\w+$/,
    remark`Check the id where the device was made: the API can't list devices. Those in the device book: ${command('device', 'list')}\nOne such answer may be wrong: look again in a minute.`,
  ],
];

/** Returns the hint for one thing that isn't there. What isn't known to the API's table has none: `api` prints what comes. */
function listHint({ name, path }: FailedCall): RemarkText | undefined {
  return name && lists.find(([pattern]) => pattern.test(path))?.[1];
}

function authenticationSentences(
  said: string,
  { name, baseUrl, identity }: FailedCall,
): readonly [string, RemarkText] {
  const refused =
    name === 'createToken'
      ? `the API key ${identity.keyId}`
      : `the access token that API key ${identity.keyId} has just got`;
  const message = `${baseUrl} doesn't accept ${refused}: ${said}${fullStop(said)}`;
  return [message, joinRemarks([quotesHint(identity), credentialsHint(identity)], ' ') ?? ''];
}

function credentialsHint({ source, profile, keySecretFrom }: Identity): RemarkText {
  if (source === 'environment') return `Check BOTCTL_KEY_ID and ${keySecretFrom ?? 'BOTCTL_KEY_SECRET'}.`;
  const named = profile === undefined || profile === 'default' ? [] : ['--profile', profile];
  return remark`Sign in with a key that is valid: ${command('login', ...named)}`;
}

/** Returns the hint for a key in quotation marks, as it is if a shell's quotes get into a file; undefined for any other. */
export function quotesHint({ keyId, keySecret }: Pick<Identity, 'keyId' | 'keySecret'>): string | undefined {
  const isQuoted = (text: string): boolean =>
    /^(["'`]).*\1$|^[\u2018\u201c\u201e«].*[\u2019\u201c\u201d»]$/s.test(text);
  const quoted = [isQuoted(keyId) && 'key id', isQuoted(keySecret.reveal()) && 'key secret'].filter(
    (part) => part !== false,
  );
  if (quoted.length === 0) return undefined;
  return `The ${quoted.join(' and the ')} begins and ends with quotation marks: try it without them.`;
}

function missingToken({ message: problem }: MissingToken, { baseUrl, identity }: FailedCall): Failure {
  return new Failure('network', `${baseUrl} accepted the API key, and ${problem}.`, {
    hint: addressHint(identity),
  });
}

/** An answer in the envelope of a success whose data can't be read. */
function unreadableAnswer({ message: problem }: UnreadableAnswer, call: FailedCall): Failure {
  const message = `The service accepted ${call.method} ${call.path}, but its answer isn't what the API describes: ${problem}.`;
  if (call.repeatable) return new Failure('network', message, { hint: addressHint(call.identity) });
  return new Failure('outcomeUnknown', message, { hint: howToLook(call) });
}
