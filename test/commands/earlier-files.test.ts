import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import { originOf } from '../../src/settings/base-url.ts';
import { seal, unseal } from '../../src/settings/rotation-journal.ts';
import { fileHash } from '../../src/settings/small-files.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { withoutWaiting } from '../support/fake-clock.ts';
import { useSandbox } from '../support/sandbox.ts';
import { pairOf, profilePair, setUpMachine } from './keys/rotated-machine.ts';

// The files of version 6abd2134 on a machine: see test/fixtures/earlier/README.md.

const fixture = join(import.meta.dirname, '../fixtures/earlier/machine-6abd2134');
const text = (name: string): string => readFileSync(join(fixture, name), 'utf8');

const sandbox = useSandbox();
const service = openDirect(sandbox);

const replaced = (content: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((all, [from, to]) => all.replaceAll(from, to), content);

const team = '11111111-1111-4111-8111-111111111111';
const earlierOrigin = 'http://127.0.0.1:4010';

describe('a rotation that an earlier version left unfinished', () => {
  it('sealed the new secret so that the old one still opens it', () => {
    const { sealed_secret: sealed } = JSON.parse(text('rotation-created.json'));
    const secret = unseal(sealed, new Secret('botsecret_of_the_old_key'));
    expect(secret?.reveal()).toBe('botsecret_of_the_new_key');
  });

  it.each(['planned', 'created', 'stored'])('ends with one key that works: %s', async (state) => {
    const machine = await setUpMachine(sandbox, sandbox.baseUrl);
    const { old } = machine;
    const earlier = JSON.parse(text(`rotation-${state}.json`));
    // The key that it had created, with the name in its journal, which contains the nonce.
    const created = pairOf(await service.call('POST', '/api-keys', { name: earlier.names[0] }));
    const content = replaced(text(`rotation-${state}.json`), {
      [earlierOrigin]: originOf(sandbox.baseUrl),
      [`"${earlier.old_key_id}"`]: `"${old.keyId}"`,
      'key-new': created.keyId,
      [earlier.sealed_secret ?? 'no successor']: seal(new Secret(created.secret), new Secret(old.secret)),
      [earlier.started_at]: new Date().toISOString(),
    });
    mkdirSync(join(machine.directory, 'rotations'));
    const file = `${fileHash(`${originOf(sandbox.baseUrl)}\n${old.keyId}`)}.json`;
    writeFileSync(join(machine.directory, 'rotations', file), content);
    const keySecret = new Secret(created.secret);
    if (state === 'stored')
      await machine.settings.profiles.replaceKey(
        { origin: originOf(sandbox.baseUrl), keyId: old.keyId },
        { keyId: created.keyId, keySecret },
      );
    const env = { BOTCTL_CONFIG_DIR: machine.directory };
    const ran = await botctl(['keys', 'rotate', '--yes'], { env, clock: withoutWaiting() });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    await machine.expectConverged(profilePair(machine));
    if (state !== 'planned') expect(profilePair(machine)).toEqual(created);
  });
});

describe('an upload that an earlier version left unfinished', () => {
  it.each([true, false])('is stored once; it had taken effect: %s', async (isStored) => {
    const teamId = await service.team('Aurora Coffee');
    const home = temporaryDirectory();
    const directory = join(home, 'data', 'uploads', fileHash(`${originOf(sandbox.baseUrl)}\n${teamId}`));
    mkdirSync(directory, { recursive: true });
    const content = replaced(text('uploads.ndjson'), { [team]: teamId, 1795600001000: String(Date.now()) });
    const log = join(directory, '5dcf9a6d-15ad-440e-b5c7-7638961b638e.ndjson');
    writeFileSync(log, content.replaceAll(/,"sha256":"[0-9a-f]+"/g, ''));
    if (isStored) {
      const form = new FormData();
      form.set('team_id', teamId);
      form.set('chars', '4');
      form.set('file', new Blob(['soup']), 'menu.txt');
      await service.call('POST', '/documents', form);
    }
    const path = join(temporaryDirectory(), 'menu.txt');
    writeFileSync(path, 'soup');
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
    const words = ['docs', 'upload', path, '--team', teamId, '-o', 'json'];
    const ran = await botctl(words, { env, clock: withoutWaiting() });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const { stdout } = await botctl(['docs', 'list', '--team', teamId, '-o', 'json'], { env });
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'menu.txt' }]);
    // No intent is left: the same file is found by its name alone.
    expect(() => readFileSync(log)).toThrow('ENOENT');
  });
});

describe('the device book of an earlier version', () => {
  it('is listed, and prevents a create without a response from being repeated', async () => {
    const teamId = await service.team('Acme');
    const bot = await service.createBot(teamId, 'Desk');
    const id = await service.device(teamId, bot, 'Reception');
    const home = temporaryDirectory();
    const data = join(home, 'data');
    mkdirSync(data, { recursive: true });
    const values = {
      [earlierOrigin]: originOf(sandbox.baseUrl),
      [team]: teamId,
      '22222222-2222-4222-8222-222222222222': id,
    };
    for (const name of ['devices.ndjson', 'device-history.ndjson'])
      writeFileSync(join(data, name), replaced(text(name), values));
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
    const listed = await botctl(['device', 'list', '-o', 'json'], { env });
    expect(JSON.parse(listed.stdout), listed.stderr).toMatchObject([{ id, name: 'Reception' }]);
    const shown = await botctl(['device', 'history', id, '-o', 'json'], { env });
    expect(JSON.parse(shown.stdout), shown.stderr).toMatchObject([{ event: 'lost' }, { event: 'paired' }]);
    const words = [
      'device',
      'create',
      '--name',
      'Kitchen',
      '--team',
      teamId,
      '--bot',
      bot,
      '--discard-token',
    ];
    const again = await botctl([...words, '--if-absent'], { env });
    expect(again, again.stderr).toMatchObject({ exitCode: 12 });
  });
});

describe('the token file of an earlier version', () => {
  it('gets its next token on a separate line', async () => {
    const home = temporaryDirectory();
    const tokens = join(home, 'tokens.ndjson');
    writeFileSync(tokens, text('tokens.ndjson'));
    const file = join(home, 'tenants.yaml');
    const administrator = { name: 'M', email: 'm@one.example', phone: '+5511999990000' };
    const one = {
      ...{ name: 'One', plan_name: 'pro', administrator },
      ...{ bots: { desk: { name: 'Desk' } }, devices: { rec: { name: 'Rec', bot: 'desk' } } },
    };
    writeFileSync(file, JSON.stringify({ version: 1, tenants: { one } }));
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
    const ran = await botctl(['tenants', 'apply', file, '--yes', '--secrets-file', tokens], { env });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const lines = readFileSync(tokens, 'utf8').trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual(text('tokens.ndjson').split('\n'));
    expect(lines.slice(2).map((line) => JSON.parse(line))).toMatchObject([{ address: 'one/devices/rec' }]);
  });
});
