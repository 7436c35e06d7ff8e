import { isObject } from '../lib/json-object.ts';
import { isSecretName } from '../secrets/secret.ts';

/** Headers whose values are never secret. */
const openHeaders =
  /^(accept|accept-(charset|encoding|language)|cache-control|content-(language|type)|origin|referer|user-agent)$/i;

/**
 * Returns the text that replaces a secret.
 * @param names the action, and the header, the parameter or the member of the body that has the value; `login` for the login in
 * a URL
 */
type ReplaceSecret = (secret: string, names: readonly [action: string, of: string]) => string;

type ReplaceText = (text: string) => string;

/**
 * Returns the actions of a bot with the secrets in them replaced: values of headers, of parameters and members of
 * the body with a secret's name, and the user and password of an endpoint.
 * @param open replaces all other texts; without it they are unchanged
 */
export function replaceSecrets(
  actions: unknown,
  secret: ReplaceSecret,
  open: ReplaceText = (text) => text,
): unknown {
  if (!Array.isArray(actions)) return mapTexts(actions, open);
  return actions.map((action: unknown) => {
    if (!isObject(action)) return mapTexts(action, open);
    const secretOf = (of: string) => (text: string) => secret(text, [String(action.name), of]);
    return mapMembers(action, (name, value) => {
      if (name === 'headers' && isObject(value))
        return mapMembers(value, (header, one) =>
          mapTexts(one, (text) => (isSecretHeader(header, text) ? secretOf(header)(text) : open(text))),
        );
      if (name === 'endpoint' && typeof value === 'string')
        return endpointParts(value)
          .map(({ text, secretOf: of }) => (of === undefined ? open(text) : secretOf(of)(text)))
          .join('');
      if (name === 'body' && Array.isArray(value))
        return value.map((member: unknown) => {
          if (!isObject(member)) return mapTexts(member, open);
          const { key } = member;
          return mapMembers(member, (of, one) =>
            mapTexts(one, of === 'value' && isSecretMember(key, one) ? secretOf(String(key)) : open),
          );
        });
      return mapTexts(value, open);
    });
  });
}

/** Returns the secrets in the actions of a bot. */
export function secretsIn(actions: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  replaceSecrets(actions, (secret) => {
    found.add(secret);
    return secret;
  });
  return found;
}

/** Returns a JSON value with its texts replaced; the names of members are unchanged. */
export function mapTexts(value: unknown, replace: ReplaceText): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, replace));
  return isObject(value) ? mapMembers(value, (_, member) => mapTexts(member, replace)) : value;
}

/** Returns an object with its values replaced. */
export function mapMembers(value: object, replace: (name: string, member: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replace(name, member)]));
}

/** Returns whether the value of a header may be a key. Only a few headers are certain to have none. */
function isSecretHeader(name: string, value: string): boolean {
  return value.trim() !== '' && !openHeaders.test(name);
}

function isSecretMember(key: unknown, value: unknown): boolean {
  return typeof key === 'string' && typeof value === 'string' && value.trim() !== '' && isSecretName(key);
}

/** A part of an endpoint; `secretOf` is set if it is a secret: the name of its parameter, or `login`. */
interface EndpointPart {
  readonly text: string;
  readonly secretOf?: string;
}

/** Splits an endpoint into parts, so that each secret parameter and the login is a separate part. */
function endpointParts(endpoint: string): readonly EndpointPart[] {
  // The user name alone may be a key.
  const [head = '', scheme = '', login] = /^([a-z][a-z\d+.-]*:\/\/)([^/?#\\]+)(?=@)/i.exec(endpoint) ?? [];
  const before = login === undefined ? [] : [{ text: scheme }, { text: login, secretOf: 'login' }];
  const start = endpoint.indexOf('?') + 1;
  if (start === 0) return [...before, { text: endpoint.slice(head.length) }];
  // A parameter ends at & or #: the fragment is not sent.
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
