import type { HelpPage } from '../../src/cli/help/text.ts';

/** A fenced block of the README, or lines of a shell in a help topic. */
export interface Block {
  /** The heading of its page, such as `Operator`, or the name of the topic. */
  readonly page: string;
  readonly language: string;
  /** The second word behind the fence: the block is what a file of this name holds. */
  readonly file: string | undefined;
  readonly text: string;
  /** Where its text begins in the file. */
  readonly at: number;
}

/** A line that a person types, and what the terminal shows then. */
export interface Typed {
  /** As a shell takes it: what was typed in several lines is one. */
  readonly line: string;
  readonly shown: string;
  /** Where what is shown begins and ends, from the beginning of its block. */
  readonly from: number;
  readonly to: number;
}

/** Every fenced block of a page, from the first to the last. */
export function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ({ 0: whole, 1: language = '', 2: file, 3: text = '', index }) => ({
      page: [...markdown.slice(0, index).matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? '',
      language,
      file,
      text,
      at: index + whole.length - text.length - '```'.length,
    }),
  );
}

/**
 * What a help topic shows of a terminal.
 * @param source of the topic: what is shown stands there letter for letter, so that it can be updated
 */
export function shellBlocksOf(name: string, { parts }: HelpPage, source: string): readonly Block[] {
  const shown = parts.flatMap((part) => (typeof part === 'object' && 'shell' in part ? [part.shell] : []));
  return shown.map((text) => {
    const at = source.indexOf(text);
    if (at < 0 || !text.startsWith('\n$ '))
      throw new Error(`botctl help ${name}: not as it is typed: ${text}`);
    return { page: name, language: 'console', file: undefined, text: text.slice(1), at: at + 1 };
  });
}

/** What is typed in a `console` block: a line behind `$ `, and the lines that go on behind a backslash. */
export function typedIn({ text }: Block): readonly Typed[] {
  return [...text.matchAll(/^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/gm)].map(
    ({ 0: whole, 1: line = '', 2: shown = '', index }) => ({
      line: line.replaceAll(/\\\n\s*/g, ''),
      shown,
      from: index + whole.length - shown.length,
      to: index + whole.length,
    }),
  );
}
