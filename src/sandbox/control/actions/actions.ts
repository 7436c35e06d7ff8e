import type { Actions } from '../action.ts';
import { behaviourActions } from './behaviour.ts';
import { botActions } from './bots.ts';
import { clockActions } from './clock.ts';
import { faultActions } from './faults.ts';
import { feedActions } from './feeds.ts';
import { keyActions } from './keys.ts';
import { phoneActions } from './phone.ts';
import { sandboxActions } from './sandbox.ts';

/** The action of every control call. */
export const actions: Actions = {
  ...phoneActions,
  ...botActions,
  ...keyActions,
  ...clockActions,
  ...sandboxActions,
  ...faultActions,
  ...feedActions,
  ...behaviourActions,
};
