/** A fenced block of the README or of a help topic. */
export interface Block {
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

/** Returns every fenced block of a text, from the first to the last. */
export function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ({ 0: whole, 1: language = '', 2: file, 3: text = '', index }) => ({
      language,
      file,
      text,
      at: index + whole.length - text.length - '```'.length,
    }),
  );
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
