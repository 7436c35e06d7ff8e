import { endpoints } from '../../contract/endpoints.ts';
import { isObject } from '../../lib/json-object.ts';
import { type Choice, known, type Outcome, shownName, unknown } from '../choice.ts';
import { listNames, lists, readFirst } from '../lists.ts';
import { breakage, type Heard } from '../reading.ts';

/** One that was drawn for this alone; always the same, so that a run that goes on need not ask again. */
const nobodysId = 'b8a3a1f2-6a0e-4c0f-9d4e-27f0c5d18e63';

/** What answers an id that nothing has. */
export const unknownId: Choice = {
  name: 'answer to an unknown id',
  specification: '404 NOT_FOUND in the error envelope',
  section: 'errors',
  async learn(service) {
    for (const name of listNames) {
      const { one } = await readFirst(service, name);
      // Where a listed id isn't answered either, a refusal says nothing of ids.
      if (one?.outcome !== 'answered') continue;
      return unknownIdIn(await service.get(`${endpoints[name].path}/${nobodysId}`), lists[name]);
    }
    return unknown(
      'Nothing that a list shows could be read by its id.',
      'A team, bot or document that this key may read.',
    );
  },
};

function unknownIdIn(heard: Heard, noun: string): Outcome {
  const { outcome, status, body } = heard;
  if (outcome === 'answered')
    return unknown(
      `Of the ${noun} one was asked for that nobody made, and the service answered one.`,
      'Who runs the service.',
    );
  if (outcome === 'failed')
    return unknown(`The service ${breakage(heard)} when it was asked for.`, 'Another try.');
  const members = isObject(body) ? Object.keys(body).map(shownName) : [];
  const code = isObject(body) && typeof body.code === 'string' ? shownName(body.code) : null;
  const words = `${status}${code === null ? '' : ` ${code}`}, ${members.length === 0 ? 'without an envelope' : `with ${members.join(', ')}`}`;
  const how = `Of the ${noun} a listed one came by its id, and this to an id that was drawn for it.`;
  return known(words, { status, code, members }, how);
}
