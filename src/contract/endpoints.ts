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

/** The whole API: 23 endpoints by name. The names are also the OpenAPI operation ids. */
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

/** Returns true if the API has an operation with this name. */
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
/** Query of an endpoint, validated. */
export type QueryOf<N extends EndpointName> = InferOr<Member<N, 'query'>, Record<never, never>>;
/** Body of an endpoint, validated. */
export type BodyOf<N extends EndpointName> = InferOr<Member<N, 'body'>, undefined>;
/** `data` as returned by the service. */
export type DataOf<N extends EndpointName> = z.infer<Endpoints[N]['data']>;
/** `meta` as returned by the service. */
export type MetaOf<N extends EndpointName> = InferOr<Member<N, 'meta'>, undefined>;
/** `data` as parsed by a caller: see `loose.ts`. */
export type LooseDataOf<N extends EndpointName> = Loose<Endpoints[N]['data']>;
