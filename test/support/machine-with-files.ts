import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { logText } from '../../src/lib/files/append-log.ts';
import { botctl, type Ran, temporaryDirectory } from './botctl.ts';
import type { UsedSandbox } from './sandbox.ts';

const ids = ['a', 'b', 'c', 'd'].map((digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`);
const [reception = '', lobby = '', gone = '', lost = ''] = ids;
const seen_at = '2026-01-01T00:00:00.000Z';

/** The ids of the devices in `localBook`. */
export const localIds = { reception, lobby, gone };

/** Returns the time an hour ago, for which a desk stores events. */
export const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

/** The report of `desk migrate`, with its messages in one line. */
interface MoveReport {
  readonly devices: number;
  readonly events: number;
  readonly tables: string;
  readonly stderr: string;
}

/** Returns a machine that has files of its own and names the database of a desk. */
export function machineWithFiles(sandbox: UsedSandbox, url: string, home = temporaryDirectory()) {
  const data = join(home, 'data');
  const files = { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
  const env = { ...files, BOTCTL_DESK_DATABASE: url };
  const run = (...line: readonly string[]): Promise<Ran> => botctl(line, { env });
  return {
    ...{ home, data, files, env, run },
    /** Migrates the files to the desk. */
    move: async (...more: readonly string[]): Promise<MoveReport> => {
      const ran = await run('desk', 'migrate', '--yes', '-o', 'json', ...more);
      expect(ran.exitCode, ran.stderr).toBe(0);
      return { ...JSON.parse(ran.stdout), stderr: ran.stderr.replaceAll(/\s+/g, ' ') };
    },
    /** Writes the files, as a machine without a desk does. */
    write: async (book: readonly object[], history: readonly object[] = []) => {
      await botctl(['device', 'add', lost, '--offline'], { env: files });
      const origin = sandbox.baseUrl;
      const lines = (records: readonly object[]): string =>
        logText(records.map((record) => ({ origin, ...record })));
      writeFileSync(join(data, 'devices.ndjson'), lines(book));
      if (history.length > 0) writeFileSync(join(data, 'device-history.ndjson'), lines(history));
    },
    /** Returns the names of the files, including renamed ones. */
    names: () =>
      readdirSync(data)
        .filter((name) => /^device.*ndjson/.test(name))
        .toSorted(),
    /** Returns the devices that it lists. */
    list: async () => JSON.parse((await run('device', 'list', '-o', 'json')).stdout),
  };
}

/** Records of a device book: two devices, a forgotten one, and a create without an answer. */
export const localBook = [
  { id: reception, name: 'Reception', team_id: lobby, team_name: 'Aurora', seen_at },
  { id: lobby, name: 'Lobby', seen_at },
  { id: gone, name: 'Gone', seen_at },
  { id: gone, forgotten_at: '2026-02-01T00:00:00.000Z', tombstone: true },
  { intent: 'k', name: 'Counter', team_id: lobby, begun_at: seen_at },
];

/** Events, two of which are migrated. */
export const localHistory = () => [
  { id: reception, at: hourAgo(), event: 'connected', phone_number: '+5511911112222' },
  { id: reception, at: hourAgo(), event: 'lost', reason: 'banned', by: 'Bruno', from: 'front-9' },
  { id: lobby, at: hourAgo(), event: 'not_found' },
  { id: lobby, at: '2020-01-01T00:00:00.000Z', event: 'lost' },
];
