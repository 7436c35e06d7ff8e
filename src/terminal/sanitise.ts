/**
 * Names, messages and error texts come from other people. Only this module makes them safe to
 * show: its output does not move the cursor, change colours, set a title, access the clipboard,
 * reverse the reading order or hide text.
 */

/** One line of printable ASCII, as nearly all values are. */
const plain = /^[\x20-\x7e]*$/;

// Whole control sequences (ECMA-48 5.4 and 5.6), so that their parameters are removed too.
// An unterminated sequence loses only its control characters: it must not remove the rest of the text.
const controlString = /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)/g;
const controlSequence = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/g;
const otherEscape = /\x1b[ -/]+[0-~]/g;

const control = /[\x00-\x1f\x7f-\x9f]/g;
const controlButLayout = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]/g;
const layout = /[\t\n\v\f\r\x85\u2028\u2029]+/g;
const lineBreak = /\r\n|[\n\v\f\r\x85\u2028\u2029]/g;

/** Unicode's Bidi_Control characters: marks, embeddings, overrides, isolates. */
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** With the flag, a pair is one code point, which isn't in the range. */
const loneSurrogate = /[\ud800-\udfff]/gu;

/** Makes text safe for one line: a run of line breaks and tabs becomes one space. */
export function sanitise(text: string): string {
  if (plain.test(text)) return text;
  return withoutInvisible(withoutSequences(text).replace(layout, ' ').replace(control, ''));
}

/** Makes text safe for several lines: line breaks become `\n`; tabs become spaces. */
export function sanitiseLines(text: string): string {
  if (plain.test(text)) return text;
  const lines = withoutSequences(text).replace(lineBreak, '\n').replace(/\t/g, '  ');
  return withoutInvisible(lines.replace(controlButLayout, ''));
}

/**
 * Makes text safe for a file or pipe that may be shown on a terminal: removes terminal commands and
 * keeps all other characters, including tabs and line breaks, since a script compares text.
 */
export function withoutControls(text: string): string {
  if (plain.test(text)) return text;
  const safe = withoutSequences(text).replace(controlButLayout, '').replace(/\x85/g, '\n');
  return safe.replace(bidi, '').replace(loneSurrogate, '\ufffd');
}

/** Matches everything that controls a terminal or reverses text, except styles. */
const terminalCommands =
  /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\x1b(?!\[[\d;]*m)|\r(?!\n)/;
const style = /(\x1b\[[\d;]*m)/;

/**
 * Returns drawn text with its colours and weights, and without other terminal commands. Each renderer
 * sanitizes its own texts; this is the second line of defence.
 */
export function keepOnlyStyles(drawn: string): string {
  if (!terminalCommands.test(drawn)) return drawn;
  // Split at a pattern in parentheses, every second part is a style.
  const parts = drawn.split(style);
  return parts
    .map((part, at) => (at % 2 === 1 ? part : withoutControls(part).replace(/\r(?!\n)/g, ' ')))
    .join('');
}

function withoutSequences(text: string): string {
  return text.replace(controlString, '').replace(controlSequence, '').replace(otherEscape, '');
}

/** The tables of Unicode properties take a millisecond to load: most texts don't need them. */
function withoutInvisible(text: string): string {
  if (plain.test(text)) return text;
  // Invisible characters, except for three that shape emoji: the joiner, variation selectors, flag tags.
  const invisible =
    /(?!\u200d|[\ufe00-\ufe0f]|[\u{e0020}-\u{e007f}]|[\u{e0100}-\u{e01ef}])[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
  const straySelector =
    /(?<![\p{Extended_Pictographic}\p{Script=Han}#*0-9])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
  const strayTag = /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,8})[\u{e0020}-\u{e007f}]/gu;
  const strayJoiner =
    /(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;
  // More marks on one letter than in any language overlap the neighbouring lines.
  const markPile = /(\p{M}{8})\p{M}+/gu;
  return text
    .replace(loneSurrogate, '\ufffd')
    .replace(bidi, '')
    .replace(invisible, '')
    .replace(strayTag, '')
    .replace(straySelector, '')
    .replace(strayJoiner, '')
    .replace(markPile, '$1');
}
