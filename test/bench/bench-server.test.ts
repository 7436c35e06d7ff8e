import { expect, it } from 'vitest';
import { findServer } from './bench-server.ts';

it('without a server, one line says what is left out', async () => {
  const notes: string[] = [];
  const what = 'two instances on PostgreSQL';
  expect(await findServer((text) => notes.push(text), what, 'postgres://127.0.0.1:1')).toBeUndefined();
  expect(notes).toEqual([
    expect.stringMatching(
      /^Left out: two instances on PostgreSQL, since there is no server: .*ECONNREFUSED.*$/,
    ),
  ]);
});
