import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileSearch } from '../../src/documents/find-files.ts';
import { temporaryDirectory } from '../support/botctl.ts';

const nfd = 'cafe\u0301.txt';

function folder(...files: readonly string[]): string {
  const root = temporaryDirectory();
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), 'text');
  }
  return root;
}

/** Returns the files found below a folder, with `/` between the parts. */
async function found(
  root: string,
  typed: readonly string[],
  choice: { include?: readonly string[]; exclude?: readonly string[] } = {},
): Promise<readonly string[]> {
  const search = new FileSearch({ include: [], exclude: [], ...choice });
  const paths: string[] = [];
  for await (const { path } of search.find(typed.map((one) => join(root, one))))
    paths.push(relative(root, path).replaceAll('\\', '/'));
  return paths;
}

const tree = [
  'b.txt',
  'a/2.pdf',
  'a/10.pdf',
  'a/deep/x.txt',
  nfd,
  'Z.md',
  '.env',
  '.git/config',
  '~$b.docx',
  'Thumbs.db',
];

describe('a folder', () => {
  it('includes all files below it, in a stable order, without files that only accompany documents', async () => {
    const root = folder(...tree);
    const all = ['Z.md', 'a/10.pdf', 'a/2.pdf', 'a/deep/x.txt', 'b.txt', nfd];
    expect(await found(root, ['.'])).toEqual(all);
    expect(await found(root, ['a', '.', 'a/2.pdf'])).toEqual([
      'a/10.pdf',
      'a/2.pdf',
      'a/deep/x.txt',
      'Z.md',
      'b.txt',
      nfd,
    ]);
  });

  it('reports the path of each file below the typed folder, or below the part of a pattern before its wildcards', async () => {
    const root = folder('a/2.pdf', 'a/deep/x.txt');
    const below = async (...typed: readonly string[]): Promise<readonly string[]> => {
      const paths: string[] = [];
      const search = new FileSearch({ include: [], exclude: [] });
      for await (const file of search.find(typed.map((one) => `${root}/${one}`))) paths.push(file.below);
      return paths;
    };
    expect(await below('.')).toEqual(['a/2.pdf', 'a/deep/x.txt']);
    expect(await below('a/')).toEqual(['2.pdf', 'deep/x.txt']);
    expect(await below('a/**/*.txt', 'a/*.pdf')).toEqual(['deep/x.txt', '2.pdf']);
    // For a single file, the path is the typed one without its leading `..` parts.
    const up = relative(process.cwd(), root).replaceAll('\\', '/');
    const search = new FileSearch({ include: [], exclude: [] });
    for await (const file of search.find([`${up}/./a/../a/2.pdf`]))
      expect(file.below).toBe(`${up.replaceAll('../', '')}/a/2.pdf`);
  });

  it.each([
    [{ include: ['*.pdf'] }, ['a/10.pdf', 'a/2.pdf']],
    [{ include: ['*.txt'], exclude: ['deep'] }, ['b.txt', nfd]],
    [{ exclude: ['a'] }, ['Z.md', 'b.txt', nfd]],
    [{ include: ['a/deep/*'] }, ['a/deep/x.txt']],
    // As a keyboard types it, and as macOS stores it.
    [{ include: ['caf\u00e9*'] }, [nfd]],
    [{ include: ['*.doc'] }, []],
  ])('with %j returns %j', async (choice, files) => {
    expect(await found(folder(...tree), ['.'], choice)).toEqual(files);
  });

  it('may contain links, which are not followed, even in cycles, and are reported', async () => {
    const root = folder('real/a.txt', 'docs/b.txt');
    symlinkSync('..', join(root, 'docs/circle'));
    symlinkSync('../real/a.txt', join(root, 'docs/a.txt'));
    const search = new FileSearch({ include: [], exclude: [] });
    const paths: string[] = [];
    for await (const { path } of search.find([join(root, 'docs')])) paths.push(path);
    expect(paths).toEqual([join(root, 'docs/b.txt')]);
    expect(search.links).toBe(2);
  });
});

describe('a path argument', () => {
  it('is accepted, also for a hidden file and a link', async () => {
    const root = folder(...tree);
    symlinkSync('a', join(root, 'link'));
    expect(await found(root, ['.env', '~$b.docx', 'link'])).toEqual([
      '.env',
      '~$b.docx',
      'link/10.pdf',
      'link/2.pdf',
      'link/deep/x.txt',
    ]);
  });

  it.each([
    ['*.txt', ['b.txt', nfd]],
    ['?.txt', ['b.txt']],
    ['*/*.pdf', ['a/10.pdf', 'a/2.pdf']],
    ['**/*.txt', ['b.txt', nfd, 'a/deep/x.txt']],
    ['**/x.txt', ['a/deep/x.txt']],
    ['**', ['Z.md', 'a/10.pdf', 'a/2.pdf', 'a/deep/x.txt', 'b.txt', nfd]],
    ['**/**/deep/**', ['a/deep/x.txt']],
    // The same result as when a shell expands it.
    ['*', ['Z.md', 'a/10.pdf', 'a/2.pdf', 'a/deep/x.txt', 'b.txt', nfd]],
    ['.e*', ['.env']],
  ])('may be the pattern %s: %j', async (pattern, files) => {
    expect(await found(folder(...tree), [pattern])).toEqual(files);
  });

  it('may have a wildcard in its name', async () => {
    const root = folder('what?.txt', 'whatever.txt');
    expect(await found(root, ['what?.txt'])).toEqual(['what?.txt']);
  });

  it.each([['*.pdf'], ['none/*.txt'], ['b.txt/*']])(
    'is refused before any file is returned if nothing matches: %s',
    async (pattern) => {
      const root = folder('b.txt');
      const path = join(root, pattern);
      await expect(new FileSearch({ include: [], exclude: [] }).find([root, path]).next()).rejects.toThrow(
        `No file matches ${path}.`,
      );
    },
  );

  it('is refused if it does not exist', async () => {
    const path = join(folder('b.txt'), 'c.txt');
    await expect(new FileSearch({ include: [], exclude: [] }).find([path]).next()).rejects.toThrow(
      `Can't read ${path}: there is no such file.`,
    );
  });
});
