import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/package-root.ts';
import { madeDoc } from '../../documents/made-doc.ts';
import { madePdf, shown } from '../../documents/made-pdf.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';

function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = temporaryDirectory();
  mkdirSync(join(root, 'deep'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  return root;
}

// There is no profile: it needs none.
const count = (args: readonly string[], options?: RunOptions) => botctl(['docs', 'count', ...args], options);

describe('docs count', () => {
  it('gives a row for each file, those with a reason too, and ends with 10', async () => {
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
        error: expect.stringContaining('no document by its name'),
      },
      {
        path: join(root, 'c.txt'),
        reason: 'empty',
        error: expect.stringContaining('no characters but white space'),
      },
      { path: join(root, 'deep/d.md'), kind: 'txt', encoding: 'UTF-8', guessed: false, chars: 1, bytes: 1 },
      { path: join(root, 'e.txt'), reason: 'empty', error: expect.stringContaining('is empty') },
    ]);
    expect(ran.exitCode).toBe(10);
    expect(ran.stderr).toContain('3 of 5 files are not counted: unsupported 1, empty 2.');
    // What helps differs, so that each says what it is about.
    expect(ran.stderr).toContain(`${join(root, 'b.csv')}: To send it as text add: --as-text`);
    expect(ran.stderr).toContain(`${join(root, 'c.txt')}: Give a file with text in it.`);
  });

  it.each([
    [0x65, 'Word 6'],
    [0x68, 'Word 95'],
  ])('names the version of Word that saved a document in an older format: %i', async (version, word) => {
    const old = madeDoc({ pieces: [['text', 'latin1']], mark: 0xa5dc, version });
    const ran = await count([join(folder({ 'old.doc': old }), 'old.doc')]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('unsupported') });
    expect(ran.stderr).toMatch(new RegExp(`old.doc" was saved by ${word}, .* save it as \\.docx\\.`));
  });

  it('takes other names for text with --as-text, and some of the files by --include and --exclude', async () => {
    const root = folder({ 'a.txt': 'one', 'b.csv': 'a;1', 'c.html': '<p>', 'deep/d.csv': '12' });
    const fields = ['--fields', 'path,chars', '-o', 'tsv'];
    const ran = await count([
      root,
      '--as-text',
      '*.csv',
      '--include',
      '*.csv',
      '--exclude',
      'deep',
      ...fields,
    ]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${join(root, 'b.csv')}\t3\n`, stderr: '' });
  });

  it('counts white space too with --count-mode raw', async () => {
    const root = folder({ 'a.txt': 'a  b\r\n' });
    expect((await count([root, '--count-mode', 'raw', '--fields', 'chars'])).stdout).toBe('5\n');
  });

  it.each([
    ['where nothing fits a pattern', ['*.pdf'], 'No file fits'],
    ['where a path is not there', ['a.txt', 'nowhere.txt'], 'there is no such file'],
    ['and says of each path that it is not there', ['nowhere.txt', '*.pdf'], '/*.pdf.'],
    ['where no file is left', ['.', '--include', '*.doc'], 'There is no file to count.'],
    ['where none can be counted', ['deep', 'empty.txt'], 'empty.txt" is empty.'],
    ['for what is no share', ['a.txt', '--fail-empty-pages', '20'], 'must be a share from 0% to 100%'],
  ])('ends with 2 %s', async (_, typed, says) => {
    const root = folder({ 'a.txt': 'one', 'empty.txt': '' });
    const args = typed.map((one, at) =>
      one.startsWith('-') || typed[at - 1]?.startsWith('--') ? one : join(root, one),
    );
    const ran = await count(args);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(says);
    expect(ran.stdout).not.toContain('\t3\t');
  });

  it('opens an encrypted PDF with the password that comes from stdin, and says of another one that it is none', async () => {
    const pdf = join(packageRoot(), 'test', 'documents', 'corpus', 'pdf', 'encrypted-256.pdf');
    const line = [pdf, '--fields', 'chars', '-o', 'tsv'];
    const without = await count(line);
    expect(without.exitCode).toBe(2);
    expect(without.stderr).toContain('Pipe its password in with --password-stdin');
    const wrong = await count([...line, '--password-stdin'], { stdin: 'wrong\n' });
    expect(wrong.stderr).toContain('is encrypted, and has another password');
    const opened = await count([...line, '--password-stdin'], { stdin: 'user\n' });
    expect(opened.exitCode, opened.stderr).toBe(0);
    expect(Number(opened.stdout)).toBeGreaterThan(0);
  });

  it('refuses a PDF of which more pages have no text than --fail-empty-pages allows', async () => {
    const root = temporaryDirectory();
    const path = join(root, 'a.pdf');
    writeFileSync(path, madePdf([shown('one'), '', shown('two'), '']));
    const line = [path, '--fields', 'chars,empty_pages', '-o', 'tsv'];
    expect(await count([...line, '--fail-empty-pages', '50%'])).toMatchObject({
      exitCode: 0,
      stdout: '7\t[2,4]\n',
    });
    const refused = await count([...line, '--fail-empty-pages', '49%']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/a\.pdf" .*2.*4/);
  });

  it('shows the name of a file where its path is too long for the terminal', async () => {
    const name = 'a name that nobody would want to lose.txt';
    const root = folder({ [name]: 'one', 'b.csv': 'x' });
    const ran = await count([root], { terminal: { columns: 80, rows: 24 } });
    const lines = ran.stdout.split('\n');
    expect(lines[1]).toMatch(/^….*nobody would want to lose\.txt {2}txt {2}/);
    expect(ran.stdout).toContain('unsupported');
  });

  it('never cuts a number of a later row: the path gives way', async () => {
    const root = folder({ 'a.txt': 'one', [`b${'long '.repeat(20)}.txt`]: 'x'.repeat(1_234_567) });
    const ran = await count([root], { terminal: { columns: 80, rows: 24 } });
    const [, first = '', second = ''] = stripVTControlCharacters(ran.stdout).split('\n');
    expect(first).toMatch(/ {2}3 {4,}3 B /);
    expect(second).toMatch(/^….* {2}1,234,567 {2}1\.2 MB /);
    expect(second.trimEnd().length).toBeLessThanOrEqual(80);
  });

  it('shows no progress any more once there are rows, which it would stand between', async () => {
    const root = folder({ 'a.txt': 'one', 'b.txt': 'two', 'c.txt': 'three' });
    let [isBegun, after] = [false, ''];
    const ran = await count([root], {
      terminal: { columns: 80, rows: 24, cursor: true },
      piped: true,
      onOutput: () => {
        isBegun = true;
      },
      onError: (text) => {
        if (isBegun) after += text;
      },
    });
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(after).not.toContain('Counting');
  });

  it('ends where it is interrupted', async () => {
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
