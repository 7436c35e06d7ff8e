import { expect, test } from 'vitest';
import { isPlain } from '../../src/terminal/accessible.ts';

test.each([
  [{}, false],
  [{ TERM: 'xterm-256color' }, false],
  [{ TERM: 'dumb' }, true],
  [{ ACCESSIBLE: '1' }, true],
  [{ ACCESSIBLE: 'yes', TERM: 'xterm' }, true],
  [{ ACCESSIBLE: '' }, false],
  [{ ACCESSIBLE: ' No ' }, false],
  [{ ACCESSIBLE: '0', TERM: 'dumb' }, true],
  [{ ACCESSIBLE: 'false' }, false],
])('%j is accessible: %s', (env, plain) => {
  expect(isPlain(env)).toBe(plain);
});
