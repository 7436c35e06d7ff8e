import { appendFileSync, chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/secrets/secret.ts';
import { createProfiles } from '../../../src/settings/profiles.ts';
import { createRotationJournal, type Rotation, seal } from '../../../src/settings/rotation-journal.ts';
import { unwritableDirectory } from '../../settings/support.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import { booksIn } from '../../support/device-books.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { doctor } from './support.ts';

const sandbox = useSandbox();
let home: string;

beforeEach(async () => {
  home = temporaryDirectory();
  const { baseUrl, keyId, keySecret } = sandbox;
  await createProfiles(home).save({ name: 'default', baseUrl, keyId, keySecret });
});

const examine = () => doctor({ BOTCTL_CONFIG_DIR: home });

describe('the config file', () => {
  it('that others can read is broken: exit code 2, and the suggested command fixes it', async () => {
    chmodSync(join(home, 'config.json'), 0o644);
    const { exitCode, at } = await examine();
    expect(exitCode).toBe(2);
    expect(at('config file')).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining('(mode 0644)'),
      remedy: `chmod 600 ${join(home, 'config.json')}`,
    });
    // Its content is still used.
    expect(at('token').verdict).toBe('ok');
    chmodSync(join(home, 'config.json'), 0o600);
    expect((await examine()).exitCode).toBe(0);
  });

  it('that others can read breaks nothing if the key comes from the environment', async () => {
    chmodSync(join(home, 'config.json'), 0o644);
    const { exitCode, at } = await doctor({ ...sandbox.env, BOTCTL_CONFIG_DIR: home });
    expect(exitCode).toBe(0);
    expect(at('config file')).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('It is not needed: the key is from the environment.'),
    });
  });

  it('that is corrupt is broken, and prevents no check of this machine', async () => {
    writeFileSync(join(home, 'config.json'), '{"profiles": oops');
    const { exitCode, at, named } = await examine();
    expect(exitCode).toBe(2);
    expect(at('config file')).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining('is not valid JSON'),
      remedy: expect.stringContaining('botctl login'),
    });
    expect(named('broken')).toEqual(['config file', 'credentials']);
    expect(at('key rotations').found).toBe('Skipped: first fix "config file".');
    expect(at('device book').verdict).toBe('ok');
  });

  it('that was repaired leaves copies with keys, which are reported', async () => {
    const copy = join(home, 'config.json.corrupt-12345678');
    writeFileSync(copy, 'anything', { mode: 0o600 });
    expect((await examine()).at('config file')).toMatchObject({ verdict: 'warning', remedy: `rm ${copy}` });
  });

  it('that names a missing profile is reported', async () => {
    writeFileSync(join(home, 'config.json'), '{"current_profile":"gone","profiles":{}}', { mode: 0o600 });
    const { at, exitCode } = await examine();
    expect(at('config file')).toMatchObject({ verdict: 'warning', found: expect.stringContaining('"gone"') });
    expect(exitCode).toBe(4);
  });
});

describe('the config directory', () => {
  it.each([
    [0o755, 'warning', 'can list'],
    [0o777, 'broken', 'can write to'],
    [0o1777, 'warning', 'is shared'],
  ] as const)('of mode %o is %s', async (mode, verdict, words) => {
    chmodSync(home, mode);
    const { at, exitCode } = await examine();
    expect(at('config directory')).toMatchObject({ verdict, found: expect.stringContaining(words) });
    expect(exitCode).toBe(verdict === 'broken' ? 2 : 0);
  });

  it('that cannot be written is no failure if the environment has the key', async () => {
    home = unwritableDirectory();
    const { exitCode, at } = await doctor({ ...sandbox.env, BOTCTL_CONFIG_DIR: home });
    expect(exitCode).toBe(0);
    for (const check of ['config directory', 'token cache', 'device book'])
      expect(at(check)).toMatchObject({
        verdict: 'warning',
        remedy: expect.stringContaining('BOTCTL_CONFIG_DIR'),
      });
  });
});

describe('the other files', () => {
  it('a cached token that others can read is broken', async () => {
    await examine();
    const tokens = join(home, 'cache', 'tokens');
    for (const name of readdirSync(tokens)) chmodSync(join(tokens, name), 0o640);
    const { exitCode, at } = await examine();
    expect(exitCode).toBe(2);
    expect(at('token cache')).toMatchObject({
      verdict: 'broken',
      remedy: expect.stringMatching(/^chmod 600 /),
    });
  });

  it('unreadable lines of the device book are counted', async () => {
    await booksIn(join(home, 'data')).record(sandbox.baseUrl, {
      id: 'device-1',
      seenAt: '2026-01-01T00:00:00Z',
    });
    const file = join(home, 'data', 'devices.ndjson');
    expect((await examine()).at('device book').verdict).toBe('ok');
    appendFileSync(file, '{"origin": half\n[]\n');
    expect((await examine()).at('device book')).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining(`2 lines in ${file} can't be read.`),
    });
  });

  it('a missing device book is not called sound', async () => {
    const { verdict, found } = (await examine()).at('device book');
    expect({ verdict, found }).toEqual({
      verdict: 'ok',
      found: `No device book in ${join(home, 'data')}.`,
    });
  });

  it('records of creates and forgotten devices in the device book are sound', async () => {
    const book = booksIn(join(home, 'data'));
    const at = '2026-01-01T00:00:00Z';
    const intended = await book.intend(sandbox.baseUrl, { name: 'Reception', teamId: 'team-1', at }, false);
    if (typeof intended === 'string') throw new Error(intended);
    await book.record(
      sandbox.baseUrl,
      { id: 'device-1', name: 'Reception', teamId: 'team-1', seenAt: at },
      intended,
    );
    await book.intend(sandbox.baseUrl, { name: 'Workshop', teamId: 'team-1', at }, false);
    await book.forget(sandbox.baseUrl, 'device-1', at);
    expect((await examine()).at('device book').verdict).toBe('ok');
  });

  it('a device book that is a directory is broken', async () => {
    mkdirSync(join(home, 'data', 'devices.ndjson'), { recursive: true });
    expect((await examine()).at('device book').verdict).toBe('broken');
  });

  it('an unfinished rotation names the command that continues it', async () => {
    const rotation = {
      origin: sandbox.baseUrl,
      old_key_id: 'key-0',
      nonce: 'n',
      names: ['ci (rotated)'] as const,
      keeps_old: false,
      handed_over: false,
      started_at: '2026-01-01T00:00:00.000Z',
      state: 'created' as const,
      key_id: sandbox.keyId,
      sealed_secret: seal(new Secret('next-secret'), new Secret('last-secret')),
    };
    const write = (written: Rotation): Promise<void> =>
      createRotationJournal(home).exclusively(
        { origin: written.origin, keyId: written.old_key_id },
        async (record) => record.write(written),
      );
    await write(rotation);
    const { at, exitCode } = await examine();
    expect(exitCode).toBe(0);
    expect(at('key rotations')).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('key-0'),
      remedy: 'Finish it, unless it is still running: botctl keys rotate --profile default',
    });
    await write({ ...rotation, state: 'stored', keeps_old: true, key_id: 'key-7' });
    expect((await examine()).at('key rotations').remedy).toContain('--finish --secret-file FILE');
    await write({ ...rotation, state: 'stored', keeps_old: true, handed_over: true });
    expect((await examine()).at('key rotations')).toMatchObject({
      remedy: 'When nothing uses it any more, delete it: botctl keys rotate --profile default --finish',
    });
  });
});
