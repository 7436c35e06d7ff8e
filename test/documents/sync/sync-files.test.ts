import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { readFolder } from '../../../src/documents/sync/sync-files.ts';
import type { Reporter } from '../../../src/lib/reporter.ts';
import { command } from '../../../src/lib/text/remark.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const silent: Reporter = {
  note: () => undefined,
  warn: () => undefined,
  done: () => undefined,
  progress: () => ({ update: () => undefined, stop: () => undefined }),
};

it('stops reading a folder of small files at once when it is aborted', async () => {
  const folder = join(temporaryDirectory(), 'handbook');
  mkdirSync(folder);
  const count = 1100;
  for (let number = 0; number < count; number += 1) writeFileSync(join(folder, `${number}.txt`), 'soup');
  const left = new AbortController();
  const reason = new Error('left');
  let looks = 0;
  // Called once for each file that is found, and once for each that is hashed.
  vi.spyOn(left.signal, 'throwIfAborted').mockImplementation(() => {
    looks += 1;
    if (looks === count + 1) setImmediate(() => left.abort(reason));
    if (left.signal.aborted) throw reason;
  });
  const context = { signal: left.signal, reporter: silent };
  const byPath = command('docs', 'sync', folder, '--name-by', 'path');
  const input = { nameBy: 'name', asText: [], include: [], exclude: [], byPath } as const;
  await expect(readFolder(context, folder, join(folder, 'ledger'), input)).rejects.toBe(reason);
  expect(looks).toBeLessThan(2 * count);
});
