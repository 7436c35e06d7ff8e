import { expect, it } from 'vitest';
import type { Intent } from '../../src/once/intent-log.ts';
import { sendOnce } from '../../src/once/send-once.ts';
import { FakeClock } from '../support/fake-clock.ts';

it('keeps the intent of a call that throws an internal error: the service may have executed it', async () => {
  const open = new Set<string>();
  const log = {
    begin: (details: string, at: number) => {
      open.add(details);
      return Promise.resolve({ key: details, at, details });
    },
    end: ({ key }: Intent<string>) => void open.delete(key),
  };
  const reporter = { note() {}, warn() {}, done() {}, progress: () => ({ update() {}, stop() {} }) };
  const context = { clock: new FakeClock(), reporter, signal: new AbortController().signal };
  const sent = sendOnce(context, {
    ...{ details: 'menu.txt', log },
    send: () => Promise.reject(new TypeError('no such member')),
    search: () => ({
      noun: 'document',
      name: 'menu.txt',
      list: async () => [],
      grader: () => () => 'other',
      hint: () => undefined,
    }),
  });
  await expect(sent).rejects.toThrow(TypeError);
  expect([...open]).toEqual(['menu.txt']);
});
