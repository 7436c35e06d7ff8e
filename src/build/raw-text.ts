import { readFile } from 'node:fs/promises';
import type { Plugin } from 'rolldown';

/** Imports what ends with `?raw` as the text of that file, as Vite does by itself in tests. */
export const rawText: Plugin = {
  name: 'raw-text',
  load: {
    filter: { id: /\?raw$/ },
    handler: async (id) => ({ code: await readFile(id.replace(/\?raw$/, ''), 'utf8'), moduleType: 'text' }),
  },
};
