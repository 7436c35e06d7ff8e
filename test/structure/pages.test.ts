import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';

/** Pages about the source, for those who change it. */
const pages = ['src/README.md', 'src/GLOSSARY.md', 'test/README.md'] as const;

const root = packageRoot();

const code = ['src', 'test']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  .map((name) => readFileSync(join(root, name), 'utf8'))
  .join('\n');

const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What stands in backticks on a page, and in its blocks. */
function inCode(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return [
    ...[...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, one = '']) => one),
    ...blocks,
  ];
}

/** Names of functions, methods, constants, types and members. */
const declared = new Set(
  [
    ...code.matchAll(
      /(?:function\*?|const|class|interface|type) (\w+)\b|^ +(?:async )?(\w+)\(|readonly (\w+)\b/gm,
    ),
  ].flatMap(([, ...names]) => names),
);

describe.each(pages)('%s', (page) => {
  const named = inCode(page);

  it('names only files that are there', () => {
    const paths = named.flatMap((one) => one.match(/(?<![\w/])(?:src|test|bin)\/[\w./-]*\w\/?/g) ?? []);
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names only functions and constants that are declared', () => {
    const names = named.flatMap((one) => [
      ...[...one.matchAll(/^(\w+)\(\)$/g)].map(([, name = '']) => name),
      ...(/^[a-z]+[A-Z]\w*$/.test(one) ? [one] : []),
    ]);
    expect(names.filter((name) => !declared.has(name))).toEqual([]);
  });

  it('names only scripts of the package', () => {
    const scripts = named.flatMap((one) =>
      [...one.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name),
    );
    for (const script of scripts) expect(manifest).toHaveProperty(['scripts', script]);
  });

  it('leads to pages that are there', () => {
    const text = readFileSync(join(root, page), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#:]+)[^)]*\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(join(root, page, '..', link)))).toEqual([]);
  });
});

describe('src/README.md', () => {
  it('names every folder of the source', () => {
    const text = readFileSync(join(root, 'src/README.md'), 'utf8');
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    for (const { name } of folders) expect(text).toMatch(new RegExp(`^${name}/ `, 'm'));
  });
});
