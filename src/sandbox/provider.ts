import { randomBytes } from 'node:crypto';
import type { Bytes } from './derived-bytes.ts';

/**
 * The external AI provider, as far as the service uses it: an assistant for each bot, a file for each
 * document, a vector store for a bot that has documents.
 */
export type Provider = ReturnType<typeof createProvider>;

/**
 * Makes a simulated provider. Ids are all that the service ever sees of the provider, so it hands out ids
 * that look like a real one's, and keeps nothing that a deletion would have to remove.
 * @param bytes what the ids are made of; random if not given
 */
export function createProvider(bytes: Bytes = randomBytes) {
  return {
    /** Returns the assistant's id. */
    createAssistant: async () => `asst_${lettersOf(bytes(24))}`,
    deleteAssistant: async (_assistantId: string): Promise<void> => undefined,
    /** Returns the file's id. */
    uploadFile: async () => `file-${lettersOf(bytes(22))}`,
    deleteFile: async (_fileId: string): Promise<void> => undefined,
    /** Returns the vector store's id. */
    createVectorStore: async () => `vs_${Buffer.from(bytes(16)).toString('hex')}`,
    deleteVectorStore: async (_vectorStoreId: string): Promise<void> => undefined,
  };
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function lettersOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
}
