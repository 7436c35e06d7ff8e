import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Reporter } from '../../../src/lib/reporter.ts';
import { command } from '../../../src/lib/text/remark.ts';
import { readFolder } from '../../../src/resources/documents/sync/sync-files.ts';
import { createSettings } from '../../../src/settings/settings.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const nobody = { profile: undefined, baseUrl: undefined, insecureHttp: false };

const silent: Reporter = {
  note: () => undefined,
  warn: () => undefined,
  done: () => undefined,
  progress: () => ({ update: () => undefined, stop: () => undefined }),
};

it('leaves a folder of small files at once when it is told to', async () => {
  const folder = join(temporaryDirectory(), 'handbook');
  mkdirSync(folder);
  for (let number = 0; number < 1100; number += 1) writeFileSync(join(folder, `${number}.txt`), 'soup');
  const left = new AbortController();
  const reason = new Error('left');
  let looks = 0;
  const now = (): number => {
    looks += 1;
    if (looks === 1) setImmediate(() => left.abort(reason));
    return 0;
  };
  const context = {
    settings: createSettings({ env: { BOTCTL_CONFIG_DIR: temporaryDirectory() } }, nobody),
    clock: { ...systemClock, now },
    signal: left.signal,
    reporter: silent,
  };
  const byPath = command('docs', 'sync', folder, '--name-by', 'path');
  const input = { nameBy: 'name', asText: [], include: [], exclude: [], checksum: false, byPath } as const;
  await expect(readFolder(context, folder, join(folder, 'ledger'), input)).rejects.toBe(reason);
  expect(looks).toBeLessThan(1100);
});
