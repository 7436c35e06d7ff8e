import type { CampaignRow } from './campaign.ts';
import type { OptOut, OptOuts } from './opt-outs.ts';
import type { CampaignStore } from './store/campaign-store.ts';

/** Lists of opt-outs that a store goes by beside its own. */
export interface OtherOptOuts {
  /** Returns the lists of a service. */
  of(baseUrl: string): readonly OptOuts[];
  /** Is told before the first look at who opted out. @param own the list of the store */
  onFirstLook?(own: OptOuts, baseUrl: string): Promise<void>;
}

/** Returns a store that goes by further lists of opt-outs too: who is in any of them is not written to. */
export function withOtherOptOuts(store: CampaignStore, others: OtherOptOuts): CampaignStore {
  let looked: Promise<void> | undefined;
  const look = async (baseUrl: string): Promise<void> => {
    looked ??= others.onFirstLook?.(store.optOuts(baseUrl), baseUrl);
    await looked?.catch((error: unknown) => {
      looked = undefined;
      throw error;
    });
  };
  return {
    ...store,
    optOuts: (baseUrl) => united(store.optOuts(baseUrl), others.of(baseUrl), () => look(baseUrl)),
    async claim(lane, decide, options) {
      const { origin } = lane.key;
      await look(origin);
      for (;;) {
        const claimed = await store.claim(lane, decide, options);
        if ('instead' in claimed || !claimed.claim.row) return claimed;
        const { entry, row, settle } = claimed.claim;
        let isListed = true;
        try {
          isListed = await isIn(others.of(origin), row);
        } finally {
          if (isListed) await settle({ event: 'return' });
        }
        if (!isListed) return claimed;
        const at = new Date(options.clock.now()).toISOString();
        const skip = {
          row: row.row,
          at,
          event: 'skip',
          reason: 'opted_out',
          because: 'it opted out',
        } as const;
        await store.record(entry.campaign.campaign, [skip]);
      }
    },
  };
}

/**
 * Returns several lists as one. What is added goes into the list of the store, and what is removed leaves all of them.
 * @param look is done before each look at who opted out
 */
function united(own: OptOuts, others: readonly OptOuts[], look: () => Promise<void>): OptOuts {
  const all = [own, ...others];
  const find: OptOuts['find'] = async (digits) => {
    for (const one of all) {
      const found = await one.find(digits);
      if (found) return found;
    }
    return undefined;
  };
  return {
    async *list() {
      await look();
      for (const [at, one] of all.entries()) {
        for await (const page of one.list()) {
          const numbers = page.map(({ number }) => number);
          const earlier = await amongAll(all.slice(0, at), numbers);
          yield page.filter(({ number }) => !earlier.has(number));
        }
      }
    },
    async among(numbers) {
      await look();
      return amongAll(all, numbers);
    },
    async find(digits) {
      await look();
      return find(digits);
    },
    add: (numbers) => own.add(numbers),
    async remove(digits) {
      let removed: OptOut | undefined;
      // Its own list comes last: where another one can't be written, nothing was said to be gone.
      for (const one of all.toReversed())
        if (await one.find(digits)) removed = (await one.remove(digits)) ?? removed;
      return removed;
    },
  };
}

async function amongAll(lists: readonly OptOuts[], numbers: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(lists.map((list) => list.among(numbers)));
  return new Set(found.flatMap((some) => [...some]));
}

async function isIn(lists: readonly OptOuts[], { to }: CampaignRow): Promise<boolean> {
  if (to === undefined) return false;
  for (const one of lists) if (await one.find(to)) return true;
  return false;
}

/** Returns opt-outs that are opened when they are looked at or changed. */
export function laterOptOuts(open: () => Promise<OptOuts>): OptOuts {
  return {
    async *list() {
      yield* (await open()).list();
    },
    among: async (numbers) => (await open()).among(numbers),
    find: async (digits) => (await open()).find(digits),
    add: async (numbers) => (await open()).add(numbers),
    remove: async (digits) => (await open()).remove(digits),
  };
}
