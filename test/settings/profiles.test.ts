import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import { stealLock } from '../support/steal-lock.ts';
import {
  failureOf,
  modeOf,
  profileNamed,
  settingsIn,
  temporaryDirectory,
  unwritableDirectory,
  wordsOf,
} from './support.ts';

function configFile(directory: string): string {
  return join(directory, 'config.json');
}

function written(directory: string): unknown {
  return JSON.parse(readFileSync(configFile(directory), 'utf8'));
}

/** Returns a config file whose profile has one more member. */
function withSetting(member: string): string {
  return `{"profiles":{"default":{"base_url":"https://x.example.com","key_id":"k","key_secret":"s",${member}}}}`;
}

describe('saving a profile', () => {
  test('makes the first one current, and later ones only on request', async () => {
    const { profiles } = settingsIn(temporaryDirectory());
    await profiles.save(profileNamed('default'));
    expect(profiles.current()).toBe('default');
    await profiles.save(profileNamed('staging'));
    expect(profiles.current()).toBe('default');
    await profiles.save(profileNamed('prod'), { use: true });
    expect(profiles.current()).toBe('prod');
    expect(profiles.list().map(({ name }) => name)).toEqual(['default', 'staging', 'prod']);
  });

  test("uses the API's names in the file", async () => {
    const directory = temporaryDirectory();
    await settingsIn(directory).profiles.save(profileNamed('sandbox', { writtenBy: 'sandbox' }));
    expect(written(directory)).toEqual({
      current_profile: 'sandbox',
      profiles: {
        sandbox: {
          base_url: 'https://sandbox.example.com',
          key_id: 'key-of-sandbox',
          key_secret: 'secret-of-sandbox',
          written_by: 'sandbox',
        },
      },
    });
  });

  test('is visible to another run', async () => {
    const directory = temporaryDirectory();
    await settingsIn(directory).profiles.save(profileNamed('default', { writtenBy: 'sandbox' }));
    const found = settingsIn(directory).profiles.get('default');
    expect(found).toMatchObject({
      name: 'default',
      baseUrl: 'https://default.example.com',
      writtenBy: 'sandbox',
    });
    expect(found?.keySecret.reveal()).toBe('secret-of-default');
  });

  test('again replaces the identity and keeps the fields of a later version', async () => {
    const directory = temporaryDirectory();
    const { profiles } = settingsIn(directory);
    await profiles.save(profileNamed('default', { writtenBy: 'sandbox' }));
    const file: unknown = written(directory);
    writeFileSync(
      configFile(directory),
      JSON.stringify(file)
        .replace('"base_url"', '"protected":true,"base_url"')
        .replace('{', '{"theme":"dark",'),
    );
    await profiles.save(profileNamed('default', { keySecret: new Secret('another') }));
    expect(written(directory)).toEqual({
      theme: 'dark',
      current_profile: 'default',
      profiles: {
        default: {
          protected: true,
          base_url: 'https://default.example.com',
          key_id: 'key-of-default',
          key_secret: 'another',
        },
      },
    });
  });

  test('refuses a name that is unsafe for shells or files', async () => {
    const { profiles } = settingsIn(temporaryDirectory());
    for (const name of ['', 'two words', '../up', '__proto__', '-x', 'x'.repeat(65), 'é']) {
      const failure = await failureOf(() => profiles.save(profileNamed('default', { name })));
      expect(failure.kind, name).toBe('invalidInput');
    }
    expect(profiles.list()).toEqual([]);
  });

  test('accepts names of built-in properties', async () => {
    const { profiles } = settingsIn(temporaryDirectory());
    expect(profiles.get('constructor')).toBeUndefined();
    await profiles.save(profileNamed('constructor'));
    expect(profiles.get('constructor')?.keyId).toBe('key-of-constructor');
    await profiles.remove('toString');
    expect(profiles.list()).toHaveLength(1);
  });

  test('concurrently keeps them all', async () => {
    const directory = temporaryDirectory();
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => settingsIn(directory).profiles.save(profileNamed(name))));
    expect(
      new Set(
        settingsIn(directory)
          .profiles.list()
          .map(({ name }) => name),
      ),
    ).toEqual(new Set(names));
  });
});

