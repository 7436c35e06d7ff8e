import type { EndpointName } from '../../contract/endpoints.ts';
import { Failure, type FailureKind } from '../../lib/errors.ts';
import { isLoopback } from '../../lib/listen.ts';
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
import type { FailedCall } from '../failed-call.ts';
import { isUncertain } from '../retry.ts';
import { TransportError, type TransportReason } from '../transport-error.ts';
import { learnCommand, pageNameCommand } from './list-failure.ts';
import { interruptedCallFailure, outcomeCheckHint, unknownOutcomeFailure } from './lost-call.ts';

/**
 * Returns the failure for the error of a call: what happened, and the setting or command that helps. Any other value,
 * such as the reason of an abort, is returned unchanged.
 */
export function callFailure(thrown: unknown, call: FailedCall): unknown {
  if (!(thrown instanceof TransportError || thrown instanceof ServiceError)) return thrown;
  if (isUncertain(thrown)) {
    if (call.endedBy) return interruptedCallFailure(thrown, call.endedBy, call);
    if (!call.repeatable) return unknownOutcomeFailure(thrown, call);
  }
  return thrown instanceof TransportError ? transportFailure(thrown, call) : serviceFailure(thrown, call);
}

type Sentences = readonly [message: string, hint?: RemarkText];

function transportFailure(error: TransportError, call: FailedCall): Failure {
  const [message, hint] = transportSentences[error.reason](call, error);
  const kind = error.reason === 'file' ? 'invalidInput' : 'network';
  return new Failure(kind, message, { hint, cause: error });
}

/** Returns the hint for an address that may be wrong. Before the first sign-in, whoami has nothing to show. */
function addressHint({ source, baseUrlFrom }: Identity): RemarkText {
  if (source === 'login')
    return remark`Check the address, and sign in with the right one: ${command('login', '--base-url', placeholder('URL'))}`;
  return baseUrlFrom === undefined
    ? remark`Check the address with ${command('whoami')}.`
    : `Check the address in ${baseUrlFrom}.`;
}

/**
 * Returns how to use another address from now on: an address from the environment or the command line is changed there.
 */
function otherAddress({ baseUrlFrom }: Identity): Remark {
  return baseUrlFrom === undefined
    ? remark`sign in there: ${command('login', '--base-url', placeholder('URL'))}`
    : remark`change ${baseUrlFrom}.`;
}

const moreTime = 'Give it more time with --request-timeout 2m, or try again later.';

const transportSentences: Readonly<
  Record<TransportReason, (call: FailedCall, error: TransportError) => Sentences>
> = {
  dns: ({ baseUrl, identity }) => [
    `There is no host named ${new URL(baseUrl).hostname}.`,
    remark`Check your network. ${addressHint(identity)}`,
  ],
  dnsBusy: ({ baseUrl }) => [
    `The name ${new URL(baseUrl).hostname} can't be looked up at the moment.`,
    'Check your network and try again.',
  ],
  refused: ({ baseUrl, identity }) => [
    `Nothing answers at ${baseUrl}: connection refused.`,
    isLoopback(new URL(baseUrl).hostname)
      ? remark`Is it running? A sandbox starts with: ${command('sandbox', 'start')}. ${addressHint(identity)}`
      : addressHint(identity),
  ],
  unreachable: ({ baseUrl, identity }) => [
    `${baseUrl} can't be reached from this network.`,
    remark`Check your network. ${addressHint(identity)}`,
  ],
  connectTimeout: ({ baseUrl, identity }) => [
    `No connection to ${baseUrl} in time.`,
    remark`${addressHint(identity)} ${moreTime}`,
  ],
  timeout: ({ baseUrl, requestTimeout }) => [
    `No complete answer from ${baseUrl} within ${requestTimeout / 1000} s.`,
    moreTime,
  ],
  tls: tlsSentences,
  proxy: proxySentences,
  protocol: ({ baseUrl, identity }) => [
    `The server at ${baseUrl} doesn't speak HTTP.`,
    addressHint(identity),
  ],
  tooLarge: ({ method, path }) => [
    `The answer to ${method} ${path} is too large to read.`,
    'Ask for fewer rows with --limit.',
  ],
  redirect: ({ identity }, { message }) => [`${message}.`, addressHint(identity)],
  file: (_, { message }) => [
    `${capitalised(message)}.`,
    'Nothing was uploaded. Try again when the file no longer changes.',
  ],
  reset: ({ baseUrl }, { detail: { proxy } }) => [
    // For https the tunnel ends at the service; plain http is forwarded by the proxy.
    proxy === undefined || baseUrl.startsWith('https:')
      ? `The connection to ${baseUrl} broke before the answer was complete.`
      : `The connection to ${baseUrl}, through the proxy ${proxy}, broke before the answer was complete.`,
    'Try again.',
  ],
};

