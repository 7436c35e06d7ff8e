import { command, remark } from '../../../lib/text/remark.ts';
import { type Actions, parseJson } from '../action.ts';
import { ControlProblem } from '../problem.ts';
import { deactivateRequest } from '../protocol.ts';

/** What the platform does with a key outside the API. */
export const keyActions: Actions<'/deactivate'> = {
  async '/deactivate'({ service }, { body }) {
    const { db } = service.store;
    const { key: named } = parseJson(deactivateRequest, body);
    const found = await db
      .selectFrom('api_keys')
      .select(['key_id', 'name'])
      .where((key) => key.or([key('key_id', '=', named), key('name', '=', named)]))
      .execute();
    const [only, ...others] = found;
    if (!only) {
      const list = command('keys', 'list');
      throw new ControlProblem(404, `The sandbox has no key ${named}.`, remark`See them all: ${list}`);
    }
    if (others.length > 0) {
      const ids = found.map(({ key_id: id }) => id).join(', ');
      throw new ControlProblem(400, `Several keys are named ${named}: ${ids}.`, 'Give the id of one.');
    }
    await db.updateTable('api_keys').set({ is_active: false }).where('key_id', '=', only.key_id).execute();
    return { ...only, is_active: false };
  },
};