describe('settings of a profile', () => {
  const settings = {
    queryNames: { page: 'p', team: 'teamId' },
    pageSize: 25,
    caFile: '/etc/company.pem',
    protected: true,
  };

  test('are kept when the key is replaced', async () => {
    const directory = temporaryDirectory();
    const { profiles } = settingsIn(directory);
    await profiles.save(profileNamed('default'));
    await profiles.configure('default', () => settings);
    await profiles.save(profileNamed('default', { keySecret: new Secret('another') }));
    expect(settingsIn(directory).profiles.get('default')?.settings).toEqual(settings);
    expect(written(directory)).toMatchObject({
      profiles: {
        default: {
          key_secret: 'another',
          query_names: { page: 'p', team: 'teamId' },
          page_size: 25,
          ca_file: '/etc/company.pem',
          protected: true,
        },
      },
    });
  });

  test('are not kept when the profile moves to another origin, except that it is protected', async () => {
    const { profiles } = settingsIn(temporaryDirectory());
    await profiles.save(profileNamed('default'));
    await profiles.configure('default', () => settings);
    await profiles.save(profileNamed('default', { baseUrl: 'https://default.example.com/v2' }));
    expect(profiles.get('default')?.settings).toEqual(settings);
    await profiles.save(profileNamed('default', { baseUrl: 'https://elsewhere.example.com' }));
    expect(profiles.get('default')?.settings).toEqual({ protected: true });
  });

  test('are returned with the identity', async () => {
    const found = settingsIn(temporaryDirectory());
    await found.profiles.save(profileNamed('default'));
    await found.profiles.configure('default', () => settings);
    expect((await found.identity()).settings).toEqual(settings);
  });

  test('that are omitted are removed', async () => {
    const { profiles } = settingsIn(temporaryDirectory());
    await profiles.save(profileNamed('default'));
    await profiles.configure('default', () => settings);
    await profiles.configure('default', () => ({ pageSize: 50 }));
    expect(profiles.get('default')?.settings).toEqual({ pageSize: 50 });
  });

  test('that several runs change concurrently are all kept', async () => {
    const directory = temporaryDirectory();
    await settingsIn(directory).profiles.save(profileNamed('default'));
    const changes = [{ protected: true }, { pageSize: 50 }, { region: 'BR' }, { qr: 'sextant' }] as const;
    await Promise.all(
      changes.map((change) =>
        settingsIn(directory).profiles.configure('default', (earlier) => ({ ...earlier, ...change })),
      ),
    );
    expect(settingsIn(directory).profiles.get('default')?.settings).toEqual(Object.assign({}, ...changes));
  });

  test('of a missing profile are not written', async () => {
    const directory = join(temporaryDirectory(), 'new');
    const { profiles } = settingsIn(directory);
    expect((await failureOf(() => profiles.configure('default', () => settings))).kind).toBe('invalidInput');
    expect(existsSync(directory)).toBe(false);
  });
});

test('a broken config file is removed by a command that can be pasted, for any name of its directory', async () => {
  const directory = join(temporaryDirectory(), 'of $HOME');
  mkdirSync(directory);
  writeFileSync(join(directory, 'config.json'), '{');
  const { words } = wordsOf(await failureOf(() => settingsIn(directory).profiles.list()));
  expect(words).toContain('of \\$HOME/config.json" &&');
});

describe('choosing and renaming a profile', () => {
  test('makes another one current', async () => {
    const { profiles } = settingsIn(temporaryDirectory());
    await profiles.save(profileNamed('default'));
    await profiles.save(profileNamed('staging'));
    await profiles.use('staging');
    expect(profiles.current()).toBe('staging');
    expect((await failureOf(() => profiles.use('prod'))).kind).toBe('invalidInput');
    expect(profiles.current()).toBe('staging');
  });

  test('moves everything, in place, and the current one stays current', async () => {
    const { profiles } = settingsIn(temporaryDirectory());
    await profiles.save(profileNamed('default'));
    await profiles.save(profileNamed('staging'));
    await profiles.configure('default', () => ({ protected: true }));
    await profiles.rename('default', 'prod');
    expect(profiles.list().map(({ name }) => name)).toEqual(['prod', 'staging']);
    expect(profiles.current()).toBe('prod');
    expect(profiles.get('prod')).toMatchObject({ keyId: 'key-of-default', settings: { protected: true } });
    await profiles.rename('staging', 'test');
    expect(profiles.current()).toBe('prod');
    expect((await failureOf(() => profiles.rename('nowhere', 'other'))).kind).toBe('invalidInput');
    expect(profiles.list().map(({ name }) => name)).toEqual(['prod', 'test']);
  });

  test.each(['staging', '../up', ''])('to %j is refused', async (name) => {
    const { profiles } = settingsIn(temporaryDirectory());
    await profiles.save(profileNamed('default'));
    await profiles.save(profileNamed('staging'));
    expect((await failureOf(() => profiles.rename('default', name))).kind).toBe('invalidInput');
    expect(profiles.list().map((profile) => profile.name)).toEqual(['default', 'staging']);
  });
});

