/** A fenced block of the README or of a help topic. */
export interface Block {
  readonly language: string;
  /** The second word behind the fence: the block is what a file of this name holds. */
  readonly file: string | undefined;
  readonly text: string;
  /** The offset of its text in the file. */
  readonly at: number;
}

/** A command that a person types, and what the terminal shows then. */
export interface Typed {
  /** With the lines that go on behind a backslash. */
  readonly command: string;
  readonly shown: string;
  /** Where what is shown begins, from the beginning of its block. */
  readonly at: number;
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

/** Returns the commands of a `console` block: each begins with `$ `. */
export function typedIn({ text }: Block): readonly Typed[] {
  return [...text.matchAll(/^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/gm)].map(
    ({ 0: whole, 1: command = '', 2: shown = '', index }) => ({
      command,
      shown,
      at: index + whole.length - shown.length,
    }),
  );
}

/** Returns the commands of an `sh` block: a line, or several that end with a backslash or an operator. */
export function commandsIn({ text }: Block): readonly string[] {
  return [...text.matchAll(/^((?:.*(?:\\|\||&&)\n)*.+)\n/gm)].map(([, command = '']) => command);
}
