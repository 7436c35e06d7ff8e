import { expect, it } from 'vitest';
import { DatabaseError } from '../../src/database/error.ts';
import { databaseFailure } from '../../src/database/failure.ts';
import { Failure } from '../../src/lib/errors.ts';
import { remarkText } from '../../src/lib/text/remark.ts';
import { renderFailure } from '../../src/output/failure.ts';
import { Captured, fakeIo } from '../terminal/support.ts';

const missing = new DatabaseError('database "campaigns" does not exist', '3D000');

function failureOf(address: string): Failure {
  const failure = databaseFailure(missing, new URL(address), 'BOTCTL_DATABASE');
  if (!(failure instanceof Failure)) throw new Error('it is no failure');
  return failure;
}

it.each([
  ['postgres://ana@db.example:5433/campaigns', 'createdb -h db.example -p 5433 -O ana campaigns'],
  ['postgres://db.example/my%20campaigns', 'createdb -h db.example "my campaigns"'],
  ['postgres://ana@[::1]/campaigns', 'createdb -h ::1 -O ana campaigns'],
  ['postgres:///campaigns?host=/run/postgresql', 'createdb -h /run/postgresql campaigns'],
  ['postgres://ana:s3cret-word@db.example/campaigns', 'createdb -h db.example -O ana campaigns'],
])('names the command that creates the database of %s', (address, line) => {
  const { message, hint = '' } = failureOf(address);
  expect(remarkText(hint)).toBe(`An administrator of the server can create it: ${line}`);
  expect(message).not.toContain('s3cret-word');
});

it('prints that command unbroken on a narrower terminal', async () => {
  const stderr = new Captured(40);
  const failure = failureOf('postgres://ana@database-1.internal.example:5433/campaigns');
  await renderFailure(failure, fakeIo({ stderr }), { json: false, debug: false, color: false });
  const line = 'createdb -h database-1.internal.example -p 5433 -O ana campaigns';
  expect(stderr.text.split('\n')).toContain(`  ${line}`);
});
