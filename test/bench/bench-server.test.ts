import { expect, it } from 'vitest';
import { findServer } from './bench-server.ts';

it('without a server, one line says what of the service is left out', async () => {
  const notes: string[] = [];
  expect(await findServer((text) => notes.push(text), 'postgres://127.0.0.1:1')).toBeUndefined();
  expect(notes).toEqual([
    expect.stringMatching(/^Left out: PostgreSQL beside PGlite, two instances, .*ECONNREFUSED.*$/),
  ]);
});
