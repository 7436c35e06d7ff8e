import { describe, expect, it } from 'vitest';
import { newQueue, withOutcome } from '../../src/campaigns/send-queue.ts';

describe('a send queue', () => {
  const refused = (says: readonly string[]) =>
    says.reduce((queue, because) => withOutcome(queue, { event: 'reject', because }, 0, 0), newQueue());

  it('is paused by five rejections that differ only in a number or a request id', () => {
    const says = [1, 2, 3, 4, 5].map(
      (n) => `+551198888777${n} is not a number of WhatsApp (request a${n}-f0)`,
    );
    expect(refused(says.slice(1)).paused).toBeUndefined();
    expect(refused(says).paused?.because).toContain('refused 5 messages in a row');
    expect(refused([...says.slice(1), 'The text is too long']).paused).toBeUndefined();
  });
});