describe('removing a profile', () => {
  test('removes its secret from the file', async () => {
    const directory = temporaryDirectory();
    const { profiles } = settingsIn(directory);
    await profiles.save(profileNamed('default'));
    await profiles.save(profileNamed('staging'));
    await profiles.remove('default');
    expect(readFileSync(configFile(directory), 'utf8')).not.toContain('secret-of-default');
    expect(profiles.current()).toBeUndefined();
    expect(profiles.list().map(({ name }) => name)).toEqual(['staging']);
  });

  test('of another name keeps the current one', async () => {
    const { profiles } = settingsIn(temporaryDirectory());
    await profiles.save(profileNamed('default'));
    await profiles.save(profileNamed('staging'));
    await profiles.remove('staging');
    expect(profiles.current()).toBe('default');
  });

  test('that does not exist writes nothing', async () => {
    const directory = join(temporaryDirectory(), 'new');
    await settingsIn(directory).profiles.remove('default');
    expect(existsSync(directory)).toBe(false);
  });
});

describe('files', () => {
  test('are not created by reading', () => {
    const directory = join(temporaryDirectory(), 'new');
    const settings = settingsIn(directory);
    settings.profiles.list();
    settings.profiles.current();
    const keySecret = new Secret('s');
    settings.tokens.read({ profile: 'default', baseUrl: 'https://x.example.com', keyId: 'k', keySecret });
    expect(existsSync(directory)).toBe(false);
  });

  test('are private, and the mode is restored at each write', async () => {
    const directory = join(temporaryDirectory(), 'new');
    const { profiles } = settingsIn(directory);
    await profiles.save(profileNamed('default'));
    expect([modeOf(directory), modeOf(configFile(directory))]).toEqual([0o700, 0o600]);
    chmodSync(directory, 0o755);
    chmodSync(configFile(directory), 0o644);
    await profiles.save(profileNamed('staging'));
    expect([modeOf(directory), modeOf(configFile(directory))]).toEqual([0o755, 0o600]);
  });

  test.each([0o1777, 0o2775, 0o755])('do not close a shared directory (mode %o)', async (mode) => {
    const directory = temporaryDirectory();
    chmodSync(directory, mode);
    await settingsIn(directory).profiles.save(profileNamed('default'));
    expect(statSync(directory).mode & 0o7777).toBe(mode);
    expect(modeOf(configFile(directory))).toBe(0o600);
  });

  test('include a config file that is a symbolic link, which stays one', async () => {
    const [directory, elsewhere] = [temporaryDirectory(), temporaryDirectory()];
    const { profiles } = settingsIn(directory);
    await profiles.save(profileNamed('default'));
    renameSync(configFile(directory), configFile(elsewhere));
    symlinkSync(configFile(elsewhere), configFile(directory));
    await profiles.save(profileNamed('staging'));
    expect(lstatSync(configFile(directory)).isSymbolicLink()).toBe(true);
    expect(profiles.list().map(({ name }) => name)).toEqual(['default', 'staging']);
    expect([readdirSync(directory), readdirSync(elsewhere)]).toEqual([['config.json'], ['config.json']]);
  });

  test('are not replaced once another process has taken over the lock', async () => {
    const directory = temporaryDirectory();
    const { profiles } = settingsIn(directory);
    await profiles.save(profileNamed('default'));
    const saving = profiles.save(() => {
      stealLock(join(directory, 'config.lock'));
      return profileNamed('staging');
    });
    await expect(saving).rejects.toThrow('Another process has taken over the lock');
    expect(profiles.list().map(({ name }) => name)).toEqual(['default']);
    expect(readdirSync(directory).sort()).toEqual(['config.json', 'config.lock']);
  });

  test('are written without leftovers', async () => {
    const directory = temporaryDirectory();
    await settingsIn(directory).profiles.save(profileNamed('default'));
    expect(readdirSync(directory)).toEqual(['config.json']);
  });

  test.each([
    ['{"profiles":', /is not valid JSON/],
    ['', /is not valid JSON/],
    ['[]', /must have an object/],
    ['{"profiles":[]}', /profiles/],
    ['{"profiles":{"default":"x"}}', /profiles\.default/],
    [
      '{"profiles":{"default":{"base_url":"https://x.example.com","key_id":"k"}}}',
      /profiles\.default\.key_secret/,
    ],
    [
      '{"profiles":{"default":{"base_url":"ftp://x","key_id":"k","key_secret":"s"}}}',
      /profiles\.default\.base_url/,
    ],
    ['{"current_profile":7}', /current_profile/],
    [withSetting('"page_size":0'), /profiles\.default\.page_size/],
    [withSetting('"page_size":"50"'), /profiles\.default\.page_size/],
    [withSetting('"learned_page_size":0'), /profiles\.default\.learned_page_size/],
    [withSetting('"unsent":"page"'), /profiles\.default\.unsent/],
    [withSetting('"unsent":["page","name"]'), /profiles\.default\.unsent/],
    [withSetting('"unsent":[]'), /profiles\.default\.unsent/],
    [withSetting('"ca_file":""'), /profiles\.default\.ca_file/],
    [withSetting('"protected":"yes"'), /profiles\.default\.protected/],
    [withSetting('"database":7'), /profiles\.default\.database/],
    [withSetting('"database":"mysql://host/x"'), /profiles\.default\.database/],
    [
      withSetting('"desk_database":"postgres://ana:pw@host/x"'),
      /without a password, in profiles\.default\.desk_database/,
    ],
    [withSetting('"operator":""'), /1 to 64 characters .* in profiles\.default\.operator/],
    [withSetting('"operator":"a\\u001b[2J"'), /profiles\.default\.operator/],
    [
      withSetting('"database":"postgres://ana:pw@host/x"'),
      /without a password, in profiles\.default\.database/,
    ],
    [withSetting('"query_names":["p"]'), /profiles\.default\.query_names/],
    [withSetting('"query_names":{"pages":"p"}'), /not have pages in profiles\.default\.query_names/],
    [withSetting('"query_names":{"page":"p p"}'), /profiles\.default\.query_names\.page/],
    [withSetting('"query_names":{"page":"limit"}'), /both page and limit/],
  ])('with the corrupt content %j are named, copied and unchanged', async (text, why) => {
    const directory = temporaryDirectory();
    writeFileSync(configFile(directory), text);
    for (const work of [
      () => settingsIn(directory).profiles.list(),
      () => settingsIn(directory).identity(),
      () => settingsIn(directory).profiles.save(profileNamed('default')),
    ]) {
      const { kind, words } = wordsOf(await failureOf(work));
      expect(kind).toBe('invalidInput');
      expect(words).toContain(configFile(directory));
      expect(words).toMatch(why);
    }
    expect(readFileSync(configFile(directory), 'utf8')).toBe(text);
    const copies = readdirSync(directory).filter((name) => name.includes('corrupt'));
    expect(copies).toHaveLength(1);
    const copy = join(directory, copies[0] ?? '');
    expect(readFileSync(copy, 'utf8')).toBe(text);
    expect(modeOf(copy)).toBe(0o600);
  });

  test('may be corrupt for environment credentials', async () => {
    const directory = temporaryDirectory();
    writeFileSync(configFile(directory), 'nonsense');
    const env = { BOTCTL_BASE_URL: 'https://e.example.com', BOTCTL_KEY_ID: 'i', BOTCTL_KEY_SECRET: 's' };
    expect((await settingsIn(directory, env).identity()).source).toBe('environment');
  });

  test('may start with a byte order mark', () => {
    const directory = temporaryDirectory();
    writeFileSync(configFile(directory), '\uFEFF{"profiles":{}}');
    expect(settingsIn(directory).profiles.list()).toEqual([]);
  });

  test('are named if the config file is a directory', async () => {
    const directory = temporaryDirectory();
    mkdirSync(configFile(directory));
    const { kind, words } = wordsOf(await failureOf(() => settingsIn(directory).identity()));
    expect(kind).toBe('invalidInput');
    expect(words).toContain(configFile(directory));
  });
});

