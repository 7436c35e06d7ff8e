import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Ledger, ledgerPath } from '../../src/documents/sync/ledger.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { type Running, start } from '../support/process.ts';
import { givenSeed } from '../support/properties.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import { shortSettling } from '../support/short-settling.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

const names = Array.from({ length: 20 }, (_, index) => `page-${String(index + 1).padStart(2, '0')}.txt`);
const rounds = 16;
const seed = givenSeed ?? Math.floor(Math.random() * 2 ** 31);

/** The moments at which a run is killed: after this many documents, and some milliseconds later. */
const moments = fc.sample(
  fc.record({
    uploads: fc.integer({ min: 0, max: names.length - 1 }),
    wait: fc.integer({ min: 0, max: 60 }),
  }),
  { seed, numRuns: rounds },
);

/** A folder that is synced to a team, on a separate machine. */
class Place {
  readonly folder = join(temporaryDirectory(), 'handbook');
  readonly env = { ...sandbox.env, ...shortSettling, BOTCTL_CONFIG_DIR: temporaryDirectory() };

  constructor(readonly team: string) {
    mkdirSync(this.folder);
  }

  /** Adds this many lines of another team to its ledger, which is then not written for each file. */
  withLedger(lines: number): this {
    const path = ledgerPath(this.folder, undefined);
    const ledger = Ledger.read(path, this.folder, { origin: sandbox.baseUrl, team: 'another' });
    for (let number = 0; number < lines; number += 1) ledger.put({ path: `${number}.txt`, at: '' });
    ledger.save();
    return this;
  }

  /** Writes every file with a text of the same length in each edition. */
  write(edition: number): void {
    for (const name of names) writeFileSync(join(this.folder, name), `${name}, edition ${edition}\n`);
  }

  sync(...more: readonly string[]): Running {
    const line = ['docs', 'sync', this.folder, '--team', this.team, '-o', 'ndjson', ...more];
    return start(line, { env: this.env });
  }

  /** Kills a run at a moment. */
  async killedAt({ uploads, wait }: { readonly uploads: number; readonly wait: number }): Promise<void> {
    const running = this.sync();
    const begun = (_: string, stderr: string): boolean =>
      stderr.split(/✓ (?:Uploaded|Renamed)/).length > uploads;
    // A run that a fault ends before that counts as killed.
    await running
      .until((stdout, stderr) => / new| changed| renamed/.test(stderr) || begun(stdout, stderr))
      .catch(() => undefined);
    await running.until(begun).catch(() => undefined);
    await sleep(wait);
    running.process.kill('SIGKILL');
    await running.ended;
  }

  /** Returns the names of the team's documents, with duplicates. */
  async stored(): Promise<readonly string[]> {
    const listed = start(['docs', 'list', '--team', this.team, '-o', 'json'], { env: this.env });
    expect(await listed.ended, listed.output.stderr).toBe(0);
    const rows = z.parse(z.array(z.looseObject({ name: z.string() })), JSON.parse(listed.output.stdout));
    return rows.map(({ name }) => name).toSorted();
  }

  /** Expects one document for each file, and one under another name for each earlier edition. */
  async expectWhole(editions: number): Promise<void> {
    const all = await this.stored();
    expect(new Set(all).size, all.join(', ')).toBe(all.length);
    expect(all.filter((name) => !name.includes('until'))).toEqual(names);
    expect(all).toHaveLength(names.length * editions);
    const again = this.sync('--check');
    expect(await again.ended, again.output.stderr).toBe(0);
  }
}

describe(`docs sync, killed, then run again (seed ${seed})`, () => {
  it(`has no duplicate and no missing document, at ${rounds} moments`, async () => {
    for (let round = 0; round < rounds; round += 2) {
      const place = new Place(await service.team(`Team ${round}`)).withLedger(round % 4 === 0 ? 0 : 600);
      // The second time each document replaces another one.
      for (const [edition, moment] of moments.slice(round, round + 2).entries()) {
        place.write(edition);
        await place.killedAt(moment);
        const again = place.sync();
        expect(await again.ended, JSON.stringify({ moment, ...again.output })).toBe(0);
        await place.expectWhole(edition + 1);
      }
      if (round % 4 > 0) continue;
      // Then each file has its first text again, for which a document exists.
      place.write(0);
      await place.killedAt(moments[round] ?? { uploads: 0, wait: 0 });
      const again = place.sync();
      expect(await again.ended, again.output.stderr).toBe(0);
      await place.expectWhole(2);
    }
  });

  it.each<[string, FaultEffect]>([
    ['429', { kind: 'status', status: 429, retry_after: 0 }],
    ['500', { kind: 'status', status: 500 }],
    ['a reset before', { kind: 'reset', when: 'before' }],
    ['a reset after', { kind: 'reset', when: 'after' }],
  ])('has no duplicate and no missing document if uploads fail with %s', async (what, effect) => {
    const place = new Place(await service.team(`Team ${what}`));
    for (const [edition, moment] of moments.slice(0, 2).entries()) {
      place.write(edition);
      await callControl(sandbox.control, '/fault/add', {
        target: 'createDocument',
        effect,
        rate: 0.3,
        seed: `${seed}`,
      });
      await place.killedAt(moment);
      // This run may fail with unknown outcomes, which the next one resolves.
      await place.sync().ended;
      await callControl(sandbox.control, '/fault/clear', {});
      const again = place.sync();
      expect(await again.ended, again.output.stderr).toBe(0);
      await place.expectWhole(edition + 1);
    }
  });
});

describe('docs sync of many files', () => {
  it('uploads nothing for 1,000 unchanged files, and reads the list once and the bot once', async () => {
    const place = new Place(await service.team('Large'));
    await service.call('PATCH', `/teams/${place.team}`, {
      quotas: { bots: 5, accounts: 5, characters: 1_000_000, documents: 1000, members: 5, credits: 5 },
    });
    const bot = await service.createBot(place.team, 'Front desk');
    for (let index = 0; index < 1000; index += 1)
      writeFileSync(join(place.folder, `note-${index}.txt`), `note ${index}`);
    const first = place.sync('--attach', bot, '--concurrency', '8', '--max-new', '1000');
    expect(await first.ended, first.output.stderr).toBe(0);
    const seen = await requestsFromNow(sandbox);
    const second = place.sync('--attach', bot);
    expect(await second.ended, second.output.stderr).toBe(0);
    const operations = (await seen())
      .map(({ operation }) => operation)
      .filter((name) => name !== 'createToken');
    expect(operations).toEqual([...Array.from({ length: 10 }, () => 'listDocuments'), 'getBot']);
  });
});
