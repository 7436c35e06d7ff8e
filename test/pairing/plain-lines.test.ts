import { PassThrough, Writable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import type { PairingActions, PairingView } from '../../src/pairing/event-view.ts';
import { PlainLines } from '../../src/pairing/plain-lines.ts';
import type { Device } from '../../src/resources/devices/device.ts';
import type { PairingEvent } from '../../src/resources/devices/pairing/watch-pairing.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createTerminal } from '../../src/terminal/terminal.ts';
import { FakeClock } from '../support/fake-clock.ts';

const device: Device = {
  id: 'd',
  label: 'Reception',
  word: 'Reception',
  name: 'Reception',
  team: 'Acme',
  bot: 'Sales',
};
const page = { url: 'http://here/', sshLine: 'ssh there' };
const begin = 1_800_000_000_000;

function opened({
  actions,
  ...options
}: Partial<Omit<PairingView, 'actions'>> & { actions?: Partial<PairingActions> } = {}) {
  let written = '';
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  const stdin = new PassThrough();
  const io = { stdin, stdout: stderr, stderr, env: {}, signal: new AbortController().signal };
  const clock = new FakeClock({ now: begin, byHand: true });
  const terminal = createTerminal(io, { color: true });
  const view = new PlainLines({ terminal, clock, io }, device, {
    actions: { page: async () => page, file: async () => '', ...actions },
    file: undefined,
    page: undefined,
    ...options,
  });
  const take = (): readonly string[] => {
    const lines = written.split('\n').filter((line) => line !== '');
    written = '';
    return lines;
  };
  const type = async (text: string): Promise<readonly string[]> => {
    stdin.write(text);
    await nextRound();
    return take();
  };
  return { view, clock, take, type };
}

function code(number: number, more: Partial<Extract<PairingEvent, { kind: 'code' }>> = {}): PairingEvent {
  const read = {
    payload: new Secret(`payload number ${number}`),
    fingerprint: `f${number}`,
    picture: Buffer.of(),
  };
  return { kind: 'code', at: begin, code: read, number, since: begin, life: 60_000, round: 1, ...more };
}

describe('plain lines', () => {
  it('name what to do on the phone, where the code is, and what can be typed', () => {
    const actions: PairingActions = {
      page: async () => page,
      file: async () => '',
      renew: () => undefined,
    };
    const bare = opened({ actions }).take();
    expect(bare).toEqual([
      'Pairing Reception, of team Acme and bot Sales.',
      'On the phone, open the messaging app, tap Linked devices, tap Link a device, and point the camera at the code.',
      'The code is not drawn here. To see it, use --qr-web or --qr-file FILE.',
      'Type a letter and Enter: w for a web page with the code, f for a file with its picture, r for a new code, q to leave.',
    ]);
    const placed = opened({ actions, file: 'pair.png', page }).take();
    expect(placed.slice(2)).toEqual([
      'Page with the code: http://here/',
      'To open it on another machine, run this there: ssh there',
      'The picture of the current code is in the file pair.png.',
      'Type a letter and Enter: r for a new code, q to leave.',
    ]);
  });

  it('count down a code in spoken steps, and stop at the next event', async () => {
    const { view, clock, take } = opened();
    take();
    await view.show(code(1));
    expect(take()).toEqual(['Code 1 is ready. It expires in about 60 seconds.']);
    await clock.pass(29_999);
    expect(take()).toEqual([]);
    await clock.pass(1);
    expect(take()).toEqual(['The code expires in about 30 seconds.']);
    await clock.pass(40_000);
    expect(take()).toEqual([
      'The code expires in about 10 seconds.',
      'The code may have expired. A new one is due.',
    ]);
    await view.show(code(2, { at: clock.now(), since: clock.now(), life: 20_000 }));
    expect(take()).toEqual(['Code 2 replaces it. It expires in about 20 seconds.']);
    await clock.pass(5000);
    await view.show({ kind: 'scanned', at: clock.now(), since: clock.now() });
    await clock.pass(60_000);
    expect(take()).toEqual(['Scanned, connecting. This takes a few seconds. Leave the phone unlocked.']);
    view.close();
  });

  it('have a line for each other change', async () => {
    const { view, take } = opened();
    const at = begin;
    take();
    const line = async (event: PairingEvent): Promise<string> => {
      await view.show(event);
      return take().join(' | ');
    };
    expect(await line({ kind: 'starting', at })).toBe('Starting. Waiting for the code.');
    expect(await line(code(1, { life: undefined }))).toBe('Code 1 is ready.');
    expect(await line({ kind: 'unreachable', at, problem: 'No answer.' })).toBe('No answer. Trying again.');
    expect(await line(code(1, { life: undefined }))).toBe('Code 1 is still valid.');
    expect(await line({ kind: 'stalled', at, since: at })).toMatch(
      /^Scanned 0 s ago, but still not connected\. \| ./,
    );
    expect(await line({ kind: 'renewing', at, round: 2, pause: 5000 })).toBe(
      "Requesting new codes. Don't scan the last one. Round 2 starts in 5 s, with a new code.",
    );
    expect(await line(code(1, { round: 2, life: undefined }))).toBe('Code 1 of round 2 is ready.');
    expect(await line({ kind: 'stopped', at, reason: '401 logged out' })).toMatch(
      /^The device is stopped: .*\. Waiting until it is connected\.$/,
    );
    expect(await line({ kind: 'unreadable', at, problem: 'is a GIF', picture: undefined })).toBe(
      "The code can't be shown. The service sent a picture that can't be read: it is a GIF.",
    );
    view.close();
  });

  it('accept letters with Enter, and print the result', async () => {
    let renewed = 0;
    const { view, take, type } = opened({
      actions: {
        page: async () => page,
        file: async () => {
          throw new Failure('usage', 'There is no code at the moment.');
        },
        renew: () => {
          renewed += 1;
        },
      },
    });
    take();
    expect(await type('w\n')).toEqual([
      'Page with the code: http://here/',
      'To open it on another machine, run this there: ssh there',
    ]);
    expect(await type('F\r\n')).toEqual(['There is no code at the moment.']);
    expect(await type('x\n')).toEqual([expect.stringMatching(/^Type a letter and Enter: /)]);
    await view.show(code(1));
    await type('r\n');
    expect(renewed).toBe(1);
    await view.show({ kind: 'scanned', at: begin, since: begin });
    take();
    expect(await type('r\n')).toEqual(['A phone has scanned the code. Wait until it is connected.']);
    expect(renewed).toBe(1);
    await type('q\n');
    expect(view.signal.reason).toMatchObject({ kind: 'declined' });
    view.close();
  });

  it('request no new code for a device that may be paired already', async () => {
    const renew = vi.fn();
    const { view, type } = opened({ actions: { renew } });
    expect(await type('r\n')).toContain('There is no code to replace yet.');
    await view.show({ kind: 'reconnecting', at: begin });
    expect(await type('r\n')).toContain('There is no code to replace yet.');
    await view.show({ kind: 'unreachable', at: begin, problem: 'No answer.' });
    expect(await type('r\n')).toContain('There is no code to replace yet.');
    expect(renew).not.toHaveBeenCalled();
  });
});
