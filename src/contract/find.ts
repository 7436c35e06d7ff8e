import type { Endpoint } from './endpoint.ts';
import { type EndpointName, endpoints, isOperation } from './endpoints.ts';

/** The endpoint for a method and a path. */
export interface FoundEndpoint {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
  /** The decoded values of the path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Returns the endpoint that a call of a path would reach, or undefined if the contract has none.
 * @param method upper case
 * @param path without prefix and query, percent-encoded
 */
export function findEndpoint(method: string, path: string): FoundEndpoint | undefined {
  for (const name of endpointNames) {
    const endpoint: Endpoint = endpoints[name];
    const parameters = endpoint.method === method ? parametersIn(path, endpoint.path) : undefined;
    if (parameters) return { name, endpoint, parameters };
  }
  return undefined;
}

const endpointNames = Object.keys(endpoints).filter(isOperation);

function parametersIn(path: string, template: string): Readonly<Record<string, string>> | undefined {
  const parts = path.split('/');
  const wanted = template.split('/');
  if (parts.length !== wanted.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, want] of wanted.entries()) {
    const part = parts[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(want)?.[1];
    if (name === undefined ? part !== want : part === '') return undefined;
    if (name !== undefined) parameters[name] = decoded(part);
  }
  return parameters;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
