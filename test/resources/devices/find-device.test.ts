import { describe, expect, it } from 'vitest';
import type { BookedDevice, DeviceBook } from '../../../src/desk/device-book.ts';
import { devicesAt } from '../../../src/desk/device-book-lines.ts';
import { logText } from '../../../src/lib/files/append-log.ts';
import type { AskWhich } from '../../../src/lib/match-name.ts';
import { commandsIn } from '../../../src/lib/text/remark.ts';
import { findDevice } from '../../../src/resources/devices/find-device.ts';
import { failureOf } from '../../client/failure-of.ts';

const origin = 'https://a.example';
const ids = ['a', 'b', 'c', 'd'].map((digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`);
const [reception = '', counter = '', twin = '', otherTwin = ''] = ids;

const devices: readonly BookedDevice[] = [
  { id: reception, name: 'Reception', teamId: 'team', seenAt: '2026-01-01T00:00:00Z' },
  { id: counter, name: 'Counter', seenAt: '2026-01-01T00:00:00Z' },
  { id: twin, name: 'Twin', teamId: 't', teamName: 'Acme', botName: 'Sales', seenAt: '2026-01-01T00:00:00Z' },
  { id: otherTwin, name: 'Twin', seenAt: '2026-01-01T00:00:00Z' },
];
const book: Pick<DeviceBook, 'list'> = {
  list: async () => devices,
};

const find = (text: string) => findDevice(book, text, undefined);
const refused = (text: string) => failureOf(find(text));

describe('a device', () => {
  it('is found by its exact name or its id, in upper or lower case', async () => {
    expect(await find('Reception')).toMatchObject({ id: reception, name: 'Reception', teamId: 'team' });
    expect(await find(reception.toUpperCase())).toMatchObject({ id: reception });
    expect(await find('Counter')).toMatchObject({ id: counter });
  });

  it('is not required to be in the device book if its id is given', async () => {
    const unknown = 'eeeeeeee-1111-4111-8111-111111111111';
    expect(await find(unknown)).toEqual({ id: unknown });
  });

  it.each(['reception', 'Recep', 'Réception', 'Reception ', 'Recepton'])(
    'is suggested, not used, if its name is not exact: %j',
    async (text) => {
      expect(await refused(text)).toMatchObject({
        kind: 'notFound',
        message: `There is no device named "${text}" in the device book.`,
        hint: expect.stringContaining(
          `This takes an id or the exact name. Did you mean this?\n  ${reception}  Reception`,
        ),
      });
    },
  );

  it('is not guessed if several have the name', async () => {
    const failure = await refused('Twin');
    const hint = String(failure.hint);
    expect(failure.kind).toBe('ambiguous');
    expect(hint).toContain(otherTwin);
    expect(hint).toContain(`${twin}  in team Acme, bot Sales\n`);
    expect(hint).toContain('botctl device forget --gone');
  });

  it('is listed with the users who added it and last changed it, and when', async () => {
    const day = (date: number) => `2026-01-0${date}T00:00:00.000Z`;
    const row = (id: string, date: number, record: object, noted_by: string) => {
      const times = { seen_at: day(1), noted_at: day(date), recorded_at: day(date) };
      return { origin, id, ...record, ...times, noted_by };
    };
    const refusal = { at: day(3), because: 'no', connected: true, connection: '[]' };
    const text = logText([
      row(twin, 1, { name: 'Twin', added_by: 'Eve' }, 'Ana'),
      row(otherTwin, 1, { name: 'Twin' }, 'Dana'),
      row(twin, 2, { bot_name: 'Sales' }, 'Bruno'),
      row(twin, 3, { refusal }, 'Carla'),
      // This change waited for the database.
      row(otherTwin, 3, { bot_name: 'Support', made_at: day(2) }, 'Carla'),
    ]);
    const list = async () => devicesAt(text, origin);
    const { hint } = await failureOf(findDevice({ list }, 'Twin', undefined, Date.parse(day(4))));
    expect(String(hint)).toContain(`${twin}  bot Sales, added by Ana, last changed by Bruno 2 days ago\n`);
    expect(String(hint)).toContain(
      `${otherTwin}  bot Support, added by Dana, last changed by Carla 2 days ago\n`,
    );
  });

  it('is the one that an interactive user chooses', async () => {
    const asked: unknown[] = [];
    const last: AskWhich = async ({ candidates, isExact }) => {
      asked.push([isExact, candidates.map(({ id }) => id)]);
      return candidates.at(-1);
    };
    expect(await findDevice(book, 'Twin', last)).toMatchObject({ id: otherTwin });
    expect(await findDevice(book, 'count', last)).toMatchObject({ id: counter });
    expect(asked).toEqual([
      [true, [twin, otherTwin]],
      [false, [counter]],
    ]);
    await expect(findDevice(book, 'Kitchen', last)).rejects.toMatchObject({ kind: 'notFound' });
    expect(asked).toHaveLength(2);
  });

  it('without a similar one suggests the list, and the device book for one created elsewhere', async () => {
    expect(await refused('')).toMatchObject({ kind: 'notFound' });
    const { hint } = await refused('Kitchen');
    const [list, add, ...others] = commandsIn(hint);
    expect(list?.argv()).toEqual(['botctl', 'device', 'list']);
    // The user has to fill in its id.
    expect(add?.text()).toBe('botctl device add ID --name NAME');
    expect([add?.argv(), ...others]).toEqual([undefined]);
  });
});
