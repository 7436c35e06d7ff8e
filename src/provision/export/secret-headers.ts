import { isObject } from '../../lib/json-object.ts';

/** Headers whose values say nothing about who calls. */
const openHeaders =
  /^(accept|accept-(charset|encoding|language)|cache-control|content-(language|type)|origin|referer|user-agent)$/i;

/** True of a header whose value may be a key: of all but a few nobody can tell. */
export function isSecretHeader(name: string, value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !openHeaders.test(name);
}

/** True if actions have such a header. */
export function holdsSecretHeader(actions: unknown): boolean {
  if (!Array.isArray(actions)) return false;
  const headers = actions.flatMap((action: unknown) =>
    isObject(action) && isObject(action.headers) ? Object.entries(action.headers) : [],
  );
  return headers.some(([name, value]) => isSecretHeader(name, value));
}
