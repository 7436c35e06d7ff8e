/** A fenced block of the README or of a help topic. */
export interface Block {
  readonly language: string;
  /** The second word after the fence: the block is the content of the file with this name. */
  readonly file: string | undefined;
  readonly text: string;
  /** The offset of its text in the file. */
  readonly at: number;
}

/** A command that a user types, and its output. */
export interface Typed {
  /** Includes lines continued with a backslash. */
  readonly command: string;
  readonly shown: string;
  /** The offset of the output in its block. */
  readonly at: number;
}

/** Returns every fenced block of a text in order. */
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

/** Returns the commands of an `sh` block: one line each, or several that end with a backslash or an operator. */
export function commandsIn({ text }: Block): readonly string[] {
  return [...text.matchAll(/^((?:.*(?:\\|\||&&)\n)*.+)\n/gm)].map(([, command = '']) => command);
}
