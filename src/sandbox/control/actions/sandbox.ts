import { version } from '../../../lib/version.ts';
import { seed } from '../../seed.ts';
import type { Store } from '../../store/store.ts';
import { type Actions, type Controlled, parseJson } from '../action.ts';
import { type SandboxCounts, type SandboxState, seedRequest } from '../protocol.ts';

/** The sandbox as a whole. */
export const sandboxActions: Actions<'/status' | '/reset' | '/seed' | '/stop'> = {
  '/status': async (controlled) => stateOf(controlled),

  async '/reset'(controlled) {
    await controlled.reset();
    return stateOf(controlled);
  },

  '/seed': async ({ service }, { body }) => seed(service, parseJson(seedRequest, body)),

  async '/stop'({ about: { data }, stop }) {
    // It waits for the answer to go out.
    void stop().catch(() => undefined);
    return { data, pid: process.pid };
  },
};

async function stateOf({ service, about }: Controlled): Promise<SandboxState> {
  const { baseUrl, clock, store } = service;
  return {
    data: about.data,
    database: about.database,
    base_url: baseUrl,
    pid: process.pid,
    version,
    started_at: about.startedAt.toISOString(),
    now: clock.now().toISOString(),
    frozen: clock.isFrozen,
    phone: about.phone,
    log: about.log,
    ...(await contentsOf(store, about.keyId)),
  };
}

async function contentsOf(
  { db }: Store,
  firstKey: string,
): Promise<SandboxCounts & Pick<SandboxState, 'key_id'>> {
  const countOf = async (table: keyof SandboxCounts): Promise<number> => {
    const { total } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('total'))
      .executeTakeFirstOrThrow();
    return Number(total);
  };
  const key = await db
    .selectFrom('api_keys')
    .select('key_id')
    .where('key_id', '=', firstKey)
    .executeTakeFirst();
  return {
    teams: await countOf('teams'),
    bots: await countOf('bots'),
    documents: await countOf('documents'),
    devices: await countOf('devices'),
    messages: await countOf('messages'),
    key_id: key?.key_id ?? null,
  };
}
