import { randomBytes, randomInt } from 'node:crypto';

/**
 * The external AI provider, as far as the service uses it: an assistant for each bot, a file for each
 * document, a vector store for a bot that has documents.
 */
export interface Provider {
  /** Returns the assistant's id. */
  createAssistant(): Promise<string>;
  deleteAssistant(assistantId: string): Promise<void>;
  /** Returns the file's id. */
  uploadFile(): Promise<string>;
  deleteFile(fileId: string): Promise<void>;
  /** Returns the vector store's id. */
  createVectorStore(): Promise<string>;
  deleteVectorStore(vectorStoreId: string): Promise<void>;
}

/**
 * Makes a simulated provider. Ids are all that the service ever sees of the provider, so it hands out ids
 * that look like a real one's, and keeps nothing that a deletion would have to remove.
 */
export function createProvider(): Provider {
  return {
    createAssistant: async () => `asst_${randomLetters(24)}`,
    deleteAssistant: async () => undefined,
    uploadFile: async () => `file-${randomLetters(22)}`,
    deleteFile: async () => undefined,
    createVectorStore: async () => `vs_${randomBytes(16).toString('hex')}`,
    deleteVectorStore: async () => undefined,
  };
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function randomLetters(length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}
