import type { IncomingMessage } from 'node:http';
import { parseExactly } from '../../lib/exact-json.ts';
import { Refusal } from '../service.ts';
import { checkEncoding } from './check.ts';
import { BodyTooLarge, readBody } from './read-body.ts';

/** Maximum bytes of a JSON body: far more than any bot needs. */
const maxJsonBytes = 1024 * 1024;

/**
 * Reads a JSON body of any media type: many clients send none.
 * @throws Refusal BAD_REQUEST for a body that is not JSON in UTF-8, or too large
 * @throws CallerGone
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const { 'content-type': type = '' } = request.headers;
  if (/^\s*multipart\//i.test(type))
    throw new Refusal('BAD_REQUEST', 'This call takes a JSON body, not a form.');
  checkEncoding(request);
  const bytes = await readBody(request, maxJsonBytes).catch((error: unknown) => {
    throw error instanceof BodyTooLarge ? new Refusal('BAD_REQUEST', error.message) : error;
  });
  if (bytes.length === 0) throw new Refusal('BAD_REQUEST', 'This call needs a JSON body.');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // An integer that a number can't represent is parsed as a bigint, which no schema accepts: it must not be rounded
    // silently.
    const parsed: unknown = parseExactly(text) ?? JSON.parse(text);
    return parsed;
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    throw new Refusal('BAD_REQUEST', `The body is not valid JSON: ${why}.`);
  }
}
