import { createKey, deleteKey } from '../../routes/keys.ts';
import { type Actions, parseJson } from '../action.ts';
import { keyNamed } from '../named.ts';
import { createKeyRequest, deactivateRequest, deleteKeyRequest } from '../protocol.ts';

/** What the platform does with a key outside the API. */
export const keyActions: Actions<'/key/create' | '/key/delete' | '/deactivate'> = {
  '/key/create': async ({ service }, { body }) => createKey(service, parseJson(createKeyRequest, body)),

  async '/key/delete'({ service }, { body }) {
    const { key_id } = parseJson(deleteKeyRequest, body);
    await deleteKey(service, key_id);
    return { key_id };
  },

  async '/deactivate'({ service }, { body }) {
    const key = await keyNamed(service, parseJson(deactivateRequest, body).key);
    const { db } = service.store;
    await db.updateTable('api_keys').set({ is_active: false }).where('key_id', '=', key.key_id).execute();
    return { ...key, is_active: false };
  },
};
