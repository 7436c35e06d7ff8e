import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { Unreadable } from './reader.ts';

/** Elements inside each other. More than any document has, and few enough to keep. */
const maxDepth = 4096;

/** What is told of an XML text, by local names: programs choose the prefixes as they like. */
export interface XmlHandlers {
  opened?(name: string, attributes: Readonly<Record<string, string>>): void;
  /** The element that was opened last of those that are still open. */
  closed?(): void;
  text?(text: string): void;
}

/**
 * Reads XML in UTF-8 or UTF-16, as the parts of an Office document are. Handlers are called in the meantime; one value is given for
 * each piece that was read, with all that was in it told.
 * @throws Unreadable for what isn't XML, or has a document type: entities are defined there (ECMA-376, part 2, forbids it)
 */
export async function* readXml(
  source: AsyncIterable<Uint8Array>,
  { opened, closed, text }: XmlHandlers,
): AsyncGenerator<undefined> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > maxDepth) throw new Unreadable('bomb');
    opened?.(localName(name), attributes);
  });
  parser.on('closetag', () => {
    depth -= 1;
    closed?.();
  });
  parser.on('doctype', (doctype) => {
    throw new Unreadable(doctype.includes('<!ENTITY') ? 'bomb' : 'corrupt');
  });
  if (text) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  let decoder: TextDecoder | undefined;
  for await (const bytes of source) {
    decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
    rethrowError(() => parser.write(decoder?.decode(bytes, { stream: true }) ?? ''));
    yield;
  }
  rethrowError(() => parser.write(decoder?.decode() ?? '').close());
  yield;
}

/** By the mark at the start, or the NUL beside the first `<` (XML 1.0, appendix F). */
function encodingOf([first, second]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return 'utf-8';
}

function rethrowError(parse: () => void): void {
  try {
    parse();
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable('corrupt');
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
