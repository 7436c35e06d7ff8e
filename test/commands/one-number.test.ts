import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { storeAt } from '../support/campaign-stores.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let home: string;
let deviceId: string;

beforeEach(async () => {
  home = temporaryDirectory();
  const teamId = await service.team('Aurora Coffee');
  deviceId = await service.device(teamId, await service.createBot(teamId, 'Front desk'), 'Reception');
  await service.connect(deviceId);
});

const run = (args: readonly string[], options: RunOptions = {}) =>
  botctl(args, { ...options, env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home, ...options.env } });
const send = (number: string, ...more: readonly string[]) =>
  run(['send', '--device', deviceId, '--to', number, '--message', 'Hi', ...more]);
const optedOut = async (): Promise<string> =>
  (await run(['optouts', 'list', '--fields', 'number', '-o', 'tsv'])).stdout;

/** Returns the recipients of messages, the newest first. */
async function sentTo(): Promise<readonly unknown[]> {
  const { rows } = await callControl(sandbox.control, '/messages', { limit: 100 });
  return rows.map(({ destination_number }) => destination_number);
}

describe('a number that opted out', () => {
  it.each([
    ['+5511988887777', '+55 (011) 98888-7777'],
    ['+5511988887777', '+55 (0)11 98888-7777'],
    ['+442079460018', '+4402079460018'],
    ['+6281234567890', '+62 0812 345 67890'],
    ['+390612345678', '+39 (0)6 12345678'],
    ['+5491112345678', '+54 11 15-1234-5678'],
  ])(
    '%s receives no message as %s: the command is refused, and the suggested number causes a question',
    async (number, other) => {
      await run(['optouts', 'add', number]);
      const refused = await send(other, '--yes');
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain(`Give ${number}.`);
      const asked = await send(number);
      expect(asked.exitCode).toBe(2);
      expect(asked.stderr).toContain(`${number} has opted out`);
      expect(await sentTo()).toEqual([]);
    },
  );
});

it('a number is shown, compared, opted out and sent in one form, for any notation', async () => {
  const number = '5511988887777';
  const gap = fc.constantFrom('', '', ' ', '-', '.', '\u200b', '\ufeff', '\u00a0', '\u202a', '\uff0d');
  const spelling = fc
    .tuple(
      fc.constantFrom('+', '\uff0b', '00', 'tel:+', '(+'),
      fc.constantFrom('', '', '0', '(0)'),
      fc.array(gap, { minLength: number.length, maxLength: number.length }),
      fc.boolean(),
    )
    .map(([prefix, zero, gaps, isWide]) =>
      [...number].reduce((text, digit, at) => {
        const one = isWide ? String.fromCharCode(digit.charCodeAt(0) + 0xfee0) : digit;
        return `${text}${gaps[at]}${at === 2 ? zero : ''}${one}`;
      }, prefix),
    );
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(spelling, async (written) => {
      const ran = await send(written, '-o', 'json');
      const list = await run(
        [
          'campaigns',
          'create',
          'x',
          '--recipients',
          '-',
          '--device',
          deviceId,
          '--message',
          'Hi',
          '--dry-run',
          '-o',
          'json',
        ],
        { stdin: JSON.stringify({ phone: written }) },
      );
      const noted = await run(['optouts', 'add', written]);
      if (ran.exitCode === 2) {
        for (const one of [ran, list, noted]) expect(one, written).toMatchObject({ exitCode: 2, stdout: '' });
        expect(await optedOut()).toBe('');
      } else {
        sent += 1;
        expect(ran.stderr, written).toContain(`Accepted for +${number}.`);
        expect(JSON.parse(list.stdout), written).toMatchObject({ planned: 1, first_to: `+${number}` });
        expect(await optedOut()).toBe(`+${number}\n`);
        expect((await send(written)).stderr).toContain(`+${number} has opted out`);
        const removed = await run(['optouts', 'remove', written, '--yes']);
        expect(removed.exitCode, removed.stderr).toBe(0);
      }
      expect(await sentTo()).toEqual(Array.from({ length: sent }, () => number));
    }),
    { numRuns: 32 },
  );
});

it('a number that an earlier version stored with a trunk zero counts as opted out, and can be removed', async () => {
  const stored = storeAt(join(home, 'data')).optOuts(sandbox.baseUrl);
  await stored.add([{ number: '55011988887777', added_at: '2026-01-01T00:00:00.000Z' }]);
  for (const number of ['+5511988887777', '+551188887777'])
    expect((await send(number)).stderr).toContain(`${number} has opted out`);
  expect(await sentTo()).toEqual([]);
  expect(await run(['optouts', 'remove', '+5511988887777', '--yes'])).toMatchObject({ exitCode: 0 });
  expect(await optedOut()).toBe('');
});

describe('send', () => {
  it('refuses a number that is too short for its country', async () => {
    const ran = await send('+55 98888-7777', '--yes');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('--to has 9 digits after +55, where numbers have 10 or 11');
    expect(await sentTo()).toEqual([]);
  });

  it('accepts a number that looks unassigned, with a note', async () => {
    const ran = await send('+55 11 8888-7777');
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('+551188887777 looks unassigned.');
    expect(await sentTo()).toEqual(['551188887777']);
  });
});
