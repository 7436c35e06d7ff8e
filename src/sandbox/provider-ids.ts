import { randomBytes } from 'node:crypto';
import type { Bytes } from './derived-bytes.ts';

// The service never exposes more of the external AI provider than ids, so the sandbox creates ids that look real. Each
// function uses random bytes unless others are given.

/** Returns the id of an assistant; each bot has one. */
export function assistantId(bytes: Bytes = randomBytes): string {
  return `asst_${lettersOf(bytes(24))}`;
}

/** Returns the id of a file; each document has one. */
export function fileId(bytes: Bytes = randomBytes): string {
  return `file-${lettersOf(bytes(22))}`;
}

/** Returns the id of a vector store; each bot that has documents has one. */
export function vectorStoreId(bytes: Bytes = randomBytes): string {
  return `vs_${Buffer.from(bytes(16)).toString('hex')}`;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function lettersOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
}
