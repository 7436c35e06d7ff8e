import { Liquid, LiquidError, type Template, Tokenizer, TypeGuards } from 'liquidjs';
import { errorCode, Failure, inputFailure } from '../lib/errors.ts';
import { command, remark } from '../lib/text/remark.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { mostSimilar } from '../lib/text/similar.ts';
import { columnList, columnSuggestion } from './column-words.ts';
import { findLeftover, type Leftover } from './template-leftover.ts';

/** Far more memory than a message needs. It stops an endless loop. */
const maxMemory = 1_000_000;

/** A template of messages. */
export interface MessageTemplate {
  /** The names of the columns that it uses. */
  readonly uses: readonly string[];
  /**
   * Returns the message of a row.
   * @throws RenderProblem
   */
  render(cells: ReadonlyMap<string, string>): string;
  /**
   * Returns whether a message has a gap because a cell is empty: the template has no default for it and no other text
   * for that case.
   * @param message the rendered message of the row
   */
  leavesGap(message: string, cells: ReadonlyMap<string, string>, name: string): boolean;
}

/** A row from which no message can be made. The message of the error is one line. */
export class RenderProblem extends Error {
  override readonly name = 'RenderProblem';
}

/**
 * Parses a Liquid template. It can't read files, and only column names are defined.
 * @param place its name in messages: `--message`
 * @throws Failure `invalidInput` if it is not valid Liquid, if Liquid would drop a part of it, or if it uses a name
 *   that is not a column
 */
export function messageTemplate(text: string, columns: readonly string[], place: string): MessageTemplate {
  // Without `templates`, Liquid would read the files that a template names.
  const liquid = new Liquid({
    templates: {},
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    memoryLimit: maxMemory,
  });
  const { template, uses } = parseTemplate(liquid, text, columns, place);
  const unknown = uses.filter((name) => !columns.includes(name));
  if (unknown.length > 0)
    throw inputFailure(
      unknown.map((name) => noColumnProblem(name, columns, place)),
      bracketsHint(columns),
    );
  const renderOf = (template: Template[], cells: ReadonlyMap<string, string>): string => {
    try {
      const rendered: unknown = liquid.renderSync(template, Object.fromEntries(cells));
      return String(rendered);
    } catch (error) {
      throw new RenderProblem(liquidMessage(error));
    }
  };
  const values = stripText(text);
  let valuesTemplate: Template[] | undefined;
  /** Returns the first sign of a failed calculation that appears neither in the text of the template nor in a cell. */
  const failedValue = (rendered: string, cells: ReadonlyMap<string, string>): string | undefined => {
    const found = failureTexts.filter(
      (sign) => rendered.includes(sign) && ![values, ...cells.values()].some((one) => one.includes(sign)),
    );
    if (found.length === 0) return undefined;
    valuesTemplate ??= liquid.parse(values);
    const alone = renderOf(valuesTemplate, cells);
    return found.find((sign) => alone.includes(sign));
  };
  const render = (cells: ReadonlyMap<string, string>): string => {
    const rendered = renderOf(template, cells);
    const failed = failedValue(rendered, cells);
    if (failed !== undefined) throw new RenderProblem(`a value is ${failed}`);
    return rendered;
  };
  return {
    uses,
    render,
    leavesGap(message, cells, name) {
      try {
        const filled = render(new Map([...cells, [name, mark]]));
        if (!filled.includes(mark)) return filled !== message;
        return textsBetween(message, filled.split(mark)).includes(cells.get(name) ?? '');
      } catch (error) {
        if (error instanceof RenderProblem) return true;
        throw error;
      }
    },
  };
}

/**
 * Returns the texts between consecutive pieces in a text; an empty list if the text doesn't consist of these pieces.
 */
function textsBetween(text: string, [start = '', ...pieces]: readonly string[]): readonly string[] {
  const end = pieces.at(-1) ?? '';
  if (!text.startsWith(start) || !text.endsWith(end)) return [];
  const found: string[] = [];
  let at = start.length;
  for (const [index, piece] of pieces.entries()) {
    const next = index === pieces.length - 1 ? text.length - end.length : text.indexOf(piece, at);
    if (next < at) return [];
    found.push(text.slice(at, next));
    at = next + piece.length;
  }
  return found;
}

/** Replaces the value of a cell. It is a private-use character, which case filters don't change. */
const mark = '\ue0b7';

/** The texts that Liquid writes for a failed calculation and for an object. */
const failureTexts = ['NaN', 'Infinity', '[object Object]'];

/** Returns a template without the text between its outputs and tags. */
function stripText(text: string): string {
  const tokens = new Tokenizer(text).readTopLevelTokens();
  return tokens.map((token) => (TypeGuards.isHTMLToken(token) ? '' : token.getText())).join('');
}

function parseTemplate(
  liquid: Liquid,
  text: string,
  columns: readonly string[],
  place: string,
): { readonly template: Template[]; readonly uses: readonly string[] } {
  try {
    const template = liquid.parse(text);
    const leftover = findLeftover(text);
    if (leftover) throw leftoverFailure(leftover, columns, place);
    return { template, uses: liquid.globalVariablesSync(template) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw inputFailure(
      [`${place} is not a valid template: ${liquidMessage(error)}.`],
      remark`{{ name }} is replaced by the column name. See ${command('help', 'campaigns')}`,
    );
  }
}

function noColumnProblem(name: string, columns: readonly string[], place: string): string {
  const meant = columnSuggestion(name, mostSimilar(name, columns));
  return `${place} uses {{ ${oneLine(name, 40)} }}, but there is no such column.${meant} The columns are ${columnList(columns)}.`;
}

function leftoverFailure(
  { part, dropped, line, column }: Leftover,
  columns: readonly string[],
  place: string,
): Failure {
  const where = `line ${line}, column ${column}`;
  const problem = `${place} is not a valid template: in ${oneLine(part, 80)} (${where}), ${oneLine(dropped, 40)} would be ignored.`;
  return inputFailure([problem], bracketsHint(columns));
}

/** Returns a hint that shows how to write a column whose name has several words. */
function bracketsHint(columns: readonly string[]): string {
  const name = columns.find((column) => !/^[\w-]+$/.test(column)) ?? 'First Name';
  return `Each {{ }} takes one column. If its name is not a single word, use brackets and quotes: {{ ["${oneLine(name, 40)}"] }}`;
}

const noIncludes = "a template can't include another one";

/** Returns the message of an error of Liquid on one line. @throws any other error */
function liquidMessage(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return noIncludes;
  if (!(error instanceof Error) || !LiquidError.is(error)) throw error;
  const words = error.message
    .replace(/^ENOENT: Failed to lookup .*?(?=, line:|$)/, noIncludes)
    .replace(/memory alloc limit exceeded/, 'it needs too much memory')
    .replace(/, line:(\d+), col:(\d+)$/, ' (line $1, column $2)');
  return oneLine(words, 160);
}
