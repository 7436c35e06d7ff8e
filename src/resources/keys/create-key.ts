import type { Reply } from '../../client/api.ts';
import type { BodyOf } from '../../contract/endpoints.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { creationMatch, nameLikeness, periodSince } from '../../once/likeness.ts';
import type { Search } from '../../once/settle.ts';
import { callOrLookUp } from '../created-lookup.ts';
import type { ResourceContext } from '../resource-context.ts';
import { listKeys } from './find-key.ts';
import type { Key } from './key.ts';

/**
 * Creates a key. If the response is lost, looks for keys that it may have created: their secret is lost.
 * @throws Failure as `Api.call`; the hint of `outcomeUnknown` names the key that was found
 */
export function createKey(
  context: Pick<ResourceContext, 'api' | 'clock' | 'signal' | 'reporter'>,
  body: BodyOf<'createKey'>,
): Promise<Reply<'createKey'>['data']> {
  const { api } = context;
  const search = (_signal: AbortSignal, began: number): Search<Key> => ({
    ...{ noun: 'key', name: body.name, list: () => listKeys(api) },
    grader:
      () =>
      ({ name, isUsed, raw }) => {
        const isPossible = !isUsed && creationMatch(raw, periodSince(api, began)) === 'certain';
        return isPossible ? nameLikeness(name, body.name) : 'other';
      },
  });
  const create = async () => (await api.call('createKey', { body })).data;
  return callOrLookUp(context, search, create, (lost, [found]) => {
    if (!found) return lost;
    const hint = remark`Key ${found.label} has appeared since, so it was probably created. Its secret is lost. If it is not in use, delete it before you try again: ${command('keys', 'delete', found.id)}`;
    return lost.withHint(hint);
  });
}
