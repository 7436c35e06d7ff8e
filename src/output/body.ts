import type { Failure } from '../lib/errors.ts';
import { parseExactly } from '../lib/exact-json.ts';
import type { Output } from '../lib/io.ts';
import { sanitiseLines } from '../terminal/sanitise.ts';
import { jsonPieces, toJson } from './json.ts';
import type { PresentOptions } from './options.ts';
import { hasMembers } from './values.ts';
import { inChunks, write, writePieces } from './write.ts';

/** A response of the service: one body, or the rows of its lists. */
export type Body = ResponseBody | ResponseRows;

/** A body as received. */
export interface ResponseBody {
  readonly bytes: Uint8Array;
  /** Lines to print before it, such as its headers. */
  readonly head?: string | undefined;
  /** The failure if the response is not a success. */
  readonly failure?: Failure | undefined;
}

/** Rows of any kind. */
export interface ResponseRows {
  readonly rows: AsyncIterable<unknown>;
}

/** True if a result is a body. */
export function isBody(result: unknown): result is Body {
  return hasMembers(result) && (result.bytes instanceof Uint8Array || hasMembers(result.rows));
}

type BodyTarget = Pick<PresentOptions, 'io' | 'options'>;

/**
 * Prints a body. A pipe gets it byte for byte. A terminal gets JSON indented, text without control characters, and the
 * size of anything else. `-o ndjson` puts JSON on one line. The text of a refusal ends with a line end, so that the
 * message on stderr begins on a new line if both go to one place. With `-o ndjson`, rows are printed one per line as they
 * arrive; otherwise as one array.
 */
export async function presentBody(body: Body, target: BodyTarget): Promise<void> {
  if ('rows' in body) return presentRows(body.rows, target);
  const { stdout } = target.io;
  const isTerminal = stdout.isTTY === true;
  if (body.head) await write(stdout, isTerminal ? sanitiseLines(body.head) : body.head);
  const isLines = target.options.output === 'ndjson';
  if (!isTerminal && !isLines) {
    await writeWhole(body, stdout);
    return;
  }
  const text = decodeUtf8(body.bytes);
  const json = text === undefined ? undefined : parseExactly(text);
  if (json !== undefined) await write(stdout, `${toJson(json, isTerminal && !isLines)}\n`);
  else if (!isTerminal) await writeWhole(body, stdout);
  else await write(stdout, displayText(text, body.bytes.length));
}

/** Writes the bytes as received. Adds a line end if a failure follows a text without one. */
async function writeWhole({ bytes, failure }: ResponseBody, stdout: Output): Promise<void> {
  await write(stdout, bytes);
  const isOpen = failure !== undefined && bytes.length > 0 && bytes.at(-1) !== lineFeed;
  if (isOpen && decodeUtf8(bytes) !== undefined) await write(stdout, '\n');
}

const lineFeed = 0x0a;

async function presentRows(rows: AsyncIterable<unknown>, { io, options }: BodyTarget): Promise<void> {
  const { stdout } = io;
  if (options.output === 'ndjson') {
    for await (const chunk of inChunks(rows)) {
      if (!(await write(stdout, chunk.map((row) => `${toJson(row)}\n`).join('')))) return;
    }
    return;
  }
  await writePieces(stdout, await jsonPieces(inChunks(rows), stdout.isTTY === true));
}

/** Returns the text of bytes in UTF-8; undefined for other bytes, and for text that contains NUL. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function displayText(text: string | undefined, size: number): string {
  if (text === undefined) return `(${size} bytes of binary data; write them to a file: … > FILE)\n`;
  const safe = sanitiseLines(text);
  return safe === '' || safe.endsWith('\n') ? safe : `${safe}\n`;
}
