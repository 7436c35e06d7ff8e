import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import metadata from 'libphonenumber-js/metadata.max.json' with { type: 'json' };
import { beforeEach, describe, expect, it } from 'vitest';
import { isRegion } from '../../src/phone-numbers/regions.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { settingsIn } from '../settings/support.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
let env: Record<string, string>;

beforeEach(async () => {
  env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
  const { baseUrl, keyId, keySecret } = sandbox;
  const profile = { name: 'prod', baseUrl, keyId, keySecret: new Secret(keySecret.reveal()) };
  await settingsIn(env.BOTCTL_CONFIG_DIR ?? '').profiles.save(profile);
});

const team = ['teams', 'create', '--name', 'Acme', '--plan', 'pro', '--admin-name', 'Ana'];
const create = (number: string, ...more: readonly string[]) => [
  ...[...team, '--admin-email', 'ana@acme.example', '--admin-phone', number, '-o', 'json', ...more],
];
const teams = async () => JSON.parse((await botctl(['teams', 'list', '-o', 'json'], { env })).stdout);

describe('a phone number without a country code', () => {
  it.each([
    ['--to', ['send', '--device', 'x', '--message', 'hi', '--to']],
    ['--expect', ['device', 'connect', 'x', '--wait', '--expect']],
    ['--admin-phone', [...team, '--admin-email', 'ana@acme.example', '--admin-phone']],
    ['--number', ['sandbox', 'phone', 'scan', 'code.png', '--number']],
  ])('is refused as %s with both remedies, before any request is sent', async (option, line) => {
    const ran = await botctl([...line, '11988887777'], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`${option} needs a + and its country code: "11988887777" has no +.`);
    expect(ran.stderr).toContain(`Give ${option} +5511988887777 if it is one of Brazil`);
    expect(ran.stderr).toContain('--region BR');
    const dialled = await botctl([...line, '011 98888-7777'], { env });
    expect(dialled.exitCode).toBe(2);
    expect(dialled.stderr).toContain(`Give ${option} +5511988887777`);
    expect(dialled.stderr).not.toContain('+011');
    expect(await teams()).toEqual([]);
  });

  it.each(['+55 11 98888-7777', '005511988887777', 'tel:+55-11-98888-7777', 'TEL: +5511988887777'])(
    'does not include %s, in any region',
    async (number) => {
      const ran = await botctl(create(number, '--region', 'US'), { env });
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(JSON.parse(ran.stdout).user.phone).toBe('+5511988887777');
      expect(ran.stderr).not.toContain('is dialled as');
    },
  );
});

describe('a national number', () => {
  const shown = '11 98888-7777 is dialled as +5511988887777 (BR).';

  it('is interpreted in the region of the option, the variable or the profile, and shown in full', async () => {
    const byOption = await botctl(create('11 98888-7777', '--region', 'br'), { env });
    expect(byOption.exitCode, byOption.stderr).toBe(0);
    expect(JSON.parse(byOption.stdout).user.phone).toBe('+5511988887777');
    expect(byOption.stderr).toContain(shown);
    const send = ['send', '--device', 'x', '--message', 'hi', '--to', '11 98888-7777'];
    const byVariable = await botctl(send, { env: { ...env, BOTCTL_REGION: 'BR' } });
    // It gets as far as the device, which does not exist.
    expect(byVariable).toMatchObject({ exitCode: 5 });
    const set = await botctl(['profiles', 'set', 'prod', '--region', 'br', '-o', 'json'], { env });
    expect(JSON.parse(set.stdout)).toMatchObject({ region: 'BR' });
    expect(await botctl(send, { env })).toMatchObject({ exitCode: 5 });
    expect(await botctl([...send, '--region', 'US'], { env })).toMatchObject({ exitCode: 2 });
    const { BOTCTL_BASE_URL, BOTCTL_KEY_ID, BOTCTL_KEY_SECRET } = sandbox.env;
    const other = { ...env, BOTCTL_BASE_URL, BOTCTL_KEY_ID, BOTCTL_KEY_SECRET };
    expect(await botctl(send, { env: other }), 'the key of the environment has no profile').toMatchObject({
      exitCode: 2,
    });
    await botctl(['profiles', 'set', 'prod', '--unset', 'region'], { env });
    expect(await botctl(send, { env })).toMatchObject({ exitCode: 2 });
  });

  it('is shown before the user confirms', async () => {
    await botctl(['profiles', 'set', 'prod', '--protect'], { env });
    const line = [
      'send',
      '--device',
      '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52',
      '--message',
      'hi',
      '--region',
      'BR',
    ];
    const ran = await botctl(line, {
      env,
      terminal: true,
      answers: { 'to confirm': 'prod', 'country code': '(11) 98888-7777' },
    });
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('(11) 98888-7777 is dialled as +5511988887777 (BR).');
  });

  it.each([
    ['without its area code', '98888-7777'],
    ['with a letter for a digit', '11 9888O-7777'],
    ['with an extension', '11 98888-7777 x7'],
    ['with a digit too few', '11 9888-777'],
  ])('%s is refused', async (_, number) => {
    const ran = await botctl(create(number, '--region', 'BR'), { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('--admin-phone must be a whole phone number');
    expect(await teams()).toEqual([]);
  });

  it.each([
    ['US', '(415) 555-2671', '+14155552671'],
    ['GB', '020 7946 0018', '+442079460018'],
    ['BR', '(11) 3333-4444', '+551133334444'],
    ['US', '011 44 20 7946 0018', '+442079460018'],
  ])('of %s, %s, may be a landline or a mobile number', async (region, number, dialled) => {
    const ran = await botctl(create(number, '--region', region), { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout).user.phone).toBe(dialled);
  });
});

describe('a region', () => {
  const wrong = 'must be a region of two letters, such as BR, not';

  it.each([
    ['reads a number', create('11 98888-7777')],
    ['reads a number that needs none', create('+5511988887777')],
    ['reads no number', ['teams', 'list']],
    ['stores it', ['profiles', 'set', 'prod']],
    ['calls no service', ['device', 'list']],
  ])('that is unknown is refused if a command %s', async (_, line) => {
    for (const region of ['XX', 'Brazil', 'constructor', '']) {
      const ran = await botctl([...line, '--error-format', 'text', '--region', region], { env });
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain(`--region ${wrong} "${region}".`);
    }
    const ran = await botctl([...line, '--error-format', 'text'], { env: { ...env, BOTCTL_REGION: 'XX' } });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`BOTCTL_REGION ${wrong} "XX".`);
    expect(await teams()).toEqual([]);
  });

  it('from the variable is not stored by profiles set', async () => {
    const set = await botctl(['profiles', 'set', 'prod'], { env: { ...env, BOTCTL_REGION: 'BR' } });
    expect(set).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('No setting was given.') });
  });

  it('that is unknown in the config file is reported with the file', async () => {
    const file = join(env.BOTCTL_CONFIG_DIR ?? '', 'config.json');
    await botctl(['profiles', 'set', 'prod', '--region', 'br'], { env });
    writeFileSync(file, readFileSync(file, 'utf8').replace('"BR"', '"XX"'));
    const ran = await botctl(['teams', 'list'], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toMatch(/must have a region of two letters, such as BR, in .*prod\.region/);
  });

  it('is every one whose numbers can be parsed', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const known = letters.flatMap((one) => letters.map((other) => one + other)).filter(isRegion);
    expect(known).toEqual(Object.keys(metadata.countries).sort());
    expect([' ', 'B', 'BRA', 'B ', ' B', 'ſs'].filter(isRegion)).toEqual([]);
    expect(isRegion('br')).toBe(true);
  });
});
