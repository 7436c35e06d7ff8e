import { exportTo } from '../../export/export-file.ts';
import { seed } from '../../seed.ts';
import { type Actions, parseJson } from '../action.ts';
import { exportRequest, seedRequest } from '../protocol.ts';

/** What the sandbox holds. */
export const dataActions: Actions<'/seed' | '/export'> = {
  '/seed': async ({ service }, { body }) => seed(service, parseJson(seedRequest, body)),

  '/export': async ({ service }, { body, signal }) =>
    exportTo(service, parseJson(exportRequest, body), signal),
};
