import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stateTone } from '../../../src/commands/device/fields.ts';
import type { Refusal } from '../../../src/desk/device-book.ts';
import { stateOf } from '../../../src/resources/devices/device-state.ts';
import { deviceStatus } from '../../../src/resources/devices/device-status.ts';
import { stateWords } from '../../../src/resources/devices/device-words.ts';
import { type Diagnosis, diagnose } from '../../../src/resources/devices/diagnosis.ts';
import { refusalNote } from '../../../src/resources/devices/refusal.ts';
import { anyCharacter } from '../../support/any-character.ts';

const asShown = (diagnosis: Diagnosis) => ({ ...diagnosis, next: diagnosis.next?.text() });
const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const now = Date.UTC(2026, 0, 1, 12);
const view = (members: Record<string, unknown>) => deviceStatus({ device_id: id, ...members });
const verdict = (members: Record<string, unknown>, refusal?: Refusal) =>
  diagnose(view(members), { word: 'Front desk', refusal }, now);

const connect = 'botctl device connect "Front desk"';
const watch = 'botctl device watch "Front desk"';
const repair = 'botctl device repair "Front desk"';

const stopped = { status: 'stopped', connected: false, logged_in: false };
const starting = { status: 'started', connected: false, logged_in: false };
const waiting = { ...starting, qr_code: 'data:image/png;base64,AAAA' };
const offline = { ...starting, logged_in: true };
const ready = { status: 'started', connected: true, logged_in: true, phone_number: '5511912345678' };