describe('if nothing can be written', () => {
  test('reading finds nothing, and saving suggests a remedy', async () => {
    const directory = unwritableDirectory();
    const { profiles } = settingsIn(directory);
    expect(profiles.list()).toEqual([]);
    const { kind, words } = wordsOf(await failureOf(() => profiles.save(profileNamed('default'))));
    expect(kind).toBe('invalidInput');
    expect(words).toContain('BOTCTL_CONFIG_DIR');
    expect(words).not.toContain('secret-of');
  });

  test('saving fails below /proc instead of retrying forever', async () => {
    const failure = await failureOf(() =>
      settingsIn('/proc/nowhere/botctl').profiles.save(profileNamed('default')),
    );
    expect(failure.kind).toBe('invalidInput');
  });

  test('environment credentials work', async () => {
    const env = { BOTCTL_BASE_URL: 'https://e.example.com', BOTCTL_KEY_ID: 'i', BOTCTL_KEY_SECRET: 's' };
    const settings = settingsIn(unwritableDirectory(), env);
    expect(await settings.identity()).toMatchObject({ source: 'environment', keyId: 'i' });
    const owner = {
      profile: undefined,
      baseUrl: 'https://e.example.com',
      keyId: 'i',
      keySecret: new Secret('s'),
    };
    await settings.tokens.write(owner, {
      token: new Secret('t'),
      issuedAt: 0,
      expiresAt: Number.MAX_SAFE_INTEGER,
    });
    expect(settings.tokens.read(owner)).toBeUndefined();
    await settings.tokens.remove(owner);
  });
});
