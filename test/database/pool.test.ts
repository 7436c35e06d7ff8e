import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { databaseFailure } from '../../src/database/failure.ts';
import { statementsForBoth } from '../../src/database/migrate.ts';
import { serverPool } from '../../src/database/pool.ts';
import { migrateServerDatabase } from '../../src/database/server-database.ts';

// A scripted server implements only the part of PostgreSQL's protocol that refuses TLS.

describe('a server without TLS', () => {
  it.each(['require', 'verify-ca', 'verify-full'])(
    'is refused if TLS is required, with only our message: %s',
    async (mode) => {
      const server = createServer((socket) => void socket.once('data', () => socket.end('N')));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const warnings: Error[] = [];
      const hear = (warning: Error): void => void warnings.push(warning);
      process.on('warning', hear);
      onTestFinished(() => void process.off('warning', hear));
      const { port } = z.parse(z.object({ port: z.number() }), server.address());
      const url = new URL(`postgres://ana@127.0.0.1:${port}/x?sslmode=${mode}`);
      const pool = serverPool(url, undefined, 'short');
      const refused = await pool.connect().catch((error: unknown) => error);
      expect(databaseFailure(refused, new URL('postgres://host/x'), 'X')).toMatchObject({
        exitCode: 8,
        message: expect.stringContaining('does not support SSL'),
        hint: expect.stringContaining('sslmode=disable'),
      });
      await pool.end();
      expect(warnings).toEqual([]);
    },
  );
});

it('a missing certificate file is reported with the address', async () => {
  const pool = serverPool(new URL('postgres://127.0.0.1:1/x?sslrootcert=/no/such/file'), undefined, 'short');
  const refused = await pool.connect().catch((error: unknown) => error);
  expect(databaseFailure(refused, new URL('postgres://host/x'), 'X')).toMatchObject({
    message: expect.stringContaining('/no/such/file'),
    hint: expect.stringContaining('sslrootcert=FILE'),
  });
  await pool.end();
});

describe('a server that never responds', () => {
  const message = (type: string, body: string): Buffer => {
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, Buffer.from(body, 'latin1')]);
  };
  const ready = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]);
  const notices = Buffer.concat(Array(2000).fill(message('N', 'SNOTICE\0C00000\0Mhello\0\0')));

  it.each([
    ['to a connection', false, false],
    ['to a connection, and sends notices', false, true],
    ['to a statement', true, false],
    ['to a statement, and sends notices', true, true],
  ])('%s is abandoned when a signal is aborted', async (_, isReady, isLoud) => {
    const server = createServer((socket) => {
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => undefined);
      socket.once('data', () => {
        if (isReady) socket.write(ready);
        if (!isLoud) return;
        const flood = (): void => void (socket.writable && socket.write(notices));
        socket.on('drain', flood);
        flood();
        flood();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = z.parse(z.object({ port: z.number() }), server.address());
    const abort = new AbortController();
    const schema = {
      ...{ needs: 'notes need', ownDatabase: 'Give notes a database.', variable: 'NOTES_DATABASE' },
      ...{ create: statementsForBoth(''), migrations: { '001_notes': undefined } },
    };
    const address = { url: new URL(`postgres://ana@127.0.0.1:${port}/x`) };
    const migrating = migrateServerDatabase(address, schema, [], abort.signal);
    const reason = new Error('interrupted');
    const begun = performance.now();
    setTimeout(() => abort.abort(reason), 300);
    await expect(migrating).rejects.toBe(reason);
    expect(performance.now() - begun).toBeLessThan(3000);
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });
});
