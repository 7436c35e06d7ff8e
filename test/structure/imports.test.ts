import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/**
 * The folders of the source in layers, the lowest first. A file imports from its own folder and from lower layers,
 * types included. Folders of one layer do not import each other.
 */
const layers: readonly (readonly string[])[] = [
  ['lib'],
  ['database', 'secrets', 'contract', 'qr', 'phone-numbers'],
  ['settings'],
  ['desk'],
  ['client'],
  ['once', 'hooks'],
  ['resources', 'terminal', 'sandbox'],
  ['output'],
  ['documents', 'learn', 'campaigns'],
  ['tenants'],
  ['cli'],
  ['pairing', 'mcp'],
  ['commands'],
  ['program.ts'],
  ['main.ts', 'executable'],
  ['build'],
];

/** Lower folders that a folder must not import although its layer allows it, and why. */
const apart: readonly {
  readonly from: string;
  readonly never: readonly string[];
  readonly because: string;
}[] = [
  {
    from: 'sandbox',
    never: ['client', 'settings', 'qr', 'documents'],
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

function imports(): readonly Import[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return files.flatMap((from) =>
    importedBy(readFileSync(join(source, from), 'utf8'))
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => ({ from, to: relative(source, resolve(source, dirname(from), specifier)) }))
      .filter(({ to }) => !to.startsWith('..')),
  );
}

/**
 * Returns every module that a file names: imports, exports from, `import()` as a call and as a type. Uses the
 * compiler's quick scan, which takes a fifth of the time of parsing, and leaves out `export * as`.
 */
function importedBy(code: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(code, true, false);
  const named = code.matchAll(/\bexport\s+(?:type\s+)?\*\s*as\s+[\w$]+\s+from\s*['"]([^'"]+)['"]/g);
  return [...importedFiles.map(({ fileName }) => fileName), ...[...named].map(([, from = '']) => from)];
}

const all = imports();

/** Returns the folder of a file, or the name of a file at the top. */
const folderOf = (file: string): string => file.split('/')[0] ?? file;
const layerOf = (file: string): number => layers.findIndex((folders) => folders.includes(folderOf(file)));

const offences = (wrong: (edge: Import) => boolean): readonly string[] =>
  all.filter(wrong).map(({ from, to }) => `${from} → ${to}`);

describe('imports', () => {
  it('are found in every folder', () => {
    const folders = new Set(all.map(({ from }) => folderOf(from)));
    expect([...folders].toSorted()).toEqual(layers.flat().toSorted());
  });

  it('are of files in a known layer', () => {
    const files = all.flatMap(({ from, to }) => [from, to]);
    expect([...new Set(files.filter((file) => layerOf(file) < 0))]).toEqual([]);
  });

  it('go downward only, and never to another folder of the same layer, types included', () => {
    expect(
      offences(({ from, to }) => folderOf(from) !== folderOf(to) && layerOf(to) >= layerOf(from)),
    ).toEqual([]);
  });

  it.each(apart)('of $from never lead to $never: $because', ({ from: folder, never }) => {
    expect(offences(({ from, to }) => folderOf(from) === folder && never.includes(folderOf(to)))).toEqual([]);
  });

  it('of a command never lead to another noun', () => {
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

  it('of device watching never lead to code drawing', () => {
    expect(
      offences(
        ({ from, to }) =>
          from.startsWith('commands/device/watch/') &&
          folderOf(to) === 'pairing' &&
          to !== 'pairing/event-view.ts',
      ),
    ).toEqual([]);
  });

  it('of the sandbox never lead to the composing of commands, which is for the command line', () => {
    expect(offences(({ from, to }) => folderOf(from) === 'sandbox' && to === 'lib/text/remark.ts')).toEqual(
      [],
    );
  });

  it('have no cycles, types included', () => {
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
