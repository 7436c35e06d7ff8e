import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RowState, rowEvents, rowStates, stateAfter } from '../../src/campaigns/row-state.ts';

/** Events that only a user causes. */
const byPerson = new Set(['settle_accepted', 'settle_not_sent', 'retry']);

const history = fc.array(fc.constantFrom(...rowEvents), { maxLength: 30 });

describe('the states of a row', () => {
  it('allow a request once, unless it was not accepted or the user confirms a repetition', () => {
    fc.assert(
      fc.property(history, (events) => {
        let state: RowState = 'planned';
        let mayHaveArrived = false;
        for (const event of events) {
          const next = stateAfter(state, event);
          if (next === undefined) continue;
          if (event === 'claim') expect(mayHaveArrived).toBe(false);
          if (event === 'accept' || event === 'lose') mayHaveArrived = true;
          if (byPerson.has(event)) mayHaveArrived = false;
          state = next;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('keep accepted and skipped rows as they are after any event', () => {
    for (const state of ['accepted', 'skipped'] as const)
      for (const event of rowEvents) expect(stateAfter(state, event)).toBeUndefined();
  });

  it('require the user after a lost response', () => {
    const ways = rowEvents.filter((event) => stateAfter('unknown', event) !== undefined);
    expect(new Set(ways)).toEqual(byPerson);
    const back = rowStates.flatMap((state) =>
      rowEvents.filter((event) => stateAfter(state, event) === 'planned').map((event) => `${state} ${event}`),
    );
    expect(back.toSorted()).toEqual([
      'rejected retry',
      'sending return',
      'unknown retry',
      'unknown settle_not_sent',
    ]);
  });
});
