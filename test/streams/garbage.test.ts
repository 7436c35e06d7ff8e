import { getHeapStatistics } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { Garbage } from '../../src/streams/garbage.ts';

const mebibyte = 1024 * 1024;
const used = (): number => getHeapStatistics().used_heap_size;

describe('garbage', () => {
  it('is collected in good time, and what is in use stays', () => {
    const garbage = new Garbage();
    const before = used();
    let most = 0;
    let last: readonly string[] = [];
    for (let page = 0; page < 400; page += 1) {
      last = Array.from({ length: 1000 }, (_, row) => `row ${row} of page ${page}, which is soon forgotten`);
      garbage.collectIfMuch();
      most = Math.max(most, used());
    }
    // All pages together are some 40 MiB.
    expect((most - before) / mebibyte).toBeLessThan(15);
    expect(last[999]).toBe('row 999 of page 399, which is soon forgotten');
  });
});
