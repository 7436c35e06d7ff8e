import { Help } from 'commander';
import type { Output } from '../../lib/io.ts';

/** A page of help. */
export interface HelpPage {
  readonly title: string;
  readonly parts: readonly HelpPart[];
}

/** A paragraph, terms with their meanings, or a terminal session with typed lines and output. */
export type HelpPart =
  | string
  | { readonly heading?: string; readonly rows: readonly HelpRow[] }
  | { readonly shell: string };

export type HelpRow = readonly [term: string, meaning: string];

/** Returns a page as text for a number of columns. */
export function layOut({ title, parts }: HelpPage, columns: number): string {
  return [title, ...parts.map((part) => layOutPart(part, columns))].join('\n\n').concat('\n');
}

function layOutPart(part: HelpPart, columns: number): string {
  const helper = helperFor(columns);
  if (typeof part === 'string') return helper.boxWrap(part, columns);
  if ('shell' in part) return foldShell(part.shell, columns - 2).replaceAll(/^(?=.)/gm, '  ');
  const widest = Math.max(...part.rows.map(([term]) => term.length));
  const lines = part.rows.map(([term, meaning]) => helper.formatItem(term, widest, meaning, helper));
  return [
    ...(part.heading === undefined ? [] : [helper.boxWrap(`${part.heading}:`, columns)]),
    ...lines,
  ].join('\n');
}

/** The number of columns below which commander stops wrapping; its own limit lets long options exceed the width. */
export const minColumns = 20;

/** Returns the columns for laying out help: those of the stream, but at least the minimum for words. */
export function helpColumns({ columns = 80 }: Pick<Output, 'columns'>): number {
  return Math.max(columns, 40);
}

/** Returns the layout helper of commander. */
export function helperFor(columns: number): Help {
  return Object.assign(new Help(), { helpWidth: columns, minWidthToWrap: minColumns, formatItem });
}

/** The minimum columns for meanings beside their terms; with fewer, each goes below its term. */
const minMeaning = 24;

/** Returns a term with its meaning beside it or, if there is little room, below it. Never breaks inside a word. */
export function formatItem(term: string, widest: number, meaning: string, helper: Help): string {
  const columns = helper.helpWidth ?? 80;
  const beside = columns - widest - 4;
  if (meaning === '') return `  ${term}`;
  if (beside >= minMeaning) {
    const lines = helper.boxWrap(meaning, beside).split('\n');
    return `  ${term.padEnd(widest)}  ${lines.join(`\n${' '.repeat(widest + 4)}`)}`;
  }
  const shown = helper.boxWrap(term, columns - 2).replaceAll('\n', '\n    ');
  return `  ${shown}\n      ${helper.boxWrap(meaning, columns - 6).replaceAll('\n', '\n      ')}`;
}

/** Returns a terminal session, with typed lines broken if they are too long. */
function foldShell(shell: string, columns: number): string {
  return shell.trim().replaceAll(/^\$ .*/gm, (line) => foldCommand(line, columns, '    '));
}

/**
 * Breaks a shell command that is too long: at spaces outside quotes, each line but the last ending with a backslash, so
 * that it can still be copied whole.
 */
export function foldCommand(line: string, columns: number, indent: string): string {
  const words = line.match(/(?:"(?:\\.|[^"])*"|'[^']*'|[^\s"'])+/g) ?? [];
  const units: string[] = [];
  for (const [index, word] of words.entries()) {
    // An option's value stays on the line of the option, if both fit.
    const before = words[index - 1] ?? '';
    const isValue = /^--?[a-z][^=]*$/i.test(before) && !word.startsWith('-');
    const hasRoom = indent.length + before.length + word.length + 3 <= columns;
    if (isValue && hasRoom) units.push(`${units.pop()} ${word}`);
    else units.push(word);
  }
  const lines: string[] = [];
  let current = '';
  for (const word of units) {
    // Includes the space and the backslash of a continued line.
    if (current !== '' && current.length + word.length + 3 > columns) {
      lines.push(`${current} \\`);
      current = `${indent}${word}`;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current].join('\n');
}
