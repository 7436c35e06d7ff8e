import { Tokenizer, type TopLevelToken, TypeGuards } from 'liquidjs';
import { ownMember } from '../lib/json-object.ts';

/** A part of a template that Liquid reads only partly, dropping the rest without an error. */
export interface Leftover {
  /** The whole part: `{{ First Name }}`. */
  readonly part: string;
  /** The text that would be dropped: `Name`. */
  readonly dropped: string;
  readonly line: number;
  readonly column: number;
}

// The grammar of liquidjs (parser/tokenizer), anchored at the end of the text. The library itself stops at the first
// text that it can't parse, and uses what it has.
const word = String.raw`(?:[\w?-]|[^\x00-\x7f\s\u201c\u201d])+`;
const quoted = String.raw`(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`;
const index = String.raw`\[\s*(?:${quoted}|${word}(?:\.${word})*)\s*\]`;
const members = String.raw`(?:\.${word}|${index})*`;
const simple = String.raw`(?:${quoted}${members}|(?:${word}|${index})${members}|\+\d+(?:\.\d+)?)`;
const range = String.raw`\(\s*${simple}\s*\.\.\s*${simple}\s*\)`;
const value = `(?:${simple}|${range}${members})`;
const operand = String.raw`(?:not\s+)*${value}`;
const operator = String.raw`(?:\s*(?:==|!=|>=|<=|>|<)\s*|\s+(?:contains|and|or)\s+)`;
const argument = String.raw`(?:${word}\s*:\s*)?${value}`;
const filter = String.raw`\s*\|\s*${word}(?:\s*:\s*${argument}(?:\s*,\s*${argument})*)?`;
const expression = `${operand}(?:${operator}${operand})*(?:${filter})*`;
const loop = String.raw`${word}\s+in\s+${value}(?:(?:\s*,)?\s*(?:reversed|(?:limit|offset|cols)\s*:\s*${value}))*`;

/** The syntax of the arguments of each tag. The arguments of other tags can't drop text of a message. */
const afterTag: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['echo', 'if', 'elsif', 'unless', 'case'].map((tag) => [tag, expression])),
  ...Object.fromEntries(['for', 'tablerow'].map((tag) => [tag, loop])),
  ...Object.fromEntries(['increment', 'decrement'].map((tag) => [tag, word])),
  ...Object.fromEntries(
    ['else', 'break', 'continue', 'endif', 'endunless', 'endcase', 'endfor', 'endtablerow', 'endcapture'].map(
      (tag) => [tag, ''],
    ),
  ),
  assign: String.raw`${word}\s*=\s*${expression}`,
  capture: `(?:${quoted}|${word})`,
  when: String.raw`${value}(?:(?:\s*,\s*|\s+or\s+)${value})*`,
  cycle: String.raw`(?:${value}\s*:\s*)?${expression}(?:\s*,\s*${expression})*`,
};

/** Returns the first part of a template that Liquid would not read completely, or undefined if there is none. */
export function findLeftover(template: string): Leftover | undefined {
  let isComment = false;
  for (const token of new Tokenizer(template).readTopLevelTokens()) {
    if (TypeGuards.isTagToken(token))
      isComment = token.name === 'comment' || (isComment && token.name !== 'endcomment');
    const dropped = isComment ? '' : droppedText(token);
    if (dropped === '') continue;
    const [line = 1, column = 1] = token.getPosition();
    return { part: token.getText(), dropped, line, column };
  }
  return undefined;
}

function droppedText(token: TopLevelToken): string {
  if (TypeGuards.isTagToken(token)) return droppedTagText(token.content);
  return TypeGuards.isOutputToken(token) ? textAfter(expression, token.content) : '';
}

/** @param content the name and arguments of a tag */
function droppedTagText(content: string): string {
  const [, name = '', args = ''] = /^(\w+|#)\s*(.*)$/s.exec(content) ?? [];
  // Each line is a separate tag.
  if (name === 'liquid')
    return (
      args
        .split('\n')
        .map((line) => droppedTagText(line.trim()))
        .find((one) => one !== '') ?? ''
    );
  const form = ownMember(afterTag, name);
  return form === undefined ? '' : textAfter(form, args);
}

/** Returns the rest of a text after the part that matches a pattern. */
function textAfter(form: string, text: string): string {
  const [read = ''] = new RegExp(`^\\s*${form}`, 's').exec(text) ?? [];
  return text.slice(read.length).trim();
}
