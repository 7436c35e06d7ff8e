import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { Unreadable } from './reader.ts';

/** The maximum depth of nested elements, which no real document reaches. */
const maxDepth = 4096;

/** The events of an XML text, with local names: programs choose prefixes freely. */
export interface XmlHandlers {
  opened?(name: string, attributes: Readonly<Record<string, string>>): void;
  /** Called for the end of the innermost open element. */
  closed?(): void;
  text?(text: string): void;
}

/**
 * Reads XML in UTF-8 or UTF-16, as the parts of an Office document are. Calls the handlers, and yields once for
 * each piece that was read, after all of its events.
 * @throws Unreadable for anything but XML, and for a document type, which can define entities (ECMA-376, part 2, forbids it)
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

/** Detects the encoding by the byte order mark, or the NUL beside the first `<` (XML 1.0, appendix F). */
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
