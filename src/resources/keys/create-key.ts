import type { Reply } from '../../client/api.ts';
import type { BodyOf } from '../../contract/endpoints.ts';
import { asFailure, Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { createdIn, nameLikeness, since } from '../created-lookup.ts';
import type { ResourceContext } from '../resource-context.ts';
import { listKeys } from './find-key.ts';

/**
 * Creates a key. If the response is lost, looks for keys that may be it: nobody has their secret.
 * @throws Failure as `Api.call`; the hint of `outcomeUnknown` names what was found
 */
export async function createKey(
  { api, clock, signal, reporter }: Pick<ResourceContext, 'api' | 'clock' | 'signal' | 'reporter'>,
  body: BodyOf<'createKey'>,
): Promise<Reply<'createKey'>['data']> {
  const began = clock.now();
  try {
    return (await api.call('createKey', { body })).data;
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.kind !== 'outcomeUnknown') throw thrown;
    reporter.note('The answer was lost; looking for the key.');
    const keys = await listKeys(api).catch((failed: unknown) => {
      if (signal.aborted) throw thrown.afterSignal(asFailure(signal.reason));
      if (!(failed instanceof Failure)) throw failed;
      return [];
    });
    const period = since(api, began);
    const [found] = keys.filter(
      ({ name, isUsed, raw }) =>
        !isUsed && nameLikeness(name, body.name) !== 'other' && createdIn(raw, period) === 'certain',
    );
    if (!found) throw thrown;
    throw thrown.withHint(
      remark`Key ${found.label} has appeared since, so it was probably created. Its secret is lost: if nobody uses it, delete it before you try again: ${command('keys', 'delete', found.id)}`,
    );
  }
}
