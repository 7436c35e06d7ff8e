import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TokenFile } from '../../src/tenants/apply/token-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it.skipIf(process.platform === 'win32')(
  'refuses a pipe as the token file without waiting for a reader',
  () => {
    const path = join(temporaryDirectory(), 'tokens.ndjson');
    execFileSync('mkfifo', [path]);
    expect(() => new TokenFile(path)).toThrow('a pipe, not a regular file');
  },
);
