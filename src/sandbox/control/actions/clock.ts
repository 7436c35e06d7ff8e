import type { SandboxClock } from '../../clock.ts';
import { type Actions, parseJson } from '../action.ts';
import { type ClockRequest, clockRequest } from '../protocol.ts';

/** The sandbox's time. */
export const clockActions: Actions<'/clock'> = {
  async '/clock'({ service: { clock } }, { body }) {
    const changed = await change(clock, parseJson(clockRequest, body));
    return { now: clock.now().toISOString(), frozen: clock.isFrozen, changed };
  },
};

/** Returns false where nothing changed. */
async function change(clock: SandboxClock, request: ClockRequest): Promise<boolean> {
  if (request.action === 'freeze') return clock.freeze();
  if (request.action === 'resume') return clock.resume();
  if (request.action === 'advance') await clock.advance(request.milliseconds);
  else await clock.set(new Date(request.time));
  return true;
}