function tlsSentences({ baseUrl, caFile, identity }: FailedCall, error: TransportError): Sentences {
  const { host } = new URL(baseUrl);
  const code = error.detail.code ?? '';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return [
      `The certificate of ${host} ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}.`,
      'Check the clock of this machine, or tell the operator of the service.',
    ];
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH')
    return [`The certificate of ${host} is for another name.`, addressHint(identity)];
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return [
      `The TLS handshake with ${baseUrl} failed.`,
      remark`Is it an http address? ${addressHint(identity)}`,
    ];
  return [
    `The certificate of ${host} isn't trusted here (${code || oneLine(error.message, 80)}).`,
    caFile === undefined
      ? 'If you trust its operator, use its certificate authority: --ca-file FILE, or NODE_EXTRA_CA_CERTS.'
      : `${caFile} doesn't contain the certificate authority that issued it.`,
  ];
}

function proxySentences({ baseUrl }: FailedCall, { detail }: TransportError): Sentences {
  const { proxy, proxyStatus, code } = detail;
  const variable = baseUrl.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const direct = `or bypass the proxy: NO_PROXY=${new URL(baseUrl).hostname}`;
  if (proxyStatus === 407)
    return [
      `The proxy ${proxy} requires a user name and a password.`,
      `Put them into ${variable}=http://USER:PASSWORD@HOST:PORT, ${direct}`,
    ];
  const unanswered =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? `The name of the proxy ${proxy} can't be looked up.`
      : `The proxy ${proxy} doesn't answer.`;
  return [
    proxyStatus === undefined
      ? unanswered
      : `The proxy ${proxy} refuses to connect to ${baseUrl} (${proxyStatus}).`,
    `Check ${variable}, ${direct}`,
  ];
}

/** Calls whose path has no id: if such a path isn't found, the address is not the API's. */
const fixedPaths: ReadonlySet<EndpointName | undefined> = new Set([
  'createToken',
  'createKey',
  'listKeys',
  'createTeam',
  'listTeams',
  'listBots',
  'listDocuments',
]);

/** An id in the query of a list. */
const idInQuery = /\?.*=[\da-f]{8}-[\da-f]{4}-/i;

/**
 * Returns true if a response means that the address is wrong. That must not count as "not found": a script may create a
 * missing object.
 */
function isNotTheApi({ kind }: ServiceError, { name, path }: FailedCall): boolean {
  return kind === 'notFound' && fixedPaths.has(name) && !idInQuery.test(path);
}

function serviceFailure(error: ServiceError, call: FailedCall): Failure {
  const { message: said, status } = error;
  const { code, details, elsewhere, location } = error.detail;
  const { baseUrl, method, path, identity } = call;
  const words = `${said}${fullStop(said)}`;
  if (isNotTheApi(error, call)) {
    const message = `${baseUrl} is not the address of the API: it answered ${method} ${path} with status ${status}: ${words}`;
    return new Failure('network', message, { hint: addressHint(identity), status, details, cause: error });
  }
  const { kind, sentences } = refusals[error.kind];
  const [message, hint] =
    elsewhere !== undefined
      ? [
          `${baseUrl} redirects to ${elsewhere}, where ${method} ${path} got ${status}: ${words}`,
          remark`A token never goes to another address. If the service moved, ${otherAddress(identity)}`,
        ]
      : location !== undefined
        ? [
            `${baseUrl} redirects ${method} ${path} to ${oneLine(location, 200)}, and botctl follows redirects for reads only.`,
            remark`To use the address it points to, ${otherAddress(identity)}`,
          ]
        : sentences(words, call, error);
  return new Failure(kind, message, { hint, code, status, details, cause: error });
}

/** The kind of failure for each kind of error, and its message and hint given the service's message. */
const refusals: Readonly<
  Record<
    RefusalKind,
    {
      readonly kind: FailureKind;
      sentences(words: string, call: FailedCall, error: ServiceError): Sentences;
    }
  >
> = {
  rateLimited: {
    kind: 'rateLimited',
    sentences: (_words, _call, { detail: { retryAfter } }) => [
      'The service allows no more requests for now (429).',
      retryAfter
        ? `It asks to wait: Retry-After ${oneLine(retryAfter, 40)}. Go slower with --max-rps 2.`
        : 'Go slower with --max-rps 2, or ask support for a higher limit.',
    ],
  },
  server: {
    kind: 'network',
    sentences: (words, { baseUrl }, { status }) => [
      `The service at ${baseUrl} failed (${status}): ${words}`,
      'It is safe to try again later.',
    ],
  },
  foreign: {
    kind: 'network',
    sentences: (words, { baseUrl, method, path, identity }, { status }) => [
      `${baseUrl} answered ${method} ${path} with status ${status} and a response that isn't from the API: ${words}`,
      remark`The address may be wrong, or the network may require a sign-in: open the address in a browser. ${addressHint(identity)}`,
    ],
  },
  authentication: { kind: 'authentication', sentences: authenticationSentences },
  notFound: {
    kind: 'notFound',
    sentences: (words, call) => [`The service did not find it: ${words}`, listHint(call)],
  },
  rejected: {
    kind: 'rejected',
    sentences: (words, call, error) =>
      error.detail.isEnvelope
        ? [`The service refused: ${words}`, namesHint(error, call)]
        : [
            `${call.baseUrl} answered ${call.method} ${call.path} with status ${error.status}: ${words}`,
            addressHint(call.identity),
          ],
  },
};

