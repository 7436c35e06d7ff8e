import { type Failure, inputFailure } from '../../lib/errors.ts';
import { unlessTooDeep } from '../../lib/exact-json.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import type { Path } from '../../lib/problem.ts';
import { yamlMistake } from '../../lib/text/yaml-mistakes.ts';

/** The value of a text of YAML or JSON, and the lines of its parts. */
export interface ReadText {
  readonly value: unknown;
  /** The line, from 1, that a value stands in; of what holds it where it is missing. */
  lineOf(path: Path): number;
}

/**
 * Reads YAML, and with it JSON, which is a part of YAML.
 * @param label what it is called in messages
 * @throws Failure `invalidInput` with the line of the first mistake
 */
export async function readText(content: string, label: string): Promise<ReadText> {
  const { LineCounter, isNode, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const { document, value } = unlessTooDeep(
    () => {
      const parsed = parseDocument(content, { lineCounter: lines, prettyErrors: false });
      return { document: parsed, value: parsed.errors.length > 0 ? undefined : parsed.toJS() };
    },
    () => tooDeep(label),
  );
  const [mistake] = document.errors;
  if (mistake) {
    // With less of the stack left the library meets it first, and tells it as a mistake of the text.
    if (mistake.message.includes('call stack')) throw tooDeep(label);
    const { line } = lines.linePos(mistake.pos[0]);
    if (mistake.code === 'MULTIPLE_DOCS') {
      throw inputFailure(
        [`${label} holds several documents: another one begins at line ${line}.`],
        'Give one at a time: a file of its own for each, without --- between them.',
      );
    }
    throw inputFailure([`${label} is neither YAML nor JSON: line ${line}: ${yamlMistake(mistake.code)}.`]);
  }
  return {
    value,
    lineOf(path) {
      for (let end = path.length; end >= 0; end -= 1) {
        const node = document.getIn(path.slice(0, end), true);
        if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
      }
      return 1;
    },
  };
}

function tooDeep(label: string): Failure {
  return inputFailure([`${label} is nested too deeply.`], 'No field of a bot goes deeper than a few levels.');
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
