import { describe, expect, it } from 'vitest';
import { type Choice, labelOf, linesOf } from '../../src/terminal/choice.ts';
import { rulerFor } from '../../src/terminal/width.ts';
import { hostile } from './support.ts';

const id = '11111111-1111-4111-8111-111111111111';
const device: Choice<string> = {
  name: 'Front desk',
  marks: ['in team Acme Norte', 'bot Booking', 'first seen 2026-11-21T10:00:00.000Z'],
  startOfId: '11111111',
  value: id,
  description: id,
};

async function lines(choice: Choice<unknown>, columns: number): Promise<readonly string[]> {
  return linesOf(await rulerFor([labelOf(choice)]), choice, columns);
}

describe('a choice', () => {
  it('is one line if it fits', async () => {
    const label =
      'Front desk (in team Acme Norte, bot Booking, first seen 2026-11-21T10:00:00.000Z, id 11111111)';
    expect(await lines(device, label.length)).toEqual([label]);
    expect(await lines({ name: 'Acme', value: 1 }, 10)).toEqual(['Acme']);
  });

  it('otherwise has its details below its name, each unbroken', async () => {
    expect(await lines(device, 78)).toEqual([
      'Front desk',
      '  in team Acme Norte, bot Booking, first seen 2026-11-21T10:00:00.000Z',
      '  id 11111111',
    ]);
    expect(await lines(device, 40)).toEqual([
      'Front desk',
      '  in team Acme Norte, bot Booking',
      '  first seen 2026-11-21T10:00:00.000Z',
      '  id 11111111',
    ]);
    const unnamed = { ...device, marks: [`in team ${id}`, 'created 2026-11-21T10:00:00.000Z'] };
    expect(await lines(unnamed, 78)).toEqual([
      'Front desk',
      `  in team ${id}`,
      '  created 2026-11-21T10:00:00.000Z, id 11111111',
    ]);
  });

  it('breaks a text wider than a line between words', async () => {
    const wordy = { name: 'one two three four', marks: ['in team five six seven'], value: 1 };
    expect(await lines(wordy, 14)).toEqual(['one two three', 'four', '  in team five', '  six seven']);
  });

  it('is safe', async () => {
    const choice = { name: hostile.clipboard, marks: [hostile.lines, hostile.override], value: 1 };
    expect((await lines(choice, 30)).join('')).not.toMatch(/[\x00-\x1f\u202e]/);
  });
});
