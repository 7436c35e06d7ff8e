import { expect, it } from 'vitest';
import { createOnce } from '../../../src/resources/devices/create-once.ts';
import { failureOf } from '../../client/failure-of.ts';
import { testSession } from '../../commands/device/session.ts';

it('creates no second device while another process creates one of its name in its team', async () => {
  const { session } = testSession('https://api.example.com');
  const device = { name: 'Reception', teamId: 'team', botId: 'bot' };
  let creates = 0;
  const create = async () => {
    creates += 1;
    return { data: { id: '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10' } };
  };
  // Both have looked for the device before, and found none.
  const answer = new AbortController();
  const first = createOnce(session, device, false, async () => {
    await new Promise((resolve) => answer.signal.addEventListener('abort', resolve));
    return create();
  });
  expect(await failureOf(createOnce(session, device, false, create))).toMatchObject({ kind: 'notConfirmed' });
  answer.abort();
  await first;
  expect(creates).toBe(1);
});
