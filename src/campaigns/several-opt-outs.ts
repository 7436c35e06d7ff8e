import type { CampaignRow } from './campaign.ts';
import type { OptOut, OptOuts } from './opt-outs.ts';
import type { CampaignStore } from './store/campaign-store.ts';

/** Further lists of opt-outs that a store respects besides its own. */
export interface OtherOptOuts {
  /** Opens the lists of a service. @throws Failure if one can't be opened: a number would be missing */
  open(baseUrl: string): Promise<readonly OptOuts[]>;
  /** Called before opt-outs are first read. @param own the list of the store */
  onFirstRead?(own: OptOuts, baseUrl: string): Promise<void>;
}

/**
 * Returns a store that also respects further lists of opt-outs: it sends nothing to a number that is in any of them.
 */
export function withOtherOptOuts(store: CampaignStore, others: OtherOptOuts): CampaignStore {
  let looked: Promise<void> | undefined;
  const look = async (baseUrl: string): Promise<void> => {
    looked ??= others.onFirstRead?.(store.optOuts(baseUrl), baseUrl);
    await looked?.catch((error: unknown) => {
      looked = undefined;
      throw error;
    });
  };
  return {
    ...store,
    optOuts(baseUrl) {
      return mergeOptOuts(
        store.optOuts(baseUrl),
        () => others.open(baseUrl),
        () => look(baseUrl),
      );
    },
    async claim(queue, decide, options) {
      const { origin } = queue.key;
      await look(origin);
      for (;;) {
        const claimed = await store.claim(queue, decide, options);
        if ('instead' in claimed || !claimed.claim.row) return claimed;
        const { entry, row, settle } = claimed.claim;
        let isListed = true;
        try {
          isListed = await isOptedOut(await others.open(origin), row);
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
 * Returns several lists as one. A number is added to the list of the store only, and removed from all of them.
 * @param look is called before opt-outs are read
 */
function mergeOptOuts(
  own: OptOuts,
  others: () => Promise<readonly OptOuts[]>,
  look: () => Promise<void>,
): OptOuts {
  return {
    async *list() {
      await look();
      const all = [own, ...(await others())];
      for (const [at, one] of all.entries()) {
        for await (const page of one.list()) {
          const numbers = page.map(({ number }) => number);
          const earlier = await filterByAll(all.slice(0, at), numbers);
          yield page.filter(({ number }) => !earlier.has(number));
        }
      }
    },
    async filterOptedOut(numbers) {
      await look();
      return filterByAll([own, ...(await others())], numbers);
    },
    async find(digits) {
      await look();
      return (await own.find(digits)) ?? findFirst(await others(), digits);
    },
    add: (numbers) => own.add(numbers),
    async remove(digits) {
      let removed: OptOut | undefined;
      // The store's own list comes last: if another list can't be written, the number stays opted out here.
      for (const one of [...(await others()).toReversed(), own])
        if (await one.find(digits)) removed = (await one.remove(digits)) ?? removed;
      return removed;
    },
  };
}

async function filterByAll(
  lists: readonly OptOuts[],
  numbers: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await Promise.all(lists.map((list) => list.filterOptedOut(numbers)));
  return new Set(found.flatMap((some) => [...some]));
}

async function isOptedOut(lists: readonly OptOuts[], { to }: CampaignRow): Promise<boolean> {
  return to !== undefined && (await findFirst(lists, to)) !== undefined;
}

async function findFirst(lists: readonly OptOuts[], digits: string): Promise<OptOut | undefined> {
  for (const one of lists) {
    const found = await one.find(digits);
    if (found) return found;
  }
  return undefined;
}
