import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { start } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('docs count goes on with the next file after documents that are cut short', async () => {
  const root = temporaryDirectory();
  const files = { 'a.docx': 'PK\x03\x04 cut short', 'b.pdf': '%PDF-1.7 cut short', 'c.txt': 'one' };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  const running = start(['docs', 'count', root, '--fields', 'path,chars,reason', '-o', 'tsv']);
  expect({ exitCode: await running.ended, stdout: running.output.stdout }).toEqual({
    exitCode: 10,
    stdout: `${join(root, 'a.docx')}\t\tcorrupt\n${join(root, 'b.pdf')}\t\tcorrupt\n${join(root, 'c.txt')}\t3\t\n`,
  });
});
