import type { ErrorCode } from 'yaml';
import { type Failure, inputFailure } from '../../lib/errors.ts';
import { unlessTooDeep } from '../../lib/exact-json.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import type { Path } from '../../lib/problem.ts';

/** The value of a text of YAML or JSON, and the lines of its parts. */
export interface ReadText {
  readonly value: unknown;
  /** The line, from 1, that a value stands in; of what holds it where it is missing. */
  lineOf(path: Path): number;
}

/** The mistakes that people make, by the code that the parser has for each; its own words are for those who write parsers. */
const mistakes: Partial<Readonly<Record<ErrorCode, string>>> = {
  BAD_DQ_ESCAPE: "a backslash in double quotes stands before something that it can't escape",
  BAD_INDENT: 'it is indented otherwise than what it belongs to',
  BAD_SCALAR_START: 'a text that begins like this needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a text with a colon in it needs quotes',
  DUPLICATE_KEY: 'a field stands there twice',
  MISSING_CHAR: 'a quote or bracket is not closed, or a colon or comma is missing',
  MULTILINE_IMPLICIT_KEY: 'a field has no colon behind its name',
  TAB_AS_INDENT: 'it is indented with a tab; use spaces',
};

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
    const reason = mistakes[mistake.code] ?? "it can't be read from there on";
    throw inputFailure([`${label} is neither YAML nor JSON: line ${line}: ${reason}.`]);
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
