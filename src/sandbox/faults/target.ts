import type { Endpoint } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { type Failure, inputFailure } from '../../lib/errors.ts';
import { ownMember } from '../../lib/json-object.ts';
import { percentDecode } from '../../lib/text/quote.ts';
import { didYouMean, mostSimilar } from '../../lib/text/similar.ts';
import { type Exchange, pathOf } from '../http/exchange.ts';

/** Returns true for the requests that a fault targets. */
export type Target = (request: Pick<Exchange, 'operation' | 'method' | 'url'>) => boolean;

/** The prefixes of the API's paths, longest first (specification, Versioning); a pattern may omit them. */
const prefixes = ['/api/openapi/v1', '/api/openapi', ''] as const;

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PATCH', 'DELETE', '*']);

const forms =
  'Give an operation such as listTeams, or a method and a path such as GET /teams/*. In a path * is one segment and ' +
  '** the rest; as a method, * means any.';

/**
 * Parses the target of a fault: an operation of the API, or `METHOD /path/pattern`.
 * @throws Failure `invalidInput` if it matches no call of the API
 */
export function parseTarget(text: string): Target {
  const words = text.trim().split(/\s+/);
  const [first = '', path] = words;
  if (words.length === 1 && /^[^/]/.test(first)) return operationTarget(first);
  const method = first.toUpperCase();
  if (path === undefined || words.length > 2 || !methods.has(method) || !path.startsWith('/'))
    throw inputFailure([`"${text}" is not a valid target of a fault.`], forms);
  if (/[?#]/.test(path))
    throw inputFailure(
      ["The path of a fault can't have a query."],
      'Leave the query out: the fault applies to every query.',
    );
  return pathTarget(method, path);
}

function operationTarget(name: string): Target {
  if (ownMember(endpoints, name) !== undefined) return ({ operation }) => operation === name;
  const similar = mostSimilar(name, Object.keys(endpoints));
  const hint = didYouMean(similar) ?? forms;
  throw inputFailure([`The API has no operation ${name}.`], hint);
}

function pathTarget(method: string, path: string): Target {
  // A parameter in the notation of the specification matches any segment.
  const written = path.replace(/\{\w+\}/g, '*');
  const segments = written.split('/').slice(1);
  if (segments.slice(0, -1).includes('**'))
    throw inputFailure(['** must be the last segment: it is the rest of the path.'], forms);
  const patterns = prefixes.map((prefix) =>
    [...prefix.split('/').slice(1), ...segments].map((segment) => percentDecode(segment) ?? segment),
  );
  const isOfMethod = (other: string): boolean => method === '*' || method === other;
  const isMet = Object.values<Endpoint>(endpoints).some(
    (endpoint) =>
      isOfMethod(endpoint.method) && patterns.some((pattern) => matchesPath(pattern, endpoint.path, mayBe)),
  );
  if (!isMet) throw noMatchFailure(method, path);
  return (request) => {
    const requested = pathOf(request.url);
    return isOfMethod(request.method) && patterns.some((pattern) => matchesPath(pattern, requested, isSame));
  };
}

function noMatchFailure(method: string, path: string): Failure {
  const all = Object.values<Endpoint>(endpoints);
  const calls = all.map((call) => `${call.method} ${call.path.replace(prefixes[0], '')}`);
  const similar = mostSimilar(`${method} ${path}`, calls);
  const hint = didYouMean(similar) ?? forms;
  return inputFailure([`The API has no call ${method} ${path}.`], hint);
}

function matchesPath(
  pattern: readonly string[],
  path: string,
  isMeant: (wanted: string, segment: string) => boolean,
): boolean {
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => percentDecode(segment) ?? segment);
  const takesRest = pattern.at(-1) === '**';
  const wanted = takesRest ? pattern.slice(0, -1) : pattern;
  if (takesRest ? segments.length < wanted.length : segments.length !== wanted.length) return false;
  return wanted.every((want, index) => want === '*' || isMeant(want, segments[index] ?? ''));
}

function isSame(wanted: string, segment: string): boolean {
  return wanted === segment;
}

/** Returns true if a segment matches; a parameter in the contract's path may be any text. */
function mayBe(wanted: string, segment: string): boolean {
  return wanted === segment || segment.startsWith('{');
}
