import { closeSync, readSync } from 'node:fs';
import * as z from 'zod/mini';
import { errorCode } from '../../lib/files/error-code.ts';
import { unreadable } from '../../lib/files/file-failure.ts';
import { openAtOnce } from '../../lib/files/read-file.ts';
import { parseJson } from '../../lib/json-object.ts';
import type { Campaign } from '../campaign.ts';

/** What tells a campaign from others, and whose it is. */
export type CampaignHead = Pick<Campaign, 'name' | 'origin' | 'created_at' | 'made_on'>;

const schema = z.looseObject({
  version: z.literal(1),
  name: z.string(),
  origin: z.string(),
  created_at: z.string(),
  made_on: z.looseObject({ host: z.string(), pid_namespace: z.optional(z.string()) }),
});

/** Bytes that are read at a time. */
const pieceBytes = 64 * 1024;

/**
 * Reads the beginning of a campaign's file alone: there may be many rows. Returns undefined if there is no file, or its first
 * line is none that this botctl knows.
 * @throws Failure `invalidInput` where it can't be read
 */
export function readHead(path: string): CampaignHead | undefined {
  try {
    return z.safeParse(schema, parseJson(firstLine(path))).data;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw unreadable(path, error);
  }
}

function firstLine(path: string): string {
  const handle = openAtOnce(path);
  try {
    const pieces: Buffer[] = [];
    for (;;) {
      const piece = Buffer.alloc(pieceBytes);
      const read = readSync(handle, piece, 0, piece.length, null);
      const end = piece.subarray(0, read).indexOf(10);
      pieces.push(piece.subarray(0, end < 0 ? read : end));
      if (end >= 0 || read === 0) return Buffer.concat(pieces).toString('utf8');
    }
  } finally {
    closeSync(handle);
  }
}
