import { type Path, type Problem, pathText, sentenceOf } from '../../lib/problem.ts';
import { schemaAt, schemaProblems } from '../../lib/schema-problems.ts';
import { escapeInvisible } from '../../lib/text/characters.ts';
import { mostSimilar } from '../../lib/text/similar.ts';
import { yamlAt, yamlPlace } from '../../lib/yaml.ts';
import { Secret } from '../../secrets/secret.ts';
import { revealValue } from '../desired.ts';
import {
  dataOf,
  type FileProblem,
  type FileValue,
  itemsOf,
  mapScalars,
  memberOf,
  membersOf,
  textIn,
} from './file-value.ts';
import { documentSources, tenantSchema, tenantWords } from './schema.ts';

/**
 * Checks a tenant as far as its file alone allows. Returns it with values of the types that its fields need.
 * @param written the tenant with the values of its variables
 */
export function checkTenant(
  key: string,
  written: FileValue,
): { readonly written: FileValue; readonly problems: readonly FileProblem[] } {
  const typed = convertVariables(written);
  const problems = [...formProblems(typed), ...valueProblems(typed), ...referenceProblems(typed)];
  return { written: typed, problems: problems.map((problem) => asFileProblem(typed, problem, key)) };
}

/**
 * Returns a problem with its place.
 * @param written the value that the path starts from
 * @param above the path of the field that contains it
 */
export function asFileProblem(written: FileValue, { path, message }: Problem, ...above: Path): FileProblem {
  const whole = [...above, ...path];
  return {
    place: yamlPlace(written, path),
    field: pathText(whole),
    message: sentenceOf({ path: whole, message }),
  };
}

/** Converts texts from variables to numbers or booleans if their fields need those. */
function convertVariables(written: FileValue): FileValue {
  return mapScalars(written, [], (scalar, path) => {
    const { value, isFromVariable } = scalar;
    if (!isFromVariable || typeof value !== 'string') return scalar;
    const kind = schemaAt(tenantSchema, path)?._zod.def.type;
    if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return { ...scalar, value: Number(value) };
    if (kind === 'boolean' && /^(true|false)$/.test(value)) return { ...scalar, value: value === 'true' };
    return scalar;
  });
}

function formProblems(written: FileValue): readonly Problem[] {
  const data = revealValue(dataOf(written));
  const problems = schemaProblems(tenantSchema, data, {
    ...tenantWords,
    notTextReason: (path) => textProblem(yamlAt(written, path)),
    isSecret(path) {
      const at = yamlAt(written, path);
      return at?.kind === 'scalar' && at.value instanceof Secret;
    },
  });
  const refused = secretProblems(written, []);
  const told = new Set(refused.map(({ path }) => pathText(path)));
  return [...refused, ...problems.filter(({ path }) => !told.has(pathText(path)))];
}

/** Returns how to write a text that YAML reads as a number or another type. */
function textProblem(written: FileValue | undefined): string | undefined {
  if (written?.kind !== 'scalar' || !written.source || written.value === null) return undefined;
  const kind = typeof written.value === 'number' ? 'a number' : `the word ${written.value}`;
  return `must be text, but without quotes it is ${kind}: write ${JSON.stringify(written.source)}`;
}

/**
 * The places where a secret is allowed. Values that name an object, choose what is compared, or are looked up can't be hidden
 * in every output.
 */
const secretPlaces =
  /^(administrator\/\w+|bots\/[^/]+\/(instructions|description|identification_name|questions\/\d+\/answer|actions\/\d+\/(description|endpoint|headers\/.*|body\/\d+\/value)))$/s;

/** Reports secrets in a wrong place, and integers that would be rounded. */
function secretProblems(written: FileValue, path: Path): readonly Problem[] {
  if (written.kind === 'list')
    return written.items.flatMap((item, at) => secretProblems(item, [...path, at]));
  if (written.kind === 'fields')
    return [...written.members].flatMap(([name, { value }]) => secretProblems(value, [...path, name]));
  if (typeof written.value === 'bigint')
    return [{ path, message: `is too long for a number: write "${written.value}"` }];
  if (!(written.value instanceof Secret) || secretPlaces.test(path.map(String).join('/'))) return [];
  return [{ path, message: `can't be a secret: use \${var:…} instead of \${env:…} or \${file:…}` }];
}

/** Reports wrong values in the right format. */
function valueProblems(written: FileValue): readonly Problem[] {
  const named: readonly Path[] = [
    ['name'],
    ['plan_name'],
    ...['bots', 'devices'].flatMap((kind) =>
      [...membersOf(memberOf(written, kind)).keys()].map((key) => [kind, key, 'name']),
    ),
  ];
  const blank = named.filter((path) => {
    const text = textIn(yamlAt(written, path));
    return text !== undefined && text !== '' && text.trim() === '';
  });
  const documents = [...membersOf(memberOf(written, 'documents'))].flatMap(([key, { value }]) => {
    const given = documentSources.filter((source) => memberOf(value, source) !== undefined);
    if (value.kind !== 'fields' || given.length === 1) return [];
    const many = given.length > 1 ? `, not ${given.join(' and ')}` : '';
    return [
      { path: ['documents', key], message: `needs exactly one of ${documentSources.join(', ')}${many}` },
    ];
  });
  const bots = [...membersOf(memberOf(written, 'bots'))].flatMap(([key, { value }]) =>
    memberOf(value, 'instructions') && memberOf(value, 'instructions_file')
      ? [{ path: ['bots', key, 'instructions_file'], message: "can't be combined with instructions" }]
      : [],
  );
  return [...blank.map((path) => ({ path, message: 'must not be empty' })), ...documents, ...bots];
}

/** Reports keys that are not declared. */
function referenceProblems(written: FileValue): readonly Problem[] {
  const keysOf = (kind: string): readonly string[] => [...membersOf(memberOf(written, kind)).keys()];
  const missing = (kind: string, path: Path): readonly Problem[] => {
    const key = textIn(yamlAt(written, path));
    const keys = keysOf(kind);
    if (key === undefined || keys.includes(key)) return [];
    const similar = mostSimilar(key, keys);
    const there = keys.length === 0 ? `the file has no ${kind}` : `the keys are ${keys.join(', ')}`;
    const cure = similar === undefined ? there : `did you mean ${similar}?`;
    return [
      {
        path,
        message: escapeInvisible(
          `names ${JSON.stringify(key)}, which is not among the ${kind} of the tenant; ${cure}`,
        ),
      },
    ];
  };
  return [
    ...keysOf('devices').flatMap((key) => missing('bots', ['devices', key, 'bot'])),
    ...keysOf('bots').flatMap((key) => {
      const path = ['bots', key, 'documents'];
      return itemsOf(yamlAt(written, path)).flatMap((_, at) => missing('documents', [...path, at]));
    }),
  ];
}
