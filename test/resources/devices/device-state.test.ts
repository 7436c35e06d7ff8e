import { describe, expect, it } from 'vitest';
import { reasonInWords, reasonKind, stateOf } from '../../../src/resources/devices/device-state.ts';
import { deviceStatus } from '../../../src/resources/devices/device-status.ts';

const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const view = (members: Record<string, unknown>) => deviceStatus({ device_id: id, ...members });

describe('the state of a device', () => {
  it.each([
    ['stopped', { status: 'stopped' }],
    ['stopped', { status: 'stopped', connected: true, logged_in: true }],
    ['starting', { status: 'started', connected: false, logged_in: false }],
    ['starting', { status: 'started', connected: null, qr_code: '' }],
    ['waiting', { status: 'started', connected: false, qr_code: 'data:…' }],
    ['waiting', { status: 'started', connected: true, logged_in: false, qr_code: 'data:…' }],
    ['waiting', { qr_code: 'data:…' }],
    ['connecting', { status: 'started', connected: true, logged_in: false }],
    ['reconnecting', { status: 'started', connected: false, logged_in: true }],
    ['ready', { status: 'started', connected: true, logged_in: true }],
    ['ready', { status: 'open', connected: 'true', logged_in: 1 }],
    ['ready', { connected: true }],
    ['ready', { status: 'started', connected: 'Yes', logged_in: '1' }],
    ['stopped', { status: ' Stopped ' }],
    ['other', { status: 'rebooting' }],
    ['other', {}],
  ])('is %s for %j', (state, members) => {
    expect(stateOf(view(members))).toBe(state);
  });
});

describe('a disconnect reason', () => {
  it.each([
    ['QR refs attempts ended', 'expired'],
    ['Max qrcode retries reached', 'expired'],
    ['402: temporarily banned until noon', 'restricted'],
    ['TOS_BLOCK', 'restricted'],
    ['The number is not blocked.', undefined],
    ["The number isn't banned.", undefined],
    ['The number is no longer blocked.', undefined],
    ['rate-overlimit', 'limited'],
    ["Can't link new devices at this time", 'limited'],
    ['Too many attempts', 'limited'],
    ['QR code limit reached', 'expired'],
    ['401 logged out', 'unlinked'],
    ['Stream Errored (conflict)', 'replaced'],
    ['440', 'replaced'],
    ['515 restart required', 'passing'],
    ['Connection was lost', 'passing'],
    ['Disconnected by request', 'requested'],
    ['solar flare of 4010 units', undefined],
  ])('%j is of the kind %s', (reason, kind) => {
    expect(reasonKind(reason)).toBe(kind);
  });

  it('that is unknown, or clear enough, is shown unchanged', () => {
    expect(reasonInWords('solar flare')).toBe('solar flare');
    expect(reasonInWords('Connection was lost')).toBe('Connection was lost');
    expect(reasonInWords('QR refs attempts ended')).toBe('no phone scanned the code in time');
  });
});
