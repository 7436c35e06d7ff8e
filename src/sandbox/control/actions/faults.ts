import { faultRequest } from '../../faults/fault.ts';
import { type Actions, parseJson } from '../action.ts';
import { clearFaultsRequest, noRequest } from '../protocol.ts';

/** What goes wrong on purpose. */
export const faultActions: Actions<'/fault/add' | '/fault/list' | '/fault/clear'> = {
  '/fault/add': async ({ faults }, { body }) => faults.add(parseJson(faultRequest, body)),
  async '/fault/list'({ faults }, { body }) {
    parseJson(noRequest, body);
    return { faults: faults.list() };
  },
  '/fault/clear': async ({ faults }, { body }) => ({
    cleared: faults.clear(parseJson(clearFaultsRequest, body).ids),
  }),
};