/** Returns true if the service refused the input, by its code or its status. */
export function isInputRefusal({ status, code }: Pick<Failure, 'status' | 'code'>): boolean {
  return code === 'BAD_REQUEST' || status === 400 || status === 422;
}

/** Lists whose parameters may have other names at the service. */
const pagedLists: ReadonlySet<EndpointName | undefined> = new Set(['listTeams', 'listBots', 'listDocuments']);

/** Returns the hint for a list whose query is refused: the service may have renamed its parameters. */
function namesHint(
  { status, detail: { code } }: ServiceError,
  { name, identity }: FailedCall,
): RemarkText | undefined {
  if (!pagedLists.has(name) || !isInputRefusal({ status, code })) return undefined;
  return remark`Lists of this service may use other parameters or shorter pages. Detect them: ${learnCommand(identity)}\nOr, if you know them, set them: ${pageNameCommand(identity)}`;
}

/** Hints where to look for a missing object, by path. */
const lists: readonly (readonly [path: RegExp, hint: RemarkText])[] = [
  [/\/teams\/[^/]+$/, remark`Run: ${command('teams', 'list')}`],
  [/\/bots\/[^/]+$/, remark`Run: ${command('bots', 'list')}`],
  [/\/documents\/[^/]+$/, remark`Run: ${command('docs', 'list')}`],
  [
    /\/devices\/[^/]+\/\w+$/,
    remark`Check the id in the platform: the API can't list devices. List the device book: ${command('device', 'list')}\nA single such response may be wrong: check again in a minute.`,
  ],
];

/** Returns the hint for a missing object; undefined for a path outside the contract. */
function listHint({ name, path }: FailedCall): RemarkText | undefined {
  return name && lists.find(([pattern]) => pattern.test(path))?.[1];
}

function authenticationSentences(words: string, { name, baseUrl, identity }: FailedCall): Sentences {
  const { source, profile, keyId, keySecretFrom } = identity;
  const refused =
    name === 'createToken' ? `the API key ${keyId}` : `the access token that API key ${keyId} has just got`;
  const named = profile === undefined || profile === 'default' ? [] : ['--profile', profile];
  const hint =
    source === 'environment'
      ? `Check BOTCTL_KEY_ID and ${keySecretFrom ?? 'BOTCTL_KEY_SECRET'}.`
      : remark`Sign in with a key that is valid: ${command('login', ...named)}`;
  return [
    `${baseUrl} doesn't accept ${refused}: ${words}`,
    joinRemarks([quotesHint(identity), hint], ' ') ?? '',
  ];
}

/** Returns the hint for a key in quotation marks, as when shell quotes get into a file; undefined for any other. */
export function quotesHint({ keyId, keySecret }: Pick<Identity, 'keyId' | 'keySecret'>): string | undefined {
  const isQuoted = (text: string): boolean =>
    /^(["'`]).*\1$|^[\u2018\u201c\u201e«].*[\u2019\u201c\u201d»]$/s.test(text);
  const quoted = [isQuoted(keyId) && 'key id', isQuoted(keySecret.reveal()) && 'key secret'].filter(
    (part) => part !== false,
  );
  if (quoted.length === 0) return undefined;
  return `Remove the quotation marks around the ${quoted.join(' and the ')}.`;
}

/** Returns the failure for a service that accepted the API key and returned no token. */
export function missingTokenFailure(problem: string, { baseUrl, identity }: FailedCall): Failure {
  return new Failure('network', `${baseUrl} accepted the API key, but ${problem}.`, {
    hint: addressHint(identity),
  });
}

/** Returns the failure for a success envelope whose data does not match the contract. */
export function unreadableAnswerFailure(problem: string, call: FailedCall): Failure {
  const message = `The service accepted ${call.method} ${call.path}, but its answer isn't what the API describes: ${problem}.`;
  if (call.repeatable) return new Failure('network', message, { hint: addressHint(call.identity) });
  return new Failure('outcomeUnknown', message, { hint: outcomeCheckHint(call) });
}
