import { seed } from '../../seed.ts';
import { type Actions, parseJson } from '../action.ts';
import { seedRequest } from '../protocol.ts';

/** What the sandbox holds. */
export const dataActions: Actions<'/seed'> = {
  '/seed': async ({ service }, { body }) => seed(service, parseJson(seedRequest, body)),
};
