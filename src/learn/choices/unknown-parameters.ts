import { isObject } from '../../lib/json-object.ts';
import { type Choice, known, shownName, unknown } from '../choice.ts';
import { areSame, fullest, lists } from '../lists.ts';

const nobodys = 'botctl_asks';

/** Whether a parameter that nobody knows is refused. */
export const unknownParameters: Choice = {
  name: 'unknown parameters',
  specification: 'not shown',
  async learn(service) {
    const { name, plain } = await fullest(service);
    if (!plain.listing) return unknown('No list could be read.', 'A list that this key may read.');
    const asked = await service.list(name, { [nobodys]: 1 });
    const code =
      isObject(asked.body) && typeof asked.body.code === 'string' ? ` ${shownName(asked.body.code)}` : '';
    if (asked.outcome === 'refused')
      return known(
        'refused',
        'refused',
        `${nobodys}=1 got ${asked.status}${code}, and the same list without it came.`,
      );
    if (asked.outcome === 'answered' && areSame(asked, plain))
      return known('ignored', 'ignored', `With ${nobodys}=1 the same ${lists[name]} come as without.`);
    return unknown(`What came with ${nobodys}=1 was neither a refusal nor the same list.`, 'Another try.');
  },
};
