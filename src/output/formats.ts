/** The formats of results. */
export const outputFormats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id', 'markdown'] as const;

/** A format of results. */
export type OutputFormat = (typeof outputFormats)[number];

/** The options that choose the format of a result. */
export interface FormatOptions {
  /** `help` asks for the fields of the command's output. */
  readonly output: OutputFormat | 'help' | undefined;
  readonly fields: readonly string[] | undefined;
  /** True if TSV has a heading line. */
  readonly header: boolean;
  /** False with `--no-color`. */
  readonly color: boolean;
}
