import type { IncomingMessage } from 'node:http';
import { CallerGone } from './answer.ts';

/** The body of a request is larger than its reader accepts. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor(readonly maxBytes: number) {
    super(`A JSON body may have ${maxBytes} bytes at most.`);
  }
}

/**
 * Reads the whole body of a request. If it is too large the rest stays unread, so that the caller can still get a response.
 * @throws BodyTooLarge
 * @throws CallerGone if the connection ends first
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void): void => {
      request.off('data', take);
      act();
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      request.pause();
      settle(() => reject(new BodyTooLarge(maxBytes)));
    };
    request.on('data', take);
    request.once('end', () => settle(() => resolve(Buffer.concat(chunks))));
    request.once('error', () => settle(() => reject(new CallerGone())));
    request.once('close', () => settle(() => reject(new CallerGone())));
  });
}
