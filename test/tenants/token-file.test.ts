import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import { TokenFile } from '../../src/tenants/apply/token-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('the token file', () => {
  const file = (): string => join(temporaryDirectory(), 'tokens.ndjson');
  const lineOf = (id: string, token: string): string =>
    JSON.stringify({ address: 'aurora/devices/till', device_id: id, token });

  it('appends a line for each token, also after a truncated line', async () => {
    const path = file();
    writeFileSync(path, '{"address":"aurora/de');
    const tokens = new TokenFile(path);
    await tokens.add('aurora/devices/till', 'one', new Secret('first'));
    await tokens.add('aurora/devices/till', 'two', new Secret('second'));
    tokens.close();
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([
      '{"address":"aurora/de',
      lineOf('one', 'first'),
      lineOf('two', 'second'),
      '',
    ]);
  });

  it('names the device whose token could not be written, without the token, and is then broken', async () => {
    const tokens = new TokenFile(file());
    expect(tokens.isBroken).toBe(false);
    tokens.close();
    const add = (): Promise<void> => tokens.add('aurora/devices/till', 'one', new Secret('first'));
    await expect(add()).rejects.toThrow(/^Device one was created, but its token could not be written to /);
    await expect(add()).rejects.not.toThrow('first');
    expect(tokens.isBroken).toBe(true);
  });
});
