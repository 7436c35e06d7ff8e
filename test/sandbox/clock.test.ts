import { Kysely, PostgresDialect } from 'kysely';
import { expect, it } from 'vitest';
import { PlainSession } from '../../src/database/session.ts';
import { openClock } from '../../src/sandbox/clock.ts';
import type { Tables } from '../../src/sandbox/store/tables.ts';

/** A session of a database in which nobody has set the clock. */
class Session extends PlainSession {
  protected async run() {
    return { command: 'SELECT', rowCount: 1, rows: [{ time: 0, value: null }] };
  }

  release(): void {}
}

it('stays where it was while the clock of the machine is put back, until the sandbox is emptied', async () => {
  const pool = { connect: async () => new Session(), end: async () => undefined };
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  let machine = Date.UTC(2026, 0, 2);
  const clock = await openClock({ db, isShared: false, lock: async () => undefined }, () => machine);
  const before = clock.now();
  machine -= 3_600_000;
  expect(clock.now()).toEqual(before);
  machine += 3_600_001;
  expect(clock.now().getTime()).toBe(before.getTime() + 1);
  machine -= 3_600_000;
  await clock.reload();
  expect(clock.now().getTime()).toBe(machine);
});
