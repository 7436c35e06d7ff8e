import type { CampaignRow } from './campaign.ts';
import type { OptOut, OptOuts } from './opt-outs.ts';
import type { LaneOfRun, Turn } from './running.ts';
import type { CampaignStore } from './store.ts';

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
    async turn(lane, options) {
      const { origin } = lane.key;
      await look(origin);
      const turn = await store.turn(lane, options);
      try {
        return await turnBy(others.of(origin), turn, lane);
      } catch (error) {
        turn.release();
        throw error;
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
    async remove(digits, at) {
      let removed: OptOut | undefined;
      // Its own list comes last: where another one can't be written, nothing was said to be gone.
      for (const one of all.toReversed())
        if (await one.find(digits)) removed = (await one.remove(digits, at)) ?? removed;
      return removed;
    },
  };
}

async function amongAll(lists: readonly OptOuts[], numbers: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(lists.map((list) => list.among(numbers)));
  return new Set(found.flatMap((some) => [...some]));
}

/** Returns a turn in which rows whose numbers are in one of the lists are not sent. */
async function turnBy(lists: readonly OptOuts[], turn: Turn, { entries }: LaneOfRun): Promise<Turn> {
  const isListed = async ({ to }: CampaignRow): Promise<boolean> => {
    if (to === undefined) return false;
    for (const one of lists) if (await one.find(to)) return true;
    return false;
  };
  const listed = new Set<string | undefined>();
  for (const entry of entries) {
    const row = turn.next(entry);
    if (row && (await isListed(row))) listed.add(row.to);
  }
  return {
    get lane() {
      return turn.lane;
    },
    now: () => turn.now(),
    next: (entry) => turn.next(entry),
    isOptedOut: (row) => turn.isOptedOut(row) || listed.has(row.to),
    update: (lane) => turn.update(lane),
    skip: (entry, row, why) => turn.skip(entry, row, why),
    claim: async (entry, row, lane) => ((await isListed(row)) ? undefined : turn.claim(entry, row, lane)),
    settle: (entry, row, outcome, lane) => turn.settle(entry, row, outcome, lane),
    claimDevice: (lane) => turn.claimDevice(lane),
    settleDevice: (lane) => turn.settleDevice(lane),
    release: () => turn.release(),
  };
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
    remove: async (digits, at) => (await open()).remove(digits, at),
  };
}
