import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import { NewSecretFile } from '../../src/settings/new-secret-file.ts';
import { changeFs } from '../support/changed-fs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('on a file system without links, a secret is written, but does not replace an existing file', () => {
  // A file system without links, such as FAT.
  let refused = 0;
  changeFs({
    linkSync: () => {
      refused += 1;
      throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
    },
  });
  const directory = temporaryDirectory();
  const path = join(directory, 'new.secret');
  const [first, second] = [new NewSecretFile(path), new NewSecretFile(path)];
  for (const file of [first, second]) file.open();
  first.commit(new Secret('the first secret'));
  expect(() => second.commit(new Secret('the second secret'))).toThrow('another program created');
  for (const file of [first, second]) file.discard();
  expect(readFileSync(path, 'utf8')).toBe('the first secret\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(['new.secret']);
  expect(refused).toBe(2);
});
