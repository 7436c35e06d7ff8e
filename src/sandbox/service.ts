import type { BodyOf, DataOf, EndpointName, MetaOf, PathOf, QueryOf } from '../contract/endpoints.ts';
import type { ErrorCode } from '../contract/envelope.ts';
import type { SandboxClock } from './clock.ts';
import type { MessagingNetwork } from './messaging-network.ts';
import type { Store } from './store/tables.ts';

/** The parts of the service that handlers use. */
export interface Service {
  /** Known once the service listens. */
  readonly baseUrl: string;
  /** True if other machines can reach it: the address then depends on the request. */
  readonly isPublic?: boolean;
  readonly store: Store;
  readonly clock: SandboxClock;
  readonly network: MessagingNetwork;
  /** Signs and checks access tokens. */
  readonly tokenSecret: Uint8Array;
}

/** An uploaded file, already on disk under a temporary name. */
export interface ReceivedFile {
  readonly path: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/** A call with validated token, parameters, query and body. */
export interface Call<N extends EndpointName> {
  readonly path: PathOf<N>;
  readonly query: QueryOf<N>;
  readonly body: BodyOf<N>;
  /** Present if the endpoint accepts a file. */
  readonly file: ReceivedFile | undefined;
  /** The key that the caller's token belongs to; empty for the token call. */
  readonly keyId: string;
  /** The header `x-request-id` of its response. */
  readonly requestId: string;
  /** The address that the caller used, if known. */
  readonly address?: string | undefined;
}

/** The response of a handler; the server adds the envelope. */
export type Answer<N extends EndpointName> = { readonly data: DataOf<N> } & (MetaOf<N> extends undefined
  ? { readonly meta?: undefined }
  : { readonly meta: MetaOf<N> });

/**
 * Serves one endpoint.
 * @throws Refusal for every call that the specification refuses
 */
export type Handler<N extends EndpointName> = (service: Service, call: Call<N>) => Promise<Answer<N>>;

/** One handler for each given endpoint. */
export type Handlers<N extends EndpointName> = { readonly [K in N]: Handler<K> };

/** An error response. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}
