import type { ByteSource } from './bytes.ts';

/*
 * Encodings that write characters of other scripts as ASCII bytes, between escape sequences: ISO-2022 in e-mail from
 * Japan, Korea and China, and HZ. They are valid UTF-8, but would give the wrong characters.
 */

/** The encoding is known, but can't be decoded here. */
export class UnsupportedEncoding extends Error {
  override readonly name = 'UnsupportedEncoding';

  constructor(readonly encoding: string) {
    super(encoding);
  }
}

/**
 * Checks that a text is not in an ISO-2022 encoding. Other escape sequences are those of a terminal log.
 * @throws UnsupportedEncoding for one of them
 */
export async function checkNotEscaped(source: ByteSource): Promise<void> {
  const sets = await selectedSets(source);
  // A terminal selects only ASCII, (B, and line drawing, (0.
  if (!sets.some((set) => /^\$|^\([IJ]$/.test(set))) return;
  if (sets.includes('$)C')) throw new UnsupportedEncoding('ISO-2022-KR');
  if (sets.some((set) => /^\$[)*+]/.test(set))) throw new UnsupportedEncoding('ISO-2022-CN');
  const hasMore = sets.some((set) => /^\$(?:A|\([CD])/.test(set));
  throw new UnsupportedEncoding(hasMore ? 'ISO-2022-JP-2' : 'ISO-2022-JP');
}

/** Returns the character sets that a text selects, as in its escape sequences (ISO 2022, 13.3). */
async function selectedSets(source: ByteSource): Promise<readonly string[]> {
  const sets = new Set<string>();
  let rest = '';
  for await (const bytes of source()) {
    const text = rest + latin1(bytes);
    for (const [, set = ''] of text.matchAll(/\x1b([ -/]+[0-~])/g)) sets.add(set);
    // The start of a sequence that may continue in the next bytes.
    rest = text.slice(-3);
  }
  return [...sets];
}

/** The number of bytes that are checked for HZ. */
const sample = 64 * 1024;

/**
 * Checks that a text in ASCII is not HZ.
 * @throws UnsupportedEncoding for HZ
 */
export async function checkNotHz(source: ByteSource): Promise<void> {
  let text = '';
  for await (const bytes of source()) {
    text += latin1(bytes);
    const at = text.indexOf('~{');
    // The last character may be the first of the two.
    text = text.slice(at < 0 ? -1 : at);
    if (at >= 0 && text.length >= sample) break;
  }
  if (isHz(text)) throw new UnsupportedEncoding('HZ');
}

/** The minimum share of Chinese characters in a text that are among the 3,755 frequent ones, or punctuation. */
const minFrequent = 0.8;

/**
 * Returns whether each `~{` begins Chinese characters of two bytes each, `~}` ends them on the same line (RFC 1843), and nearly
 * all are frequent. Source code in TeX and Lisp has the same marks.
 */
function isHz(text: string): boolean {
  let [characters, frequent] = [0, 0];
  const whole = text.slice(0, text.lastIndexOf('~}') + 2);
  for (const [, inside = '', end] of whole.matchAll(/~\{(.*?)(~\}|$)/gm)) {
    if (end === '' || !/^(?:[!-w][!-~])+$/.test(inside)) return false;
    characters += inside.length / 2;
    for (let at = 0; at < inside.length; at += 2) if (/[!-#0-W]/.test(inside.charAt(at))) frequent += 1;
  }
  return frequent > 0 && frequent >= characters * minFrequent;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
