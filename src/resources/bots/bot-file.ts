import { inputFailure } from '../../lib/errors.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import type { Path } from '../../lib/problem.ts';
import { readYaml, yamlData, yamlPlace } from '../../lib/yaml.ts';

/** The value of a text of YAML or JSON, and the lines of its parts. */
export interface ReadText {
  readonly value: unknown;
  /** The line, from 1, that a value stands in; of what holds it where it is missing. */
  lineOf(path: Path): number;
}

/**
 * Reads YAML, and with it JSON, which is a part of YAML.
 * @param label what it is called in messages
 * @throws Failure `invalidInput` with the line of each mistake
 */
export async function readText(content: string, label: string): Promise<ReadText> {
  const { root, problems } = await readYaml(content, label);
  if (problems.length > 0)
    throw inputFailure(problems.map(({ place, says }) => `${label}, line ${place.line}: ${says}`));
  return {
    value: root && yamlData(root),
    lineOf: (path) => (root ? yamlPlace(root, path).line : 1),
  };
}

/**
 * Takes the fields of a bot out of what a text says.
 * @throws Failure `invalidInput` where it holds something else
 */
export function fieldsOf({ value }: ReadText, label: string): JsonObject {
  if (isObject(value)) return value;
  const what = value === null || value === undefined ? 'is empty' : 'holds no fields';
  throw inputFailure(
    [`${label} ${what}.`],
    'Write fields of a bot with their values, such as: name: Front desk',
  );
}
