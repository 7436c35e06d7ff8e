import { posix } from 'node:path';
import { type Reader, type TextPiece, Unreadable } from './reader.ts';
import { readXml } from './xml.ts';
import { Zip } from './zip.ts';

/**
 * Reads a Word document (.docx): its body, footnotes and endnotes. This includes tables, text boxes, inserted text,
 * formulas, results of fields and hidden text, and excludes headers, footers, comments and deleted text.
 */
export const readDocx: Reader = async function* ({ path, maxUnpacked }) {
  const zip = await Zip.open(path, (name) => /\.(xml|rels)$/.test(name), maxUnpacked);
  try {
    const main = await mainPart(zip);
    yield* partText(zip, main, 'document');
    for (const [type, root] of notes) {
      const part = await relatedPart(zip, main, type);
      // A missing part is ignored: Word opens such a document.
      if (part !== undefined && zip.has(part)) yield* partText(zip, part, root);
    }
  } finally {
    zip.close();
  }
};

/** The ends of relationship types are the same in both namespaces, Transitional and Strict. Each with the root of its part. */
const notes = [
  ['/footnotes', 'footnotes'],
  ['/endnotes', 'endnotes'],
] as const;

async function mainPart(zip: Zip): Promise<string> {
  // Other archives have none, such as OpenDocument.
  if (!zip.has('_rels/.rels')) throw new Unreadable('unsupported');
  const main = await relatedPart(zip, '', '/officeDocument');
  if (main === undefined) throw new Unreadable('unsupported');
  if (!zip.has(main)) throw new Unreadable('corrupt');
  return main;
}

/**
 * Returns the name of the part that has a relationship with another part or the package (ECMA-376, part 2,
 * Relationships).
 * @param of the part; empty for the package
 * @param type the end of the type of the relationship
 */
async function relatedPart(zip: Zip, of: string, type: string): Promise<string | undefined> {
  const rels = posix.join(posix.dirname(of), '_rels', `${posix.basename(of)}.rels`);
  if (!zip.has(rels)) return undefined;
  let target: string | undefined;
  const opened = (name: string, attributes: Readonly<Record<string, string>>): void => {
    if (name !== 'Relationship' || attributes.TargetMode === 'External') return;
    if (attributes.Type?.endsWith(type)) target ??= attributes.Target;
  };
  for await (const _ of readXml(zip.read(rels), { opened })) if (target !== undefined) break;
  if (target === undefined) return undefined;
  const absolute = posix.join('/', posix.dirname(of), target);
  return (target.startsWith('/') ? posix.normalize(target) : absolute).slice(1);
}

/** The effect of an element on the text. */
type Meaning =
  /** Contains text. */
  | 'text'
  /** Contains text that does not belong to the document, or is a duplicate. */
  | 'skipped'
  /** Stands for a character, or its start does. */
  | { readonly start: string }
  | { readonly end: string };

const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['t', 'text'],
  ['p', { end: '\n' }],
  ['Fallback', 'skipped'],
  ['del', 'skipped'],
  ['moveFrom', 'skipped'],
  ['pPr', 'skipped'],
  ['br', { start: '\n' }],
  ['cr', { start: '\n' }],
  ['tab', { start: '\t' }],
  ['ptab', { start: '\t' }],
  ['noBreakHyphen', { start: '\u2011' }],
  // Each symbol of a font counts as one character.
  ['sym', { start: '\ufffc' }],
  // A text box is inside the paragraph that it belongs to.
  ['txbxContent', { start: '\n' }],
]);

async function* partText(zip: Zip, part: string, root: string): AsyncGenerator<TextPiece> {
  // Joined at once: appending piece by piece takes several times as long.
  let texts: string[] = [];
  let skips = 0;
  let inText = 0;
  let isRoot = true;
  /** The effects of the open elements. */
  const open: (Meaning | undefined)[] = [];
  const handlers = {
    opened(name: string): void {
      // The root of a workbook or a presentation.
      if (isRoot && name !== root) throw new Unreadable('unsupported');
      isRoot = false;
      const meaning = meanings.get(name);
      open.push(meaning);
      if (meaning === undefined) return;
      if (meaning === 'text') inText += 1;
      else if (meaning === 'skipped') skips += 1;
      else if (skips === 0 && 'start' in meaning) texts.push(meaning.start);
    },
    closed(): void {
      const meaning = open.pop();
      if (meaning === undefined) return;
      if (meaning === 'text') inText -= 1;
      else if (meaning === 'skipped') skips -= 1;
      else if (skips === 0 && 'end' in meaning) texts.push(meaning.end);
    },
    text(found: string): void {
      if (inText > 0 && skips === 0) texts.push(found);
    },
  };
  for await (const _ of readXml(zip.read(part), handlers)) {
    if (texts.length > 0) yield { text: texts.join('') };
    texts = [];
  }
}
