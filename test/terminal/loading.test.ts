import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = new URL('../../src/', import.meta.url);

/** Returns the modules that a module loads when it is imported: our files, and packages by name. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  const url = new URL(file, source);
  const path = url.href.slice(source.href.length);
  if (seen.has(path)) return seen;
  seen.add(path);
  const code = readFileSync(fileURLToPath(url), 'utf8');
  for (const [, what = '', from = ''] of code.matchAll(/^(?:im|ex)port ([^;]*?)from '([^']+)';$/gms)) {
    if (what.startsWith('type ')) continue;
    if (from.startsWith('.')) loadedBy(new URL(from, url).href, seen);
    else seen.add(from);
  }
  return seen;
}

test.each(['terminal/terminal.ts', 'terminal/prompts.ts', 'output/present.ts', 'output/failure.ts'])(
  '%s, which every command loads, imports no package and no table',
  (file) => {
    const loaded = [...loadedBy(file)];
    expect(loaded).toContain(file);
    expect(loaded.filter((name) => !name.endsWith('.ts'))).toEqual([]);
    expect(loaded).not.toContain('output/table.ts');
    expect(loaded).not.toContain('output/card.ts');
    expect(loaded).not.toContain('output/yaml.ts');
  },
);

test.each(['program.ts', 'cli/completion/complete.ts'])('%s loads nothing heavy', (file) => {
  const packages = [...loadedBy(file)].filter((name) => !/^node:|\.(?:ts|json)$/.test(name));
  expect(packages).toEqual(['commander']);
});

test('drawing a table of plain text needs no tables of wide characters', () => {
  expect(loadedBy('output/table.ts')).not.toContain('string-width');
});
