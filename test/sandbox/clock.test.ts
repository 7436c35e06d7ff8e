import { join } from 'node:path';
import { expect, it } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { openFile } from '../../src/database/open.ts';
import { openClock } from '../../src/sandbox/clock.ts';
import { schema } from '../../src/sandbox/store/schema.ts';
import type { Tables } from '../../src/sandbox/store/tables.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('does not go back if the clock of the machine is set back, until the sandbox is emptied', async () => {
  const file = join(temporaryDirectory(), 'sandbox.db');
  const database = await openFile<Tables>(file, { isShared: false, user: 'This test' });
  await migrate(database, schema);
  let machine = Date.UTC(2026, 0, 2);
  const clock = await openClock({ ...database, isShared: false }, () => machine);
  const before = clock.now();
  machine -= 3_600_000;
  expect(clock.now()).toEqual(before);
  machine += 3_600_001;
  expect(clock.now().getTime()).toBe(before.getTime() + 1);
  machine -= 3_600_000;
  await clock.reload();
  expect(clock.now().getTime()).toBe(machine);
  await database.close();
});
