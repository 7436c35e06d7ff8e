import { ownMember } from '../lib/json-object.ts';

/** The reason that there is no response. */
export type TransportReason =
  /** The host name does not exist. */
  | 'dns'
  /** The host name can't be looked up at the moment. */
  | 'dnsBusy'
  | 'refused'
  | 'unreachable'
  | 'connectTimeout'
  | 'tls'
  /** The proxy refused, or can't be reached. */
  | 'proxy'
  /** The connection broke, or the response was truncated. */
  | 'reset'
  | 'timeout'
  /** The peer doesn't speak HTTP. */
  | 'protocol'
  | 'tooLarge'
  | 'redirect'
  /** The file being uploaded can't be read, or changed during the upload. */
  | 'file';

/** The error of a request without a response. */
export class TransportError extends Error {
  override readonly name = 'TransportError';

  constructor(
    readonly reason: TransportReason,
    message: string,
    /** True if the request, or a part of it, may have been sent. */
    readonly sent: boolean,
    readonly detail: {
      readonly cause?: unknown;
      /** The error code of the system or of undici. */
      readonly code?: string | undefined;
      /** The proxy in use, without credentials. */
      readonly proxy?: string | undefined;
      /** The proxy's status in response to the request for a tunnel. */
      readonly proxyStatus?: number | undefined;
    } = {},
  ) {
    super(message, { cause: detail.cause });
  }
}

/** Maps error codes of the system and of undici to reasons. */
const reasons: Readonly<Record<string, TransportReason>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dnsBusy',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'connectTimeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'tooLarge',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'file',
  UND_ERR_PRX_TLS: 'tls',
  EPROTO: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
};

/**
 * Converts an error of the system or of undici to a TransportError.
 * @param sent whether the request had started
 * @param proxy the proxy in use, without credentials
 */
export function toTransportError(error: Error, sent: boolean, proxy: string | undefined): TransportError {
  if (error instanceof TransportError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const proxyStatus = Number(
    /^Proxy response \((\d+)\)|\((407)\)$/.exec(error.message)?.slice(1).join('') || Number.NaN,
  );
  const detail = { cause: error, code, proxy };
  if (!Number.isNaN(proxyStatus)) {
    return new TransportError('proxy', error.message, false, { ...detail, proxyStatus });
  }
  const reason = reasonOf(code, error);
  // Before the request starts, every error except one about certificates comes from the connection to the proxy.
  const isProxys = proxy !== undefined && !sent && reason !== 'tls';
  return new TransportError(isProxys ? 'proxy' : reason, error.message, sent, detail);
}

function reasonOf(code: string | undefined, error: Error): TransportReason {
  if (error.name === 'HTTPParserError') return 'protocol';
  if (code === undefined) return 'reset';
  const known = ownMember(reasons, code);
  if (known) return known;
  if (/^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA)/.test(code)) return 'tls';
  if (code === 'ETIMEDOUT') return 'connectTimeout';
  return 'reset';
}
