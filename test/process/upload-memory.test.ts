import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const mebibyte = 1024 * 1024;
const preload = fileURLToPath(new URL('../support/peak-memory.cjs', import.meta.url));

/**
 * Uploads a text of this many MiB, which is counted during the upload. Returns the peak memory of the whole program in
 * bytes.
 */
async function peakOf(team: string, size: number): Promise<number> {
  const directory = temporaryDirectory();
  const [file, peak] = [join(directory, `${size}.txt`), join(directory, 'peak')];
  const piece = 'Opening hours: 9–17 h.\n'.padEnd(mebibyte - 2, 'word ');
  writeFileSync(file, '');
  for (let written = 0; written < size; written += 1) appendFileSync(file, piece);
  const env = { ...sandbox.env, NODE_OPTIONS: `--require ${preload}`, PEAK_FILE: peak };
  const running = start(['docs', 'upload', file, '--team', team, '-o', 'ndjson'], { env });
  expect(await running.ended, running.output.stderr).toBe(0);
  expect(JSON.parse(running.output.stdout)).toMatchObject({ size: Buffer.byteLength(piece) * size });
  return Number(readFileSync(peak, 'utf8'));
}

describe('docs upload', () => {
  it('uses less than 30 MiB more memory for 256 MiB than for 1 MiB', async () => {
    const team = await service.team('Large');
    await service.call('PATCH', `/teams/${team}`, {
      quotas: { bots: 5, accounts: 5, characters: 1_000_000_000, documents: 10, members: 5, credits: 5 },
    });
    const small = await peakOf(team, 1);
    const large = await peakOf(team, 256);
    expect((large - small) / mebibyte).toBeLessThan(30);
  });
});
