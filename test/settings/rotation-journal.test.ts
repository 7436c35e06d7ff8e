import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import {
  createRotationJournal,
  type Rotation,
  type RotationJournal,
  seal,
  unseal,
} from '../../src/settings/rotation-journal.ts';
import { stealLock } from '../support/steal-lock.ts';
import { failureOf, modeOf, temporaryDirectory, unwritableDirectory, wordsOf } from './support.ts';

const origin = 'https://api.example.com';

const planned: Rotation = {
  state: 'planned',
  origin,
  old_key_id: 'key-1',
  old_name: 'ci',
  nonce: 'x7k2pq4d',
  names: ['ci-x7k2pq4d'],
  expires_at: '2026-04-01T00:00:00.000Z',
  secret_file: undefined,
  keeps_old: false,
  handed_over: false,
  started_at: '2026-01-01T00:00:00.000Z',
};

const created: Rotation = {
  ...planned,
  state: 'created',
  key_id: 'key-2',
  sealed_secret: 'sealed',
};

const oldKey = { origin, keyId: 'key-1' };

function write(journal: RotationJournal, rotation: Rotation): Promise<void> {
  const key = { origin: rotation.origin, keyId: rotation.old_key_id };
  return journal.exclusively(key, async (record) => record.write(rotation));
}

describe('the rotation journal', () => {
  test('returns what was written, by the old key and by the new one', async () => {
    const journal = createRotationJournal(temporaryDirectory());
    expect(journal.find({ origin, keyId: 'key-1' })).toBeUndefined();
    await write(journal, planned);
    expect(journal.find({ origin, keyId: 'key-1' })).toEqual(planned);
    await write(journal, created);
    expect(journal.find({ origin, keyId: 'key-1' })).toEqual(created);
    expect(journal.find({ origin, keyId: 'key-2' })).toEqual(created);
    expect(journal.find({ origin, keyId: 'key-3' })).toBeUndefined();
    expect(journal.find({ origin: 'https://elsewhere.example', keyId: 'key-1' })).toBeUndefined();
    await journal.exclusively(oldKey, async (record) => record.remove());
    expect(journal.find({ origin, keyId: 'key-2' })).toBeUndefined();
  });

  test('finds a key that is old in one rotation and new in another as new first', async () => {
    const journal = createRotationJournal(temporaryDirectory());
    await write(journal, { ...planned, old_key_id: 'key-2' });
    await write(journal, created);
    expect(journal.find({ origin, keyId: 'key-2' })).toEqual(created);
  });

  test('is neither written nor removed once another process has taken over the rotation', async () => {
    const directory = temporaryDirectory();
    const journal = createRotationJournal(directory);
    await journal.exclusively(oldKey, async (record) => {
      record.write(planned);
      const rotations = join(directory, 'rotations');
      const lock = readdirSync(rotations).find((name) => name.endsWith('.lock'));
      stealLock(join(rotations, String(lock)));
      expect(() => record.write(created)).toThrow('Another process has taken over the lock');
      expect(() => record.remove()).toThrow('Another process has taken over the lock');
      expect(journal.list()).toEqual([planned]);
    });
  });

  test('reads the file of an earlier version, without `keeps_old` and `handed_over`', async () => {
    const directory = temporaryDirectory();
    const journal = createRotationJournal(directory);
    await write(journal, created);
    const [name = ''] = readdirSync(join(directory, 'rotations'));
    const file = join(directory, 'rotations', name);
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.filter((line) => !/"(keeps_old|handed_over)"/.test(line)).join('\n'));
    expect(readFileSync(file, 'utf8')).not.toContain('handed_over');
    expect(journal.list()).toEqual([created]);
  });

  test('is private', async () => {
    const directory = temporaryDirectory();
    await write(createRotationJournal(directory), created);
    const [file = ''] = readdirSync(join(directory, 'rotations'));
    expect(modeOf(join(directory, 'rotations'))).toBe(0o700);
    expect(modeOf(join(directory, 'rotations', file))).toBe(0o600);
  });

  test.each(['', '{', '[]', '{}', '{"names":["a"],"state":"planned"}'])(
    'reports a file with %j in it instead of ignoring it',
    async (text) => {
      const directory = temporaryDirectory();
      const journal = createRotationJournal(directory);
      await write(journal, planned);
      const [name = ''] = readdirSync(join(directory, 'rotations'));
      const file = join(directory, 'rotations', name);
      writeFileSync(file, text);
      const { kind, words } = wordsOf(await failureOf(() => journal.find({ origin, keyId: 'key-1' })));
      expect(kind).toBe('invalidInput');
      expect(words).toContain(file);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  test('reports if nothing can be written', async () => {
    const journal = createRotationJournal(unwritableDirectory());
    expect(journal.find({ origin, keyId: 'key-1' })).toBeUndefined();
    for (const work of [
      () => write(journal, planned),
      () => journal.exclusively(oldKey, async () => undefined),
    ]) {
      const { kind, words } = wordsOf(await failureOf(work));
      expect(kind).toBe('invalidInput');
      expect(words).toContain('BOTCTL_CONFIG_DIR');
    }
  });

  test('locks each key separately', async () => {
    const directory = temporaryDirectory();
    const journal = createRotationJournal(directory);
    const other = createRotationJournal(directory);
    await journal.exclusively(oldKey, async () => {
      const { words } = wordsOf(await failureOf(() => other.exclusively(oldKey, async () => undefined)));
      expect(words).toContain('key-1 is being rotated');
      expect(await other.exclusively({ origin, keyId: 'key-2' }, async () => 'done')).toBe('done');
    });
    expect(await other.exclusively(oldKey, async () => 'done')).toBe('done');
  });
});

describe('a sealed secret', () => {
  test('opens with its own secret, and with no other', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (secret, under, another) => {
        fc.pre(under !== another);
        const sealed = seal(new Secret(secret), new Secret(under));
        expect(unseal(sealed, new Secret(under))?.reveal()).toBe(secret);
        expect(unseal(sealed, new Secret(another))).toBeUndefined();
      }),
    );
  });

  test('that was modified opens with none', () => {
    const under = new Secret('secret-of-key-1');
    const bytes = Buffer.from(seal(new Secret('secret-of-key-2'), under), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(unseal(changed.toString('base64url'), under)).toBeUndefined();
    }
    for (const text of ['', 'x', 'not base64!']) expect(unseal(text, under)).toBeUndefined();
  });
});
