import { randomUUID } from 'node:crypto';
import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import { connectDesk } from '../../src/desk/connect.ts';
import { deskFiles } from '../../src/desk/desk-files.ts';
import { flushOutbox } from '../../src/desk/flush-outbox.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { createDesk } from '../support/desk.ts';

it('sends 200 waiting events of 200 devices with a few statements', async () => {
  const database = await createDesk();
  const url = new URL(database.url);
  const connected = await connectDesk(
    { url, password: undefined },
    { patience: 'brief', warn: () => undefined },
  );
  let statements = 0;
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const desk = { ...connected, db: connected.db.withPlugin(counting) };
  const { copy, outbox } = deskFiles(temporaryDirectory(), url, new AbortController().signal);
  await outbox.add(
    ...Array.from({ length: 200 }, () => ({
      kind: 'event' as const,
      id: randomUUID(),
      at: new Date().toISOString(),
      event: { origin: 'https://a.example', device: randomUUID(), event: 'connected' },
    })),
  );
  const context = { copy, outbox, actor: { by: 'Ana', host: 'front-1' }, pull: async () => undefined };
  expect(await flushOutbox(desk, context, Date.now)).toEqual({ added: 200, refused: [] });
  expect(statements).toBeLessThan(10);
  expect(outbox.entries()).toEqual([]);
  await connected.close();
});
