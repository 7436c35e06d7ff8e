import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { fromBuffer } from 'yauzl';
import { readTarGz, tarGz, zip } from '../../../src/build/release/archives.ts';
import { debianPackage } from '../../../src/build/release/debian-package.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const time = new Date('2026-11-29T12:00:00Z');
const files = [
  { path: 'botctl-1/botctl', data: Buffer.from('program'), isExecutable: true },
  { path: 'botctl-1/completions/_botctl', data: Buffer.from('zsh') },
];

describe('an archive of a release', () => {
  it('is a .tar.gz with modes, owners and times', () => {
    const bytes = tarGz(files, time);
    const entries = readTarGz(bytes).filter(({ name }) => name !== '');
    expect(
      entries.map(({ name, type, attrs }) => [name, type, Number(attrs?.mode ?? 0), attrs?.uid]),
    ).toEqual([
      ['botctl-1/', 'directory', 755, 0],
      ['botctl-1/completions/', 'directory', 755, 0],
      ['botctl-1/botctl', 'file', 755, 0],
      ['botctl-1/completions/_botctl', 'file', 644, 0],
    ]);
    expect(entries.at(-1)?.text).toBe('zsh');
    expect(tarGz(files, time)).toEqual(bytes);
  });

  it('is a .zip with modes', async () => {
    const bytes = await zip(files, time);
    const entries = await new Promise<unknown>((resolve, reject) => {
      fromBuffer(Buffer.from(bytes), (error, archive) => {
        if (error) return reject(error);
        const names: unknown[] = [];
        archive.on('entry', ({ fileName, externalFileAttributes, uncompressedSize }) =>
          names.push([fileName, ((externalFileAttributes >>> 16) & 0o777).toString(8), uncompressedSize]),
        );
        archive.on('end', () => resolve(names));
      });
    });
    expect(entries).toEqual([
      ['botctl-1/botctl', '755', 7],
      ['botctl-1/completions/_botctl', '644', 3],
    ]);
    vi.stubEnv('TZ', 'America/Sao_Paulo');
    expect(await zip(files, time)).toEqual(bytes);
    vi.unstubAllEnvs();
  });

  const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0;
  it.skipIf(!hasDpkg)('is a .deb that dpkg reads', () => {
    const deb = debianPackage(
      {
        version: '1.0.0-rc.1',
        architecture: 'amd64',
        description: 'A tool.',
        homepage: 'https://example.com',
        files: [{ path: 'usr/bin/botctl', data: Buffer.from('program'), isExecutable: true }],
      },
      time,
    );
    const file = join(mkdtempSync(join(temporaryDirectory('deb'), 'x')), 'botctl.deb');
    writeFileSync(file, deb);
    const read = (...args: readonly string[]): string =>
      execFileSync('dpkg-deb', [...args, file], { encoding: 'utf8' });
    expect(execFileSync('dpkg-deb', ['-f', file, 'Version', 'Architecture'], { encoding: 'utf8' })).toBe(
      'Version: 1.0.0~rc.1\nArchitecture: amd64\n',
    );
    expect(read('--contents')).toMatch(/-rwxr-xr-x root\/root +7 2026-11-29 .* \.\/usr\/bin\/botctl/);
  });
});
