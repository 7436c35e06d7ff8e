import { type Actions, parseJson } from '../action.ts';
import { keyNamed } from '../named.ts';
import { deactivateRequest } from '../protocol.ts';

/** What the platform does with a key outside the API. */
export const keyActions: Actions<'/deactivate'> = {
  async '/deactivate'({ service }, { body }) {
    const key = await keyNamed(service, parseJson(deactivateRequest, body).key);
    const { db } = service.store;
    await db.updateTable('api_keys').set({ is_active: false }).where('key_id', '=', key.key_id).execute();
    return { ...key, is_active: false };
  },
};
