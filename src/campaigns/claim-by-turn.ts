import { withOutcome, withoutRequest, withRequest } from './lane.ts';
import {
  type Claim,
  type Claimed,
  type ClaimOptions,
  type Decision,
  LaneChanged,
  type LaneEntry,
  type LaneOfRun,
  type Offer,
  type Turn,
  type TurnOptions,
} from './running.ts';
import type { CampaignStore } from './store.ts';
import { inTurn } from './turns.ts';

/** A store of an earlier form. */
export interface EarlierStore extends CampaignStore {
  /**
   * Waits for the turn of a device: others who have it have a message on its way. What was on its way when its process died
   * is unknown from then on.
   * @throws Failure where something can't be read or written, or the device is another machine's; the signal's reason
   */
  turn(lane: LaneOfRun, options: TurnOptions): Promise<Turn>;
}

/** Returns `CampaignStore.claim` for a store of an earlier form, which has a turn instead. */
export function claimByTurn(takeTurn: EarlierStore['turn']): CampaignStore['claim'] {
  return async <T>(
    lane: LaneOfRun,
    decide: (offer: Offer) => Decision<T>,
    options: ClaimOptions,
  ): Promise<Claimed<T>> => {
    for (;;) {
      const turn = await takeTurn(lane, options);
      let isReleased = true;
      try {
        const claimed = await claimIn(turn, lane, decide, options);
        isReleased = claimed === undefined || 'instead' in claimed;
        if (claimed) return claimed;
      } catch (error) {
        if (!(error instanceof LaneChanged)) throw error;
      } finally {
        if (isReleased) turn.release();
      }
    }
  };
}

async function claimIn<T>(
  turn: Turn,
  { entries }: LaneOfRun,
  decide: (offer: Offer) => Decision<T>,
  { clock }: ClaimOptions,
): Promise<Claimed<T> | undefined> {
  const waiting = entries.filter((entry) => !entry.campaign.mark && turn.next(entry));
  const [first] = inTurn(turn.lane, waiting);
  const row = first && turn.next(first);
  const next = first && row && { entry: first, row };
  const decision = decide({ lane: turn.lane, now: turn.now(), next, waiting });
  if (JSON.stringify(decision.lane) !== JSON.stringify(turn.lane)) await turn.update(decision.lane);
  if ('instead' in decision) return decision;
  const before = turn.lane;
  const settled = async (entry: LaneEntry | undefined, outcome: Parameters<Claim['settle']>[0]) => {
    const after =
      outcome.event === 'return'
        ? withoutRequest(turn.lane, before)
        : withOutcome(turn.lane, outcome, turn.now(), clock.random());
    try {
      if (entry && row) await turn.settle(entry, row.row, outcome, after);
      else await turn.settleDevice(after);
      return after;
    } finally {
      turn.release();
    }
  };
  if (decision.send === 'test') {
    const [entry] = entries;
    const claim = await turn.claimDevice(withRequest(before, turn.now()));
    if (!claim || !entry) return undefined;
    return {
      claim: {
        entry,
        row: undefined,
        isHeld: () => claim.isHeld(),
        settle: (outcome) => settled(undefined, outcome),
      },
    };
  }
  if (!next) return undefined;
  if (turn.isOptedOut(next.row)) {
    await turn.skip(next.entry, next.row.row, { reason: 'opted_out', because: 'it opted out' });
    return undefined;
  }
  const { entry } = next;
  const claim = await turn.claim(entry, next.row, withRequest(before, turn.now(), entry.campaign.id));
  if (!claim) return undefined;
  return {
    claim: {
      entry,
      row: claim.row,
      isHeld: () => claim.isHeld(),
      settle: (outcome) => settled(entry, outcome),
    },
  };
}
