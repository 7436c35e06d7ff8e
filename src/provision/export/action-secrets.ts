import { isObject } from '../../lib/json-object.ts';
import { isSecretName } from '../../secrets/secret-name.ts';

/** Headers whose values say nothing about who calls. */
const openHeaders =
  /^(accept|accept-(charset|encoding|language)|cache-control|content-(language|type)|origin|referer|user-agent)$/i;

/** True of a header whose value may be a key: of all but a few nobody can tell. */
export function isSecretHeader(name: string, value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !openHeaders.test(name);
}

/** A part of an endpoint; one that has a name is the value of a parameter that is a secret by that. */
interface EndpointPart {
  readonly text: string;
  readonly secretOf?: string;
}

/** Returns an endpoint in parts, as it is written: the values of secret parameters of its query by themselves. */
export function endpointParts(endpoint: string): readonly EndpointPart[] {
  const start = endpoint.indexOf('?') + 1;
  if (start === 0) return [{ text: endpoint }];
  // A parameter ends at & or #: of what follows that the service is told nothing.
  const parts = endpoint.slice(start).split(/([&#])/);
  return [
    { text: endpoint.slice(0, start) },
    ...parts.flatMap((text): readonly EndpointPart[] => {
      const value = text.indexOf('=') + 1;
      const name = text.slice(0, Math.max(0, value - 1));
      if (value === 0 || value === text.length || !isSecretName(name)) return [{ text }];
      return [{ text: text.slice(0, value) }, { text: text.slice(value), secretOf: name }];
    }),
  ];
}

/** True if actions have a header or an endpoint with a secret in it. */
export function holdsSecrets(actions: unknown): boolean {
  if (!Array.isArray(actions)) return false;
  return actions.some((action: unknown) => {
    if (!isObject(action)) return false;
    const headers = isObject(action.headers) ? Object.entries(action.headers) : [];
    const endpoint = typeof action.endpoint === 'string' ? endpointParts(action.endpoint) : [];
    return (
      headers.some(([name, value]) => isSecretHeader(name, value)) ||
      endpoint.some(({ secretOf }) => secretOf !== undefined)
    );
  });
}
