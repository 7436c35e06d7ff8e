import { expect, test } from 'vitest';
import { uploadProgress } from '../../../src/documents/upload/upload-progress.ts';

/** What is shown for bytes that are on their way at a time. */
function shown(size: number, steps: readonly (readonly [at: number, sent: number])[]): readonly string[] {
  let time = 0;
  const say = uploadProgress('Uploading menu.pdf', size, () => time);
  return steps.map(([at, sent]) => {
    time = at;
    return say(sent).replace('Uploading menu.pdf: ', '');
  });
}

test('shows how much is sent, and after a second the rate and the time left', () => {
  expect(
    shown(10_000_000, [
      [0, 0],
      [500, 500_000],
      [2000, 2_000_000],
      [9000, 9_000_000],
      [9900, 10_000_000],
    ]),
  ).toEqual([
    '0 B of 10.0 MB',
    '500 kB of 10.0 MB',
    '2.0 MB of 10.0 MB, 1.0 MB/s, 8 s left',
    '9.0 MB of 10.0 MB, 1.0 MB/s, 1 s left',
    'all 10.0 MB sent, waiting for the answer',
  ]);
});

test('shows the rate of the last ten seconds', () => {
  const steps = [
    [0, 0],
    [10_000, 10_000_000],
    ...Array.from({ length: 20 }, (_, i) => [11_000 + i * 1000, 10_000_000 + (i + 1) * 1000]),
  ];
  const last = shown(
    20_000_000,
    steps.map(([at = 0, sent = 0]) => [at, sent] as const),
  ).at(-1);
  expect(last).toBe('10.0 MB of 20.0 MB, 1.0 kB/s, 2 h 47 min left');
});

test('starts again when the call is repeated', () => {
  expect(
    shown(10_000_000, [
      [0, 0],
      [5000, 5_000_000],
      [6000, 0],
      [8000, 1_000_000],
    ]).at(-1),
  ).toBe('1.0 MB of 10.0 MB, 500 kB/s, 18 s left');
});