describe('the verdict on a device', () => {
  it('suggests commands with its id if its name is ambiguous', () => {
    const subject = { word: id };
    expect(diagnose(view(stopped), subject, now).next?.text()).toBe(`botctl device connect ${id}`);
  });

  it.each([
    [stopped, 'never_connected', 'never connected', connect],
    [{ ...stopped, last_disconnect_at: '2026-01-01T00:00:00Z' }, 'stopped', 'stopped', connect],
    [
      { ...stopped, last_disconnect_reason: 'QR refs attempts ended' },
      'stopped',
      'stopped: no phone scanned the code in time',
      connect,
    ],
    [{ ...stopped, last_disconnect_reason: 'solar flare' }, 'stopped', 'stopped: solar flare', connect],
    [
      { ...stopped, last_disconnect_reason: '401 logged out' },
      'unlinked',
      'unlinked from the phone; pair it again',
      connect,
    ],
    [
      { ...stopped, last_disconnect_reason: 'Stream Errored (conflict)' },
      'taken_over',
      'another session took it over; close that one, then pair it again',
      connect,
    ],
    [
      { ...stopped, last_disconnect_reason: '402 temporarily banned' },
      'blocked',
      'blocked: the messaging app restricts its number; stop sending, and check in the app how long',
      connect,
    ],
    [
      { ...stopped, connected: true },
      'contradictory',
      'its state is contradictory: stopped, but connected',
      repair,
    ],
    [
      starting,
      'starting',
      'started, its code is not ready yet; if there is none within 15 s, repair it',
      watch,
    ],
    [waiting, 'waiting', 'waiting for a phone to scan its code', watch],
    [{ ...waiting, connected: 1 }, 'waiting', 'waiting for a phone to scan its code', watch],
    [
      { ...waiting, last_disconnect_reason: '401 logged out' },
      'waiting',
      'waiting for a phone to scan its code (the phone had unlinked it)',
      watch,
    ],
    [
      { ...starting, connected: true },
      'connecting',
      'connecting: its code was scanned just now, or is not ready yet',
      watch,
    ],
    [offline, 'reconnecting', 'paired, but offline; it reconnects automatically, so wait', watch],
    [
      { ...offline, last_disconnect_reason: 'Disconnected by request' },
      'connecting',
      'scanned, connecting: this takes a few seconds; if it takes longer, check whether the phone asks something',
      watch,
    ],
    [
      {
        ...offline,
        last_disconnect_reason: '515 restart required',
        last_disconnect_at: '2026-01-01T11:59:58Z',
      },
      'reconnecting',
      'paired, but offline (515 restart required); it reconnects automatically, so wait',
      watch,
    ],
    [
      {
        ...offline,
        last_disconnect_reason: 'Connection was lost',
        last_disconnect_at: '2025-12-31T12:00:00Z',
      },
      'reconnecting',
      'paired, but offline for 1 day (Connection was lost): make sure that its phone is on and online; it reconnects automatically',
      watch,
    ],
    [
      { ...offline, last_disconnect_reason: '440 replaced' },
      'taken_over',
      'another session took it over; close that one, then pair it again',
      repair,
    ],
    [
      { ...offline, last_disconnect_reason: '403' },
      'unlinked',
      'unlinked from the phone; pair it again',
      repair,
    ],
    [
      { ...offline, last_disconnect_reason: '402' },
      'blocked',
      'blocked: the messaging app restricts its number; stop sending, and check in the app how long',
      watch,
    ],
    [ready, 'ready', 'ready, paired as +5511912345678', undefined],
    [{ ...ready, last_disconnect_reason: '402' }, 'ready', 'ready, paired as +5511912345678', undefined],
    [{ connected: true }, 'ready', 'ready', undefined],
    [
      { ...ready, blocked: true },
      'blocked',
      'blocked: the messaging app restricts its number; stop sending, and check in the app how long',
      watch,
    ],
    [{ status: 'rebooting' }, 'unknown', 'the service calls it "rebooting"', watch],
    [
      { status: 'FAILED', last_disconnect_reason: 'out of paper' },
      'unknown',
      'the service calls it "FAILED" (out of paper)',
      watch,
    ],
    [{}, 'unknown', 'the service reports no status', watch],
    [
      { status: 'FAILED', message: 'session failed.' },
      'unknown',
      'the service calls it "FAILED"; the service says: session failed',
      watch,
    ],
    [
      { ...starting, message: 'rate-overlimit: cannot link new devices at this time' },
      'limited',
      'further attempts to pair it are refused for now; wait before the next one; the service says: rate-overlimit: cannot link new devices at this time',
      watch,
    ],
    [
      { ...stopped, last_disconnect_reason: '429 too many attempts' },
      'limited',
      'further attempts to pair it are refused for now; wait before the next one',
      connect,
    ],
    [{ ...waiting, message: 'Scan the code.' }, 'waiting', 'waiting for a phone to scan its code', watch],
    [
      { ...offline, last_disconnect_reason: 'solar flare' },
      'reconnecting',
      'paired, but offline (solar flare): make sure that its phone is on and online',
      watch,
    ],
  ])('is for %j: %s', (members, state, text, next) => {
    expect(asShown(verdict(members))).toEqual({ state, text, next });
  });

  it('includes a refused send until something makes it outdated', () => {
    const at = '2026-01-01T11:00:00.000Z';
    const refused = (then: Record<string, unknown>) =>
      refusalNote(view(then), 'The team of this device is banned.', Date.parse(at));
    const said = `; sending was refused at ${at} ("The team of this device is banned")`;
    expect(verdict(ready, refused(ready))).toMatchObject({
      state: 'ready',
      text: `ready, paired as +5511912345678${said}`,
      next: undefined,
    });
    expect(verdict(offline, refused(offline)).text).toContain(said);
    const lost = { ...offline, phone_number: '5511912345678' };
    expect(verdict(ready, refused(lost)), 'it is connected again').not.toHaveProperty('refusal');
    for (const since of [
      { ...ready, phone_number: '5511912345679' },
      { ...ready, last_disconnect_reason: '515 restart required' },
      { ...ready, last_disconnect_at: '2026-01-01T11:30:00Z' },
      waiting,
      stopped,
    ])
      expect(verdict(since, refused(ready))).toEqual(verdict(since));
    expect(verdict({ ...ready, blocked: true }, refused({ ...ready, blocked: true }))).toMatchObject({
      state: 'blocked',
      text: expect.not.stringContaining('refused'),
    });
  });

  const scalar = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.constantFrom('stopped', 'started', 'STARTED', '401', '402 banned', '440', '515', 'true', '1', 'yes'),
    fc.constantFrom('2026-01-01T11:00:00Z', 'data:image/png;base64,', '+55 11 91234-5678'),
  );
  const anyView = fc.record({
    status: scalar,
    connected: scalar,
    logged_in: scalar,
    qr_code: scalar,
    phone_number: scalar,
    message: scalar,
    blocked: scalar,
    last_disconnect_reason: scalar,
    last_disconnect_at: scalar,
  });

  it('exists for any status, is deterministic, and suggests a command', () => {
    fc.assert(
      fc.property(anyView, fc.option(anyView, { nil: undefined }), (members, then) => {
        const refusal = then && refusalNote(view(then), 'No.', now);
        const given = verdict(members, refusal);
        expect(Object.keys(stateWords)).toContain(given.state);
        expect(given.text).not.toBe('');
        expect(given.next === undefined).toBe(given.state === 'ready');
        if (given.next !== undefined)
          expect(given.next.text()).toMatch(/^botctl device (connect|watch|repair) "/);
        expect(verdict(members, refusal)).toEqual(given);
        if (given.state === 'ready') expect(stateOf(view(members))).toBe('ready');
      }),
      { numRuns: 2000 },
    );
  });

  it('passes an unknown reason through', () => {
    const reason = fc
      .stringMatching(/^[a-z]{8,20}$/)
      .filter((text) => !/ban|blocked|out|lost|conflict|link|replaced/.test(text));
    fc.assert(
      fc.property(reason, (text) => {
        for (const base of [stopped, offline, { status: 'odd' }])
          expect(verdict({ ...base, last_disconnect_reason: text }).text).toContain(text);
      }),
    );
  });

  it('has a tone for every state except the unknown one', () => {
    for (const state of Object.keys(stateWords))
      expect(stateTone(state) === undefined).toBe(state === 'unknown');
    expect(stateTone('constructor')).toBeUndefined();
  });
});
