import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  drawStates,
  drawStatusTable,
  type StatusLine,
} from '../../../../src/commands/device/watch/status-table.ts';
import { loadPaint } from '../../../../src/terminal/colour.ts';
import { rulerFor } from '../../../../src/terminal/width.ts';
import { terminalWidth } from '../../../terminal/support.ts';

const ruler = await rulerFor(['世界']);
const paint = await loadPaint(0);

const takenOver: StatusLine = {
  device: 'Terrace',
  words: 'another session took it over; close that one, then pair it again',
  tone: 'bad',
  next: 'botctl device repair Terrace',
  since: 'just now',
};
const unlinked: StatusLine = {
  device: 'Front office with a long name',
  words: 'unlinked from the phone; pair it again',
  tone: 'bad',
  next: 'botctl device connect "Front office with a long name"',
  since: '59 seconds ago',
};
const waiting: StatusLine = {
  device: 'Kitchen',
  words: 'waiting for a phone to scan its code',
  tone: 'warning',
  next: 'botctl device watch Kitchen',
  since: 'just now',
};
const fresh: StatusLine = {
  device: '世界カフェ',
  words: 'never connected',
  tone: 'quiet',
  next: 'botctl device connect 世界カフェ',
  since: '',
};
const ready: StatusLine = { device: 'Bar', words: 'ready', tone: 'good', next: undefined, since: 'just now' };
const all = [takenOver, unlinked, waiting, fresh, ready];

function drawn(standings: readonly StatusLine[], columns: number, rows?: number) {
  return drawStatusTable(standings, { ruler, paint, unicode: true, columns }, rows);
}

