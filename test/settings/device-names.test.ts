import { describe, expect, it } from 'vitest';
import { findDevice, resolveDevice } from '../../src/settings/device-names.ts';
import type { BookedDevice, DeviceBook } from '../../src/settings/devices.ts';

const base = 'https://api.example.com';
const ids = ['a', 'b', 'c', 'd'].map((digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`);
const [reception = '', counter = '', twin = '', otherTwin = ''] = ids;

const devices: readonly BookedDevice[] = [
  { id: reception, name: 'Reception', teamId: 'team', seenAt: '2026-01-01T00:00:00Z' },
  { id: counter, name: 'Counter', seenAt: '2026-01-01T00:00:00Z' },
  { id: twin, name: 'Twin', teamId: 't', teamName: 'Acme', botName: 'Sales', seenAt: '2026-01-01T00:00:00Z' },
  { id: otherTwin, name: 'Twin', seenAt: '2026-01-01T00:00:00Z' },
];
const book: DeviceBook = {
  list: (url) => (url === base ? devices : []),
  record: async () => true,
  recordSending: async () => true,
  forget: async () => 'unknown',
};

const refused = (text: string, purpose: 'read' | 'write') => {
  try {
    return resolveDevice(book, base, text, { for: purpose });
  } catch (error) {
    return error;
  }
};

describe('a device', () => {
  it('is found by its exact name or its id, in any case of its digits', () => {
    expect(resolveDevice(book, base, 'Reception')).toBe(reception);
    expect(resolveDevice(book, base, reception.toUpperCase())).toBe(reception);
    expect(findDevice(book, base, 'Reception', { for: 'write' })).toMatchObject({
      name: 'Reception',
      teamId: 'team',
    });
  });

  it('needs no place in the book where its id is given', () => {
    const unknown = 'eeeeeeee-1111-4111-8111-111111111111';
    expect(findDevice(book, base, unknown, { for: 'write' })).toEqual({ id: unknown });
  });

  it('is found for a read by another case or a unique beginning, and never so for a change', () => {
    expect(resolveDevice(book, base, 'reception', { for: 'read' })).toBe(reception);
    expect(resolveDevice(book, base, 'Coun', { for: 'read' })).toBe(counter);
    expect(refused('Coun', 'write')).toMatchObject({ kind: 'notFound' });
    expect(refused('reception', 'write')).toMatchObject({
      kind: 'notFound',
      hint: `This takes an id or the exact name. Did you mean this?\n  ${reception}  Reception`,
    });
  });

  it('is not guessed where several have the name', () => {
    const failure = refused('Twin', 'read');
    expect(failure).toMatchObject({ kind: 'usage', hint: expect.stringContaining(twin) });
    expect(failure).toMatchObject({ hint: expect.stringContaining(otherTwin) });
    expect(failure).toMatchObject({
      hint: expect.stringContaining('(in team Acme, bot Sales, first seen 2026'),
    });
  });

  it('is suggested where a letter is wrong, and the list is named where nothing is near', () => {
    expect(refused('Recepton', 'write')).toMatchObject({
      kind: 'notFound',
      hint: `This takes an id or the exact name. Did you mean this?\n  ${reception}  Reception`,
    });
    expect(refused('', 'read')).toMatchObject({ kind: 'notFound' });
    expect(refused('Kitchen', 'read')).toMatchObject({ hint: expect.stringContaining('botctl device list') });
  });
});
