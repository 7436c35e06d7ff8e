/**
 * One case of counting in its own process: botctl's counter, or the library that reads the format without anything
 * around it. Each counts a small file first, so that modules loaded once are not measured. Prints a `Sample` as JSON.
 *
 *     documents-case.cjs ours|library SMALL LARGE
 */
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { SaxesParser } from 'saxes';
import { getDocumentProxy } from 'unpdf';
import { openPromise } from 'yauzl';
import { FileCounter } from '../../src/documents/count/count.ts';
import { timed } from './timed.ts';

type Count = (path: string) => Promise<number>;

const library: Readonly<Record<string, Count>> = {
  async '.pdf'(path) {
    const pdf = await getDocumentProxy(new Uint8Array(await readFile(path)), { verbosity: 0 });
    let length = 0;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number);
      for (const item of (await page.getTextContent()).items) if ('str' in item) length += item.str.length;
      page.cleanup();
    }
    return length;
  },
  async '.docx'(path) {
    const zip = await openPromise(path, { lazyEntries: true });
    let length = 0;
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== 'word/document.xml') continue;
      const parser = new SaxesParser();
      parser.on('text', (text) => {
        length += text.length;
      });
      const decoder = new TextDecoder();
      for await (const bytes of await zip.openReadStreamPromise(entry))
        parser.write(decoder.decode(bytes, { stream: true }));
      parser.close();
    }
    return length;
  },
};

async function measure([side, small = '', large = '']: readonly string[]): Promise<unknown> {
  const counter = new FileCounter();
  const ours: Count = async (path) => (await counter.count(path)).chars;
  const count = side === 'ours' ? ours : library[extname(large)];
  if (!count) throw new Error(`no library for ${large}`);
  await count(small);
  try {
    return await timed(async () => {
      if ((await count(large)) === 0) throw new Error('nothing was counted');
    });
  } finally {
    await counter.close();
  }
}

measure(process.argv.slice(2)).then(
  (sample) => process.stdout.write(`${JSON.stringify(sample)}\n`),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
  },
);
