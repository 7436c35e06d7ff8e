import { expect, it } from 'vitest';
import { Reading, Stopped } from '../../src/learn/reading.ts';
import { FakeClock } from '../support/fake-clock.ts';

it('stops at a service whose answers are huge, and leaves out of what is stored what is large', async () => {
  const huge = Buffer.from(JSON.stringify({ success: true, data: 'x'.repeat(30 * 1024 ** 2) }));
  const small = Buffer.from(JSON.stringify({ success: true, data: [] }));
  let requests = 0;
  const reading = new Reading({
    api: {
      baseUrl: 'https://api.example.com',
      request: async ({ path }) => {
        requests += 1;
        const bytes = path.includes('huge') ? huge : small;
        return { status: 200, headers: [], bytes, data: undefined, failure: undefined, settled: false };
      },
    },
    clock: new FakeClock({ now: 0 }),
    signal: new AbortController().signal,
    longestWait: 0,
    earlier: [],
    retries: 0,
    queryNames: {},
    devices: [],
    found: new Map(),
  });
  await reading.get('/small');
  const readAll = async (): Promise<void> => {
    for (let page = 1; page <= 100; page += 1) await reading.get('/huge', { page });
  };
  await expect(readAll()).rejects.toThrow(Stopped);
  expect(requests).toBeLessThan(8);
  expect(reading.answers().map(({ path }) => path)).toEqual(['/small']);
});
