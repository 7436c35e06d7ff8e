import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { pack, templateFile, unpack } from '../../../src/sandbox/store/template.ts';
import { isLong, runs } from '../../support/long.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'botctl-template-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** What a directory holds: the bytes of files, null for directories. */
const contentOf = (directory: string): Record<string, number[] | null> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((path) => {
        const whole = join(directory, path);
        return [path, statSync(whole).isDirectory() ? null : [...readFileSync(whole)]];
      }),
  );

describe('packing and unpacking', () => {
  it('gives back every byte, zeros at the end included', async () => {
    const bytes = fc.array(fc.oneof(fc.constant(0), fc.nat(255)), { maxLength: 40 });
    const name = fc.stringMatching(/^[a-z]{1,6}$/);
    const tree = fc.dictionary(name, fc.dictionary(name, bytes, { maxKeys: 4 }), { maxKeys: 4 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(tree, async (directories) => {
        round += 1;
        const [from, to] = [join(home, `${round}`), join(home, `${round} again`)];
        mkdirSync(from);
        for (const [directory, files] of Object.entries(directories)) {
          mkdirSync(join(from, directory));
          for (const [file, content] of Object.entries(files)) {
            writeFileSync(join(from, directory, file), new Uint8Array(content));
          }
        }
        await unpack(await pack(from), to);
        expect(contentOf(to)).toEqual(contentOf(from));
      }),
      { numRuns: runs(40, 4) },
    );
  });

  it('leaves nothing half done under the name that was asked for', async () => {
    const whole = brotliDecompressSync(await packed());
    const cut = brotliCompressSync(whole.subarray(0, 20));
    await expect(unpack(cut, join(home, 'cut'))).rejects.toThrow();
    await expect(unpack(Buffer.from('no archive'), join(home, 'none'))).rejects.toThrow();
    mkdirSync(join(home, 'there', 'already'), { recursive: true });
    await expect(unpack(await packed(), join(home, 'there'))).rejects.toThrow(/ENOTEMPTY|EEXIST|EPERM/);
    expect(readdirSync(home)).not.toContain('cut');
    expect(readdirSync(home)).not.toContain('none');
    expect(readdirSync(join(home, 'there'))).toEqual(['already']);
  });

  const packed = async (): Promise<Buffer> => {
    const from = join(home, 'from');
    mkdirSync(from, { recursive: true });
    writeFileSync(join(from, 'file'), 'text');
    return pack(from);
  };
});

describe('the template', () => {
  it('is small enough to ship, and holds a cluster that was closed', async () => {
    expect(statSync(templateFile()).size).toBeLessThan(2_000_000);
    await unpack(readFileSync(templateFile()), join(home, 'cluster'));
    const files = readdirSync(join(home, 'cluster'));
    expect(files).toContain('PG_VERSION');
    expect(files).not.toContain('postmaster.pid');
    // One database: what others are copied from would be 600 files more to bring to the disk.
    expect(readdirSync(join(home, 'cluster', 'base'))).toHaveLength(1);
    const logs = readdirSync(join(home, 'cluster', 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
    // One log, and not the first: that one tells how the database was made.
    expect(logs).toEqual([expect.not.stringMatching(/1$/)]);
    expect(logs.map((name) => statSync(join(home, 'cluster', 'pg_wal', name)).size)).toEqual([
      16 * 1024 * 1024,
    ]);
  });
});

describe('building the template', () => {
  /** Where the build keeps what it runs. */
  const tools = join('node_modules', '.cache', 'botctl-build');
  const node = (directory: string, ...args: readonly string[]) => {
    const env = { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: join(home, 'config') };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: directory,
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };

  it('is not done again for the same engine and schema', () => {
    const before = statSync(templateFile()).mtimeMs;
    expect(node(packageRoot(), join(tools, 'template.cjs'))).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(statSync(templateFile()).mtimeMs).toBe(before);
  });

  it.runIf(isLong)(
    'is left out where the engine is not installed, and the sandbox says what is missing',
    () => {
      const elsewhere = join(home, 'package');
      for (const name of ['bin', 'dist', 'package.json', tools]) {
        cpSync(join(packageRoot(), name), join(elsewhere, name), { recursive: true });
      }
      rmSync(join(elsewhere, 'dist', 'sandbox-template.br'));
      const built = node(elsewhere, join(tools, 'template.cjs'));
      expect(built).toMatchObject({ status: 0, stderr: '' });
      expect(built.stdout).toMatch(/^The sandbox's database template was not made: .* is not installed\.\n$/);

      const started = node(
        elsewhere,
        'bin/botctl.js',
        'sandbox',
        'start',
        '--port',
        '0',
        '--data',
        join(home, 'data'),
      );
      expect(started.status).toBe(2);
      expect(started.stderr).toContain('The sandbox needs the optional package @electric-sql/pglite');
      expect(started.stderr).toContain('npm install @electric-sql/pglite@');
    },
  );
});