describe('the status table', () => {
  it('has the team of each device if there is room for it', () => {
    const teams = [
      { ...waiting, team: 'Aurora Coffee' },
      { ...ready, team: 'Workshop of a long name' },
    ];
    expect(drawn(teams, 100).lines).toEqual([
      'DEVICE   TEAM                     STATE                                 SINCE',
      'Kitchen  Aurora Coffee            waiting for a phone to scan its code  just now',
      '         botctl device watch Kitchen',
      'Bar      Workshop of a long name  ready                                 just now',
    ]);
    expect(drawn(teams, 80).lines.at(-1)).toBe(
      'Bar      Workshop of a lo…  ready                                 just now',
    );
    // With a long state, a wide window leaves a sixth to the team.
    const [wordy] = drawn(
      [{ ...waiting, words: 'x '.repeat(90), team: 'Team '.repeat(8).trim() }],
      200,
    ).lines.slice(1);
    expect(wordy).toMatch(/^Kitchen {2}(Team ){6}Te… {2}x /);
    expect(drawn(teams, 79).lines.join('\n')).not.toMatch(/TEAM|Aurora/);
  });

  it('distinguishes devices of one name by the start of their id if the shown team does not', () => {
    const named = (id: string, team: string): StatusLine => ({
      ...ready,
      id: `${id}-0000-4000`,
      team,
      since: undefined,
    });
    const twins = [named('8e173e56', 'Aurora'), named('a961e546', 'Harbour'), named('f2ae61a9', 'Harbour')];
    expect(drawn(twins, 100).lines).toEqual([
      'DEVICE        TEAM     STATE',
      'Bar           Aurora   ready',
      'Bar a961e546  Harbour  ready',
      'Bar f2ae61a9  Harbour  ready',
    ]);
    expect(drawn(twins, 79).lines.slice(1)).toEqual([
      'Bar 8e173e56  ready',
      'Bar a961e546  ready',
      'Bar f2ae61a9  ready',
    ]);
    expect(drawn(twins.slice(0, 2), 100).lines.slice(1)).toEqual([
      'Bar     Aurora   ready',
      'Bar     Harbour  ready',
    ]);
  });

  it('cuts the long name of two devices between characters, before their ids', () => {
    const device = `${'👩‍🍳'.repeat(20)}`;
    const twins = ['8e173e56', 'a961e546'].map((id) => ({ ...ready, device, id: `${id}-0000` }));
    const text = drawn(twins, 100).lines.join('\n');
    expect(text).toContain('👩‍🍳 8e173e56');
    expect(text.isWellFormed()).toBe(true);
  });

  it('has the whole verdict and the next command at 80 columns', () => {
    const { lines, hidden } = drawn(all, 80, 20);
    expect(lines).toEqual([
      'DEVICE                      STATE                                 SINCE',
      'Terrace                     another session took it over; close   just now',
      '                            that one, then pair it again',
      '                            botctl device repair Terrace',
      'Front office with a long…   unlinked from the phone; pair it      59 seconds ago',
      '                            again',
      '  botctl device connect "Front office with a long name"',
      'Kitchen                     waiting for a phone to scan its code  just now',
      '                            botctl device watch Kitchen',
      '世界カフェ                  never connected',
      '                            botctl device connect 世界カフェ',
      'Bar                         ready                                 just now',
    ]);
    expect(hidden).toBe(0);
  });

  it('is below the names in a narrow window, with a long command split for the shell', () => {
    expect(drawn([unlinked, ready], 40).lines).toEqual([
      'Front office with a long name',
      '  unlinked from the phone; pair it again',
      '  botctl device connect \\',
      '    "Front office with a long name"',
      'Bar',
      '  ready',
    ]);
  });

  it('drops the least urgent lines first if there are too few', () => {
    const text = (rows: number): string => drawn(all, 80, rows).lines.join('\n');
    expect(text(11)).not.toContain('connect 世界カフェ');
    expect(text(11)).toContain('watch Kitchen');
    expect(text(10)).not.toContain('watch Kitchen');
    expect(text(10)).toContain('botctl device repair Terrace');
    expect(drawn(all, 80, 10).hidden).toBe(0);
    const { lines, hidden } = drawn(all, 80, 8);
    expect(hidden).toBe(2);
    expect(lines.join('\n')).toContain('botctl device repair Terrace');
    expect(lines.join('\n')).toContain('botctl device connect "Front office with a long name"');
    expect(lines.at(-1)).toMatch(/^Kitchen /);
    // One line for each urgent device takes precedence over the details of one of them.
    expect(drawn(all, 40, 6).lines).toEqual([
      'Terrace',
      '  another session took it over; close',
      '  that one, then pair it again',
      '  botctl device repair Terrace',
      'Front office with a long name: unlinked…',
      'Kitchen: waiting for a phone to scan it…',
    ]);
  });

  it('fits any window, and never truncates a command', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...all), { maxLength: 30 }),
        fc.integer({ min: 10, max: 200 }),
        fc.integer({ min: 2, max: 60 }),
        (standings, columns, rows) => {
          const { lines, hidden } = drawn(standings, columns, rows);
          expect(lines.length).toBeLessThanOrEqual(rows);
          const shown = standings.length - hidden;
          expect(shown).toBeGreaterThanOrEqual(0);
          for (const line of lines) {
            if (line.includes(' ') && columns >= 40) expect(terminalWidth(line)).toBeLessThanOrEqual(columns);
            if (/botctl .*[^\\]$/.test(line)) {
              expect(all.some(({ next }) => next === line.trim())).toBe(true);
            }
          }
        },
      ),
    );
  });

  it('is drawn from the rows of a command, without secrets and control characters', async () => {
    const canvas = {
      columns: 80,
      paint,
      unicode: true,
      now: 0,
      redact: (text: string) => text.replaceAll('secret', '****'),
    };
    const rows = [
      {
        name: 'Till',
        state: 'stopped',
        verdict: 'stopped: secret \x1b[2Jgone',
        next: 'botctl x',
        device_id: 'a',
      },
      { state: 'ready', verdict: 'ready', next: null, device_id: 'b' },
    ];
    expect(await drawStates(rows, canvas)).toBe(
      'DEVICE  STATE\nTill    stopped: **** gone\n        botctl x\nb       ready\n',
    );
    expect(await drawStates([], canvas)).toBe('');
  });
});
