import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { TestDatabase } from '../support/database-server.ts';
import { createDesk } from '../support/desk.ts';
import { watchFileCalls } from '../support/file-calls.ts';
import { localBook, localHistory, machineWithFiles } from '../support/machine-with-files.ts';
import { start } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const move = ['desk', 'migrate', '--yes'];
const moved = expect.stringContaining('.moved-');

let desk: TestDatabase;
beforeEach(async () => {
  desk = await createDesk();
});

async function machine(url = desk.url) {
  onTestFinished(desk.drop);
  const ana = machineWithFiles(sandbox, url);
  await ana.write(localBook, localHistory());
  return ana;
}

const rows = () =>
  desk.run(
    'select (select count(*)::int from book_records) as records, (select count(*)::int from history) as events',
  );
const allRows = [{ records: 4, events: 2 }];

describe('a move that breaks off', () => {
  it.each([
    ['the first', 1, ['device-history.ndjson', 'devices.ndjson'], 'This machine has 2 devices and 3 events'],
    ['the second', 2, ['device-history.ndjson', moved], 'This machine has 0 devices and 3 events'],
  ] as const)(
    'is completed by the next one if the process is killed before %s file is renamed',
    async (_which, killedAtReplace, names, refusal) => {
      const ana = await machine();
      const { env } = watchFileCalls(join(realpathSync(ana.data), 'devices.ndjson'), { killedAtReplace });
      expect(await start(move, { env: { ...ana.env, ...env } }).ended).toBe('SIGKILL');
      expect(ana.names().filter((name) => !name.endsWith('.lock'))).toEqual(names);
      expect(await rows()).toEqual(allRows);
      const refused = await ana.run('device', 'list');
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(refusal);
      expect(await ana.move()).toMatchObject({ devices: 0, events: 0 });
      expect(ana.names()).toEqual([moved, moved]);
      expect(await rows()).toEqual(allRows);
      expect(await ana.list()).toMatchObject([{ name: 'Reception' }, { name: 'Lobby' }]);
    },
  );
});
