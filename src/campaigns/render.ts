import { Liquid, LiquidError, type Template } from 'liquidjs';
import { inputFailure } from '../lib/errors.ts';
import { errorCode } from '../lib/files/error-code.ts';
import { oneLine } from '../lib/text/one-line.ts';
import { command, remark } from '../lib/text/remark.ts';
import { mostSimilar } from '../lib/text/similar.ts';

/** More than a message needs by far: a loop without an end stops here. */
const maxMemory = 1_000_000;

/** A template of messages. */
export interface MessageTemplate {
  /** The names of columns that it uses. */
  readonly uses: readonly string[];
  /**
   * Returns the message of a row.
   * @throws RenderProblem
   */
  render(cells: ReadonlyMap<string, string>): string;
  /**
   * True if an empty cell leaves a gap in a message that can be made: the template has nothing to put in its place, and doesn't
   * say otherwise where it is empty.
   */
  leavesGap(cells: ReadonlyMap<string, string>, name: string): boolean;
}

/** A message can't be made of a row. Its text is in words, on one line. */
export class RenderProblem extends Error {
  override readonly name = 'RenderProblem';
}

/**
 * Reads a template in Liquid. It reads no files, and knows no names but those of the columns.
 * @param place what it is called in messages: `--message`
 * @throws Failure `invalidInput` where it is none, or uses a name that no column has
 */
export function messageTemplate(text: string, columns: readonly string[], place: string): MessageTemplate {
  // Without `templates` it would read the files that a template names.
  const liquid = new Liquid({
    templates: {},
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    memoryLimit: maxMemory,
  });
  const { template, uses } = parsed(liquid, text, place);
  const unknown = uses.filter((name) => !columns.includes(name));
  if (unknown.length > 0) throw inputFailure(unknown.map((name) => noColumn(name, columns, place)));
  const render = (cells: ReadonlyMap<string, string>): string => {
    try {
      const rendered: unknown = liquid.renderSync(template, Object.fromEntries(cells));
      return String(rendered);
    } catch (error) {
      throw new RenderProblem(wordsOf(error));
    }
  };
  return {
    uses,
    render,
    leavesGap(cells, name) {
      const empty = render(cells);
      try {
        const filled = render(new Map([...cells, [name, mark]]));
        if (!filled.includes(mark)) return filled !== empty;
        return standIns(empty, filled.split(mark)).includes(cells.get(name) ?? '');
      } catch (error) {
        if (error instanceof RenderProblem) return true;
        throw error;
      }
    },
  };
}

/** Returns what stands between the pieces of a text in another one; nothing where that has other pieces. */
function standIns(text: string, [start = '', ...pieces]: readonly string[]): readonly string[] {
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

/** Stands for a cell with something in it: a character of nobody's, which filters of case leave as it is. */
const mark = '\ue0b7';

function parsed(
  liquid: Liquid,
  text: string,
  place: string,
): { readonly template: Template[]; readonly uses: readonly string[] } {
  try {
    const template = liquid.parse(text);
    return { template, uses: liquid.globalVariablesSync(template) };
  } catch (error) {
    throw inputFailure(
      [`${place} is no template: ${wordsOf(error)}.`],
      remark`Text between {{ and }} stands for a column, as in {{ name }}. See ${command('help', 'recipients')}`,
    );
  }
}

function noColumn(name: string, columns: readonly string[], place: string): string {
  const near = mostSimilar(name, columns);
  const meant = near === undefined ? '' : ` Did you mean ${oneLine(near, 40)}?`;
  const known = columns.map((column) => oneLine(column, 40)).join(', ');
  return `${place} uses {{ ${oneLine(name, 40)} }}, and no column is called so.${meant} The columns are ${known}.`;
}

const noOther = 'it can read no other template';

/** Returns what Liquid says, in one line; anything else is a bug of ours. */
function wordsOf(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return noOther;
  if (!(error instanceof Error) || !LiquidError.is(error)) throw error;
  const words = error.message
    .replace(/^ENOENT: Failed to lookup .*?(?=, line:|$)/, noOther)
    .replace(/memory alloc limit exceeded/, 'it takes more memory than any message needs')
    .replace(/, line:(\d+), col:(\d+)$/, ' (line $1, column $2)');
  return oneLine(words, 160);
}
