import { randomBytes, randomInt } from 'node:crypto';

/**
 * The external AI provider, as far as the service uses it: an assistant for each bot, a file for each
 * document, a vector store for a bot that has documents.
 */
export type Provider = ReturnType<typeof createProvider>;

/**
 * Makes a simulated provider. Ids are all that the service ever sees of the provider, so it hands out ids
 * that look like a real one's, and keeps nothing that a deletion would have to remove.
 */
export function createProvider() {
  return {
    /** Returns the assistant's id. */
    createAssistant: async () => `asst_${randomLetters(24)}`,
    deleteAssistant: async (_assistantId: string): Promise<void> => undefined,
    /** Returns the file's id. */
    uploadFile: async () => `file-${randomLetters(22)}`,
    deleteFile: async (_fileId: string): Promise<void> => undefined,
    /** Returns the vector store's id. */
    createVectorStore: async () => `vs_${randomBytes(16).toString('hex')}`,
    deleteVectorStore: async (_vectorStoreId: string): Promise<void> => undefined,
  };
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function randomLetters(length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}
