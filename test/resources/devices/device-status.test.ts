import { describe, expect, it } from 'vitest';
import { deviceStatus } from '../../../src/resources/devices/device-status.ts';

describe('the status of a device', () => {
  it('has one type for each member, for any scalar that the service sends', () => {
    const raw = {
      device_id: 'd',
      status: ' Started ',
      connected: 'Yes',
      logged_in: 1,
      blocked: 'false',
      phone_number: 5511912345678,
      last_disconnect_reason: 402,
      last_disconnect_at: '2026-01-01T12:00:00Z',
    };
    expect(deviceStatus(raw)).toEqual({
      raw,
      status: 'Started',
      connected: true,
      loggedIn: true,
      blocked: false,
      qrCode: undefined,
      phoneNumber: '+5511912345678',
      message: undefined,
      lastDisconnectReason: '402',
      lastDisconnectAt: new Date(Date.UTC(2026, 0, 1, 12)),
    });
  });

  it('distinguishes a missing value from a false one', () => {
    const nothing = { connected: null, qr_code: '', phone_number: ' ', last_disconnect_at: 'yesterday' };
    const { raw: _raw, ...members } = deviceStatus(nothing);
    expect(Object.values(members).every((value) => value === undefined)).toBe(true);
    expect(deviceStatus({ connected: false, logged_in: 'no' })).toMatchObject({
      connected: false,
      loggedIn: false,
    });
  });

  it.each([
    ['5511912345678@c.us', '+5511912345678'],
    ['5511912345678:52@s.example.net', '+5511912345678'],
    ['+5511912345678:52', '+5511912345678'],
    ['189765432109876@lid', '189765432109876@lid'],
    ['the front desk', 'the front desk'],
  ])('reads the number from the account id: %s', (shown, number) => {
    expect(deviceStatus({ phone_number: shown }).phoneNumber).toBe(number);
  });
});
