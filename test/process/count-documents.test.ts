import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { madeDoc } from '../documents/count/made-doc.ts';
import { madePdf, shown } from '../documents/count/made-pdf.ts';
import { botctl, type RunOptions } from '../support/botctl.ts';
import { start } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('docs count continues with the next file after truncated documents', async () => {
  const root = temporaryDirectory();
  const files = { 'a.docx': 'PK\x03\x04 cut short', 'b.pdf': '%PDF-1.7 cut short', 'c.txt': 'one' };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  const running = start(['docs', 'count', root, '--fields', 'path,chars,reason', '-o', 'tsv']);
  expect({ exitCode: await running.ended, stdout: running.output.stdout }).toEqual({
    exitCode: 10,
    stdout: `${join(root, 'a.docx')}\t\tcorrupt\n${join(root, 'b.pdf')}\t\tcorrupt\n${join(root, 'c.txt')}\t3\t\n`,
  });
});

const count = (args: readonly string[], options?: RunOptions) => botctl(['docs', 'count', ...args], options);

function fileOf(name: string, content: Uint8Array): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
}

it.each([
  [0x65, 'Word 6'],
  [0x68, 'Word 95'],
])(
  'docs count names the version of Word that saved a document in an older format: %i',
  async (version, word) => {
    const old = madeDoc({ pieces: [['text', 'latin1']], mark: 0xa5dc, version });
    const ran = await count([fileOf('old.doc', old)]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('unsupported') });
    expect(ran.stderr).toContain(word);
  },
);

it('docs count opens an encrypted PDF with the password from stdin, and refuses it without or with another', async () => {
  const pdf = join(packageRoot(), 'test', 'documents', 'count', 'corpus', 'pdf', 'encrypted-256.pdf');
  const line = [pdf, '--fields', 'chars', '-o', 'tsv'];
  const without = await count(line);
  expect(without.exitCode).toBe(2);
  expect(without.stderr).toContain('--password-stdin');
  const wrong = await count([...line, '--password-stdin'], { stdin: 'wrong\n' });
  expect(wrong.exitCode).toBe(2);
  const opened = await count([...line, '--password-stdin'], { stdin: 'user\n' });
  expect(opened.exitCode, opened.stderr).toBe(0);
  expect(Number(opened.stdout)).toBeGreaterThan(0);
});

it('docs count names the pages of a PDF that have no text', async () => {
  const path = fileOf('a.pdf', madePdf([shown('one'), '', shown('two'), '']));
  const ran = await count([path, '--fields', 'chars,empty_pages', '-o', 'tsv']);
  expect(ran).toMatchObject({ exitCode: 0, stdout: '7\t[2,4]\n' });
});
