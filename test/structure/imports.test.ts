import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { isLong } from '../support/long.ts';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/**
 * The folders of the source in layers, the lowest first. A file imports from its own folder and from lower layers,
 * types included. Folders of one layer don't know each other.
 */
const layers: readonly (readonly string[])[] = [
  ['lib'],
  ['database', 'secrets', 'contract', 'qr', 'documents'],
  ['settings'],
  ['startup', 'client', 'batch'],
  ['resources', 'terminal', 'sandbox'],
  ['output'],
  ['provision', 'learn', 'campaigns'],
  ['cli'],
  ['commands'],
  ['program.ts'],
  ['main.ts', 'build'],
];

/** What a folder leaves alone although it lies above it, and why. */
const apart: readonly {
  readonly from: string;
  readonly never: readonly string[];
  readonly because: string;
}[] = [
  {
    from: 'sandbox',
    never: ['client', 'settings', 'startup', 'qr', 'documents'],
    because: 'service and client check each other, so what they know of the API is the contract alone',
  },
  {
    from: 'contract',
    never: ['lib'],
    because: 'it describes the API alone',
  },
];

interface Import {
  readonly from: string;
  readonly to: string;
}

const sources = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((from) => ({ from, code: readFileSync(join(source, from), 'utf8') }));

function imports(): readonly Import[] {
  return sources.flatMap(({ from, code }) =>
    importedBy(code)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => ({ from, to: relative(source, resolve(source, dirname(from), specifier)) }))
      .filter(({ to }) => !to.startsWith('..')),
  );
}

/**
 * Every module that a file names: imports, exports from, `import()` as a call and as a type. By the compiler's quick
 * look, which takes a fifth of the time that parsing does, and leaves out `export * as`.
 */
function importedBy(code: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(code, true, false);
  const named = code.matchAll(/\bexport\s+(?:type\s+)?\*\s*as\s+[\w$]+\s+from\s*['"]([^'"]+)['"]/g);
  return [...importedFiles.map(({ fileName }) => fileName), ...[...named].map(([, from = '']) => from)];
}

/** The same, by all that the compiler parses. */
function parsedImports(code: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const specifier =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : undefined;
    const argument =
      ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : undefined;
    for (const one of [specifier, argument]) if (one && ts.isStringLiteral(one)) found.push(one.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest));
  return found;
}

const all = imports();

/** The folder that a file is in; the name of a file at the top. */
const folderOf = (file: string): string => file.split('/')[0] ?? file;
const layerOf = (file: string): number => layers.findIndex((folders) => folders.includes(folderOf(file)));

const offences = (wrong: (edge: Import) => boolean): readonly string[] =>
  all.filter(wrong).map(({ from, to }) => `${from} → ${to}`);

describe('imports go downward only', () => {
  it('finds imports of values and types, exports from, and import() as a call and as a type', () => {
    const code = `import a from './a.ts'; import type { B } from './b.ts'; export * from './c.ts';
      const d = await import('./d.ts'); type E = typeof import('./e.ts'); export * as f from './f.ts';
      export type * as g from './g.ts'; export type { H } from './h.ts'; export type * from './i.ts';`;
    const every = ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts', './g.ts', './h.ts', './i.ts'];
    for (const found of [importedBy(code), parsedImports(code)]) expect([...found].sort()).toEqual(every);
    expect(all.length).toBeGreaterThan(1000);
  });

  it.runIf(isLong)('finds in every file what parsing it finds', () => {
    for (const { from, code } of sources)
      expect(importedBy(code).toSorted(), from).toEqual(parsedImports(code).toSorted());
  });

  it('knows the layer of every file', () => {
    const files = all.flatMap(({ from, to }) => [from, to]);
    expect([...new Set(files.filter((file) => layerOf(file) < 0))]).toEqual([]);
  });

  it('never upward, nor to another folder of the same layer, types included', () => {
    expect(
      offences(({ from, to }) => folderOf(from) !== folderOf(to) && layerOf(to) >= layerOf(from)),
    ).toEqual([]);
  });

  it.each(apart)('$from never imports $never: $because', ({ from: folder, never }) => {
    expect(offences(({ from, to }) => folderOf(from) === folder && never.includes(folderOf(to)))).toEqual([]);
  });

  it('only what the way in and the build need is at the top', () => {
    const top = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(
      top
        .map(({ name }) => name)
        .filter((name) => name.endsWith('.ts'))
        .sort(),
    ).toEqual(['main.ts', 'program.ts']);
  });

  it('commands never import another noun, but for the list of all', () => {
    const noun = (file: string): string => file.split('/')[1] ?? '';
    expect(
      offences(
        ({ from, to }) =>
          from !== 'commands/branches.ts' &&
          folderOf(from) === 'commands' &&
          folderOf(to) === 'commands' &&
          noun(to) !== noun(from),
      ),
    ).toEqual([]);
  });

  it('what watches devices never loads what draws codes', () => {
    expect(
      offences(
        ({ from, to }) =>
          from.startsWith('commands/device/watch/') && to.includes('commands/device/pairing/'),
      ),
    ).toEqual([]);
  });

  it('has no circles, types included', () => {
    const edges = new Map<string, string[]>();
    for (const { from, to } of all) edges.set(from, [...(edges.get(from) ?? []), to]);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of edges.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });
});
