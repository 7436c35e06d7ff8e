import { isObject, type JsonObject } from '../lib/json-object.ts';
import { isSecretName } from '../secrets/secret-name.ts';

/** Headers whose values say nothing about who calls. */
const openHeaders =
  /^(accept|accept-(charset|encoding|language)|cache-control|content-(language|type)|origin|referer|user-agent)$/i;

/** True of a header whose value may be a key: of all but a few nobody can tell. */
export function isSecretHeader(name: string, value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !openHeaders.test(name);
}

/** True of the value of a member of an action's body that is a secret by the member's key. */
export function isSecretMember(key: unknown, value: unknown): value is string {
  return typeof key === 'string' && typeof value === 'string' && value.trim() !== '' && isSecretName(key);
}

/** A part of an endpoint; one that has a name is a secret: the value of such a parameter, or who calls. */
interface EndpointPart {
  readonly text: string;
  readonly secretOf?: string;
}

/** Returns an endpoint in parts, as it is written: the values of secret parameters of its query, and its user and password, by themselves. */
export function endpointParts(endpoint: string): readonly EndpointPart[] {
  // A key may stand there as the user too, without a password.
  const [head = '', scheme = '', login] = /^([a-z][a-z\d+.-]*:\/\/)([^/?#\\]+)(?=@)/i.exec(endpoint) ?? [];
  const before = login === undefined ? [] : [{ text: scheme }, { text: login, secretOf: 'login' }];
  const start = endpoint.indexOf('?') + 1;
  if (start === 0) return [...before, { text: endpoint.slice(head.length) }];
  // A parameter ends at & or #: of what follows that the service is told nothing.
  const parts = endpoint.slice(start).split(/([&#])/);
  return [
    ...before,
    { text: endpoint.slice(head.length, start) },
    ...parts.flatMap((text): readonly EndpointPart[] => {
      const value = text.indexOf('=') + 1;
      const name = text.slice(0, Math.max(0, value - 1));
      if (value === 0 || value === text.length || !isSecretName(name)) return [{ text }];
      return [{ text: text.slice(0, value) }, { text: text.slice(value), secretOf: name }];
    }),
  ];
}

/** Returns the actions of a bot with other texts in place of what is secret in them. */
export function replaceSecrets(actions: unknown, other: (secret: string) => string): unknown {
  if (!Array.isArray(actions)) return actions;
  return actions.map((action: unknown) => {
    if (!isObject(action)) return action;
    const { headers, endpoint, body } = action;
    return {
      ...action,
      ...(isObject(headers) && { headers: headersWith(headers, other) }),
      ...(typeof endpoint === 'string' && { endpoint: endpointWith(endpoint, other) }),
      ...(Array.isArray(body) && { body: body.map((member: unknown) => memberWith(member, other)) }),
    };
  });
}

function headersWith(headers: JsonObject, other: (secret: string) => string): JsonObject {
  const replaced = Object.entries(headers).map(([name, value]) => [
    name,
    isSecretHeader(name, value) ? other(value) : value,
  ]);
  return Object.fromEntries(replaced);
}

function endpointWith(endpoint: string, other: (secret: string) => string): string {
  const parts = endpointParts(endpoint);
  return parts.map(({ text, secretOf }) => (secretOf === undefined ? text : other(text))).join('');
}

function memberWith(member: unknown, other: (secret: string) => string): unknown {
  if (!isObject(member)) return member;
  const { key, value } = member;
  return isSecretMember(key, value) ? { ...member, value: other(value) } : member;
}

/** Returns the texts that are secret in the actions of a bot. */
export function secretsIn(actions: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  replaceSecrets(actions, (secret) => {
    found.add(secret);
    return secret;
  });
  return found;
}
