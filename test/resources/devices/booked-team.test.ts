import { expect, it } from 'vitest';
import type { BookedDevice } from '../../../src/desk/device-book.ts';
import { devicesOfTeam } from '../../../src/resources/devices/booked-team.ts';

const acme = '00000000-0000-4000-8000-000000000001';
const device = (id: string, teamId?: string, teamName?: string): BookedDevice => ({
  id,
  teamId,
  teamName,
  seenAt: '2026-01-01T00:00:00Z',
});
const book = [
  device('a', acme, 'Acme'),
  device('b', '00000000-0000-4000-8000-000000000002', 'Harbour'),
  device('c'),
  device('d', acme, 'Acme & Sons'),
  device('e', undefined, 'Nameless'),
  device('f', acme),
];
const idsOf = async (text: string) => (await devicesOfTeam(book, text, undefined)).map(({ id }) => id);

it('the devices of a team are found by its id and by its newest name', async () => {
  expect(await idsOf(acme)).toEqual(['a', 'd', 'f']);
  expect(await idsOf('Acme & Sons')).toEqual(['a', 'd', 'f']);
  expect(await idsOf('Harbour')).toEqual(['b']);
  expect(await idsOf('Nameless')).toEqual(['e']);
});

it('a team that the device book lacks is not found, and similar ones are suggested', async () => {
  await expect(idsOf('Harbor')).rejects.toMatchObject({
    kind: 'notFound',
    message: 'There is no team named "Harbor" in the device book.',
    hint: expect.stringContaining('Harbour'),
  });
  await expect(
    devicesOfTeam([...book, device('g', 'x', 'Harbour')], 'Harbour', undefined),
  ).rejects.toMatchObject({
    kind: 'ambiguous',
  });
});
