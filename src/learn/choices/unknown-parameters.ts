import { isObject } from '../../lib/json-object.ts';
import { type Choice, known, shownName, unknown } from '../choice.ts';
import { areSame, fullest, lists } from '../lists.ts';
import { nobodysParameter as nobodys } from '../nobodys-parameter.ts';

/** Whether a parameter that nobody knows is refused. */
export const unknownParameters: Choice = {
  name: 'unknown parameters',
  specification: 'not shown',
  section: 'names',
  async learn(service) {
    const { name, plain } = await fullest(service);
    if (!plain.listing) return unknown('No list could be read.', 'A list that this key may read.');
    const asked = await service.list(name, { [nobodys]: 1 });
    const code =
      isObject(asked.body) && typeof asked.body.code === 'string' ? ` ${shownName(asked.body.code)}` : '';
    if (asked.outcome === 'refused') {
      // The list itself may be refused by now.
      const again = await service.list(name, {}, 'unknown parameters');
      if (again.outcome === 'answered')
        return known(
          'refused',
          'refused',
          `${nobodys}=1 got ${asked.status}${code}, and the same list of ${lists[name]} came without it before and after.`,
        );
    }
    if (asked.outcome === 'answered' && asked.rows.length + plain.rows.length === 0)
      return unknown(
        `${nobodys}=1 is not refused, and without a row nothing shows whether it is ignored.`,
        'A team, bot or document.',
      );
    if (asked.outcome === 'answered' && areSame(asked, plain))
      return known('ignored', 'ignored', `With ${nobodys}=1 the same ${lists[name]} come as without.`);
    return unknown(`What came with ${nobodys}=1 was neither a refusal nor the same list.`, 'Another try.');
  },
};
