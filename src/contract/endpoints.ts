import type * as z from 'zod/mini';
import { createBot, deleteBot, getBot, listBots, updateBot } from './bots.ts';
import { connectDevice, createDevice, disconnectDevice, getDeviceStatus } from './devices.ts';
import { createDocument, getDocument, listDocuments, updateDocument } from './documents.ts';
import type { PathParameter } from './endpoint.ts';
import { createKey, deleteKey, getKey, listKeys } from './keys.ts';
import type { Loose } from './loose.ts';
import { sendMessage } from './messages.ts';
import type { Schema } from './schema.ts';
import { createTeam, getTeam, listTeams, updateTeam } from './teams.ts';
import { createToken } from './token.ts';

/** The whole API: 23 endpoints by name. The names serve as OpenAPI operation ids. */
export const endpoints = {
  createToken,
  createKey,
  listKeys,
  getKey,
  deleteKey,
  createTeam,
  listTeams,
  getTeam,
  updateTeam,
  createBot,
  listBots,
  getBot,
  updateBot,
  deleteBot,
  createDocument,
  listDocuments,
  getDocument,
  updateDocument,
  createDevice,
  connectDevice,
  getDeviceStatus,
  disconnectDevice,
  sendMessage,
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;

/** True if the API has an operation of this name. */
export function isOperation(name: string): name is EndpointName {
  return Object.hasOwn(endpoints, name);
}

type Member<N extends EndpointName, M extends string> = Endpoints[N] extends { readonly [K in M]: infer S }
  ? S
  : never;

/** The type of a schema, or `Absent` if the endpoint declares none. */
type InferOr<S, Absent> = [S] extends [never] ? Absent : S extends Schema ? z.infer<S> : Absent;

/** Path parameters of an endpoint, by name. */
export type PathOf<N extends EndpointName> = Record<PathParameter<Endpoints[N]['path']>, string>;
/** Query of an endpoint, checked. */
export type QueryOf<N extends EndpointName> = InferOr<Member<N, 'query'>, Record<never, never>>;
/** Body of an endpoint, checked. */
export type BodyOf<N extends EndpointName> = InferOr<Member<N, 'body'>, undefined>;
/** `data` as the service answers it. */
export type DataOf<N extends EndpointName> = z.infer<Endpoints[N]['data']>;
/** `meta` as the service answers it. */
export type MetaOf<N extends EndpointName> = InferOr<Member<N, 'meta'>, undefined>;
/** `data` as a caller reads it: see `loose.ts`. */
export type LooseDataOf<N extends EndpointName> = Loose<Endpoints[N]['data']>;
