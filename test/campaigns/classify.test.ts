import { expect, it } from 'vitest';
import { classify } from '../../src/campaigns/run/classify.ts';
import { Failure } from '../../src/lib/errors.ts';

it('a message that botctl itself refuses to send is rejected, and its outcome is known', () => {
  const failure = new Failure('invalidInput', 'message has U+FFFD. The call was not made.');
  expect(classify(failure, undefined, 0)).toMatchObject({ event: 'reject', reason: 'INVALID_INPUT' });
});
