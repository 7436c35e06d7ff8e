import { type Actions, parseJson } from '../action.ts';
import { advanceRequest } from '../protocol.ts';

/** The sandbox's time. */
export const clockActions: Actions<'/clock'> = {
  async '/clock'({ service: { clock } }, { body }) {
    await clock.advance(parseJson(advanceRequest, body).milliseconds);
    return { now: clock.now().toISOString() };
  },
};
