/**
 * The parts of a man page, in the language of roff with the macros of man(7). Each gives whole lines, with its
 * text escaped: nothing in it is read as a command.
 */

/** The first line of a page. Without a date: the same sources give the same page. */
export function title(name: string, section: number, source: string): string {
  return `.TH ${quoted(name.toUpperCase())} ${section} "" ${quoted(source)} "User Commands"`;
}

/** No hyphenation, and an even gap between words: commands are to be read and copied. */
export const layout = '.nh\n.ad l';

/** The heading of a section. */
export function heading(words: string): string {
  return `.SH ${quoted(words)}`;
}

/** The heading of a part of a section. */
export function subheading(words: string): string {
  return `.SS ${quoted(words)}`;
}

/** Paragraphs, given with an empty line between them. */
export function paragraphs(words: string): string {
  const each = words.split(/\n{2,}/).map((paragraph) => `.PP\n${lines(paragraph)}`);
  return each.join('\n');
}

/** A term in bold, with its meaning below it. */
export function item(term: string, meaning: string): string {
  return `.TP\n${bold(term)}\n${meaning === '' ? '\\&' : lines(meaning)}`;
}

/** Lines that stay as they are, such as those of a shell. */
export function verbatim(words: string): string {
  return `.PP\n.RS 4\n.nf\n${lines(words)}\n.fi\n.RE`;
}

/** Text in bold, inside a line. */
export function bold(words: string): string {
  return `\\fB${escaped(words)}\\fR`;
}

/** Text whose lines can't be taken for commands. */
function lines(words: string): string {
  return words
    .split('\n')
    .map((line) => escaped(line).replace(/^(?=[.'])/, '\\&'))
    .join('\n');
}

/** Escapes of characters that roff reads, or draws, as something else. */
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};

function escaped(words: string): string {
  return words.replace(/[\\\-'`^~"]|[^\x20-\x7e]/gu, (character) => {
    const number = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    return escapes[character] ?? `\\[u${number}]`;
  });
}

/** An argument of a macro. */
function quoted(words: string): string {
  return `"${escaped(words)}"`;
}
