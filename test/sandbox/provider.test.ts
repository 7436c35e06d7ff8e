import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BodyOf } from '../../src/contract/endpoints.ts';
import { openClock } from '../../src/sandbox/clock.ts';
import { createNetwork } from '../../src/sandbox/messaging-network.ts';
import { createProvider, type Provider } from '../../src/sandbox/provider.ts';
import { handlers } from '../../src/sandbox/routes/routes.ts';
import { ownLists, type Service } from '../../src/sandbox/service.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import { tokenSecretOf } from '../../src/sandbox/tokens.ts';
import { teamBody } from './samples.ts';

/** A provider that remembers what it holds, as the real one does. */
function rememberingProvider(): Provider & { readonly held: Set<string> } {
  const { createAssistant, createVectorStore, uploadFile } = createProvider();
  const held = new Set<string>();
  const remember = async (made: Promise<string>): Promise<string> => {
    held.add(await made);
    return made;
  };
  const forget = async (id: string): Promise<void> => {
    if (!held.delete(id)) throw new Error(`the provider has no ${id}`);
  };
  return {
    held,
    createAssistant: () => remember(createAssistant()),
    createVectorStore: () => remember(createVectorStore()),
    uploadFile: () => remember(uploadFile()),
    deleteAssistant: forget,
    deleteFile: forget,
    deleteVectorStore: forget,
  };
}

let home: string;
let service: Service;
let provider: ReturnType<typeof rememberingProvider>;
let teamId: string;

const unnecessary = { query: {}, file: undefined, keyId: 'key', requestId: 'request' };

async function createBot(bot: Partial<BodyOf<'createBot'>> = {}) {
  const body = { team_id: teamId, name: 'Front desk', ...bot };
  return (await handlers.createBot(service, { ...unnecessary, path: {}, body })).data;
}

async function createDocument(): Promise<string> {
  const now = service.clock.now();
  const id = randomUUID();
  const row = {
    name: 'a.txt',
    name_folded: 'a.txt',
    type: 'txt',
    size: 1,
    provider_id: id,
    extension: 'txt',
    chars: 1,
  };
  await service.store.db
    .insertInto('documents')
    .values({ id, team_id: teamId, ...row, created_at: now, updated_at: now })
    .execute();
  return id;
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'botctl-provider-'));
  const store = await openStore(home);
  const clock = await openClock(store, Date.now);
  const network = createNetwork(store, clock, { secret: Buffer.alloc(32), phone: 'manual' });
  provider = rememberingProvider();
  service = {
    baseUrl: 'http://127.0.0.1',
    store,
    clock,
    provider,
    network,
    tokenSecret: await tokenSecretOf(Buffer.alloc(32)),
    lists: ownLists,
  };
});
beforeEach(async () => {
  provider.held.clear();
  const body = teamBody({ quotas: { bots: 2 } });
  teamId = (await handlers.createTeam(service, { ...unnecessary, path: {}, body })).data.team.id;
});
afterAll(async () => {
  await service?.store.close();
  rmSync(home, { recursive: true, force: true });
});

describe('at the provider', () => {
  it('a bot has an assistant, and with documents a vector store; both go with it', async () => {
    const plain = await createBot();
    const informed = await createBot({ document_ids: [await createDocument()] });
    expect(provider.held).toEqual(new Set([plain.provider_id, informed.provider_id, informed.vector_id]));
    await handlers.deleteBot(service, { ...unnecessary, path: { id: informed.id }, body: undefined });
    expect(provider.held).toEqual(new Set([plain.provider_id]));
    await handlers.deleteBot(service, { ...unnecessary, path: { id: plain.id }, body: undefined });
    expect(provider.held).toEqual(new Set());
  });

  it('nothing is left of a bot that was refused', async () => {
    await expect(createBot({ document_ids: [randomUUID()] })).rejects.toThrow('document');
    await createBot();
    await createBot();
    const before = new Set(provider.held);
    await expect(createBot()).rejects.toThrow('quota');
    expect(provider.held).toEqual(before);
  });

  it('nothing is left of what was made before the rest failed', async () => {
    const failing: Service = {
      ...service,
      provider: { ...provider, createVectorStore: () => Promise.reject(new Error('the provider is down')) },
    };
    const body = { team_id: teamId, name: 'x', document_ids: [await createDocument()] };
    const made = handlers.createBot(failing, { ...unnecessary, path: {}, body });
    await expect(made).rejects.toThrow('the provider is down');
    expect(provider.held).toEqual(new Set());
    const { data } = await handlers.listBots(service, {
      ...unnecessary,
      path: {},
      query: { team_id: teamId },
      body: undefined,
    });
    expect(data.bots).toEqual([]);
  });

  it('a document has a file, and nothing is left of one that was refused or not kept', async () => {
    const path = join(home, 'a.txt');
    const upload = async (chars: number) => {
      const file = { path, name: 'a.txt', size: 4 };
      const call = { ...unnecessary, path: {}, body: { team_id: teamId, chars }, file };
      return (await handlers.createDocument(service, call)).data;
    };
    writeFileSync(path, 'text');
    await expect(upload(2 ** 40)).rejects.toThrow('quota');
    const kept = await upload(4);
    expect(provider.held).toEqual(new Set([kept.provider_id]));
    // Its file has been moved, so that a second one can't be.
    await expect(upload(4)).rejects.toThrow('ENOENT');
    expect(provider.held).toEqual(new Set([kept.provider_id]));
  });
});
