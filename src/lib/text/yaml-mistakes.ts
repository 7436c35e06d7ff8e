import type { ErrorCode } from 'yaml';

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

/** Returns what is wrong with a text of YAML or JSON from a place on, in words for its writer. */
export function yamlMistake(code: ErrorCode): string {
  return mistakes[code] ?? "it can't be read from there on";
}
