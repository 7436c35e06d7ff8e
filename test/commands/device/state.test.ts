import { describe, expect, it } from 'vitest';
import { type StatusView, stateOf, verdictOf } from '../../../src/commands/device/state.ts';

const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const view = (members: Record<string, unknown>): StatusView => ({ device_id: id, ...members }) as StatusView;

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
    ['other', { status: 'rebooting' }],
    ['other', {}],
  ])('is %s for %j', (state, members) => {
    expect(stateOf(view(members))).toBe(state);
  });

  it.each([
    [{ status: 'stopped' }, 'stopped', 'botctl device connect "Front desk"'],
    [
      { status: 'stopped', last_disconnect_reason: 'QR refs attempts ended' },
      'stopped: nobody scanned a code in time',
      'botctl device connect "Front desk"',
    ],
    [
      { status: 'stopped', last_disconnect_reason: 'Stream Errored (conflict)' },
      'stopped: another session took it over; close that one first',
      'botctl device connect "Front desk"',
    ],
    [
      { status: 'stopped', last_disconnect_reason: '401: logged out' },
      'stopped: the phone unlinked it, so it has to be paired again',
      'botctl device connect "Front desk"',
    ],
    [
      { status: 'stopped', last_disconnect_reason: 'solar flare' },
      'stopped: solar flare',
      'botctl device connect "Front desk"',
    ],
    [
      { status: 'started', qr_code: 'data:…' },
      'waiting for a phone to scan its code',
      'botctl device status "Front desk" --watch',
    ],
    [
      { status: 'started', connected: true, logged_in: true, phone_number: '5511912345678' },
      'ready, paired as +5511912345678',
      undefined,
    ],
    [
      { status: 'started', logged_in: true },
      'paired, but offline; it reconnects by itself',
      'botctl device status "Front desk" --watch',
    ],
    [{ status: 'rebooting' }, 'rebooting', 'botctl device status "Front desk" --watch'],
  ])('is told with the next command for %j', (members, text, next) => {
    expect(verdictOf(view(members), 'Front desk')).toEqual({ text, next });
  });
});
