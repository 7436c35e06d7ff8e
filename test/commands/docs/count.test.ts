import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';

function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = temporaryDirectory();
  mkdirSync(join(root, 'deep'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  return root;
}

// Counting needs no profile.
const count = (args: readonly string[], options?: RunOptions) => botctl(['docs', 'count', ...args], options);

describe('docs count', () => {
  it('prints a row for each file, also for refused ones, and exits with code 10', async () => {
    const root = folder({
      'a.txt': 'Olá,  mundo!\n',
      'b.csv': 'a;1',
      'c.txt': ' ',
      'deep/d.md': 'x',
      'e.txt': '',
    });
    const ran = await count([root, '-o', 'ndjson']);
    const rows = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toEqual([
      { path: join(root, 'a.txt'), kind: 'txt', encoding: 'UTF-8', guessed: false, chars: 11, bytes: 14 },
      {
        path: join(root, 'b.csv'),
        reason: 'unsupported',
        error: expect.stringContaining('the name must end in .txt'),
      },
      {
        path: join(root, 'c.txt'),
        reason: 'empty',
        error: expect.stringContaining('only white space'),
      },
      { path: join(root, 'deep/d.md'), kind: 'txt', encoding: 'UTF-8', guessed: false, chars: 1, bytes: 1 },
      { path: join(root, 'e.txt'), reason: 'empty', error: expect.stringContaining('is empty') },
    ]);
    expect(ran.exitCode).toBe(10);
  });

  it('counts files by --as-text, --include and --exclude', async () => {
    const root = folder({ 'a.txt': 'one', 'b.csv': 'a;1', 'c.html': '<p>', 'deep/d.csv': '12' });
    const fields = ['--fields', 'path,chars', '-o', 'tsv'];
    const ran = await count([
      ...[root, '--as-text', '*.csv', '--include', '*.csv', '--exclude', 'deep', ...fields],
    ]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${join(root, 'b.csv')}\t3\n`, stderr: '' });
  });

  it.each([
    ['if nothing fits a pattern', ['*.pdf'], '*.pdf'],
    ['if a path is missing', ['a.txt', 'nowhere.txt'], 'nowhere.txt'],
    ['if no file is left', ['.', '--include', '*.doc'], 'No files'],
    ['if none can be counted', ['deep', 'empty.txt'], 'empty.txt'],
  ])('exits with code 2 %s', async (_, typed, says) => {
    const root = folder({ 'a.txt': 'one', 'empty.txt': '' });
    const args = typed.map((one, at) =>
      one.startsWith('-') || typed[at - 1]?.startsWith('--') ? one : join(root, one),
    );
    const ran = await count(args);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(says);
    expect(ran.stdout).not.toContain('\t3\t');
  });

  it('stops when it is interrupted', async () => {
    const stop = new AbortController();
    const root = folder({ 'a.txt': 'one', 'b.txt': 'two' });
    const ran = await count([root, '-o', 'ndjson'], {
      signal: stop.signal,
      onOutput: () => stop.abort(new Error('enough')),
    });
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(ran.exitCode).not.toBe(0);
  });
});
