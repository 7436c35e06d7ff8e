import type { BodyOf, DataOf, EndpointName, MetaOf, PathOf, QueryOf } from '../contract/endpoints.ts';
import type { ErrorCode } from '../contract/envelope.ts';
import type { SandboxClock } from './clock.ts';
import type { MessagingNetwork } from './messaging-network.ts';
import type { Store } from './store/tables.ts';

/** The parts of the service that handlers use. */
export interface Service {
  /** Known once the service listens. */
  readonly baseUrl: string;
  /** True if other machines reach it, so that requests say at which address they asked. */
  readonly isPublic?: boolean;
  readonly store: Store;
  readonly clock: SandboxClock;
  readonly network: MessagingNetwork;
  /** Signs and checks access tokens. */
  readonly tokenSecret: Uint8Array;
}

/** A file that arrived with a call, already on disk under a temporary name. */
export interface ReceivedFile {
  readonly path: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/** A call whose token, parameters, query and body are checked. */
export interface Call<N extends EndpointName> {
  readonly path: PathOf<N>;
  readonly query: QueryOf<N>;
  readonly body: BodyOf<N>;
  /** Present if the endpoint takes a file. */
  readonly file: ReceivedFile | undefined;
  /** The key that the caller's token belongs to; empty for the token call. */
  readonly keyId: string;
  /** As the header `x-request-id` of its answer says. */
  readonly requestId: string;
  /** The address that a proxy says the caller asked at, if it says one. */
  readonly address?: string | undefined;
}

/** The answer of a handler; the server puts it into the envelope. */
export type Answer<N extends EndpointName> = { readonly data: DataOf<N> } & (MetaOf<N> extends undefined
  ? { readonly meta?: undefined }
  : { readonly meta: MetaOf<N> });

/** Serves one endpoint. Throws `Refusal` for every call that the specification refuses. */
export type Handler<N extends EndpointName> = (service: Service, call: Call<N>) => Promise<Answer<N>>;

/** One handler for each endpoint named. */
export type Handlers<N extends EndpointName> = { readonly [K in N]: Handler<K> };

/** An error answer. */
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
