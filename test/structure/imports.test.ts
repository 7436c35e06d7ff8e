import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

interface Import {
  readonly from: string;
  readonly to: string;
  /** Erased at build time: it couples words, not code. */
  readonly typeOnly: boolean;
}

function imports(): readonly Import[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return files.flatMap((from) => {
    const text = readFileSync(join(source, from), 'utf8');
    const found = text.matchAll(
      /(import|export)\s+(type\s)?[^'";]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/g,
    );
    return [...found].map((match) => ({
      from,
      to: relative(source, resolve(source, dirname(from), match[3] ?? match[4] ?? '')),
      typeOnly: match[2] !== undefined,
    }));
  });
}

const all = imports();

/** The part of the house that a file is in: its folder, or its name at the top. */
const part = (file: string): string => file.split('/')[0] ?? file;

const offences = (wrong: (edge: Import) => boolean): readonly string[] =>
  all.filter(wrong).map(({ from, to }) => `${from} → ${to}`);

describe('imports go downward only', () => {
  it('finds the imports', () => {
    expect(all.length).toBeGreaterThan(100);
  });

  it('the contract imports nothing of ours', () => {
    expect(offences(({ from, to }) => part(from) === 'contract' && part(to) !== 'contract')).toEqual([]);
  });

  it('the client never imports the terminal or the sandbox', () => {
    expect(
      offences(({ from, to }) => part(from) === 'client' && ['terminal', 'sandbox'].includes(part(to))),
    ).toEqual([]);
  });

  it('the sandbox shares no code with the client half beyond the contract', () => {
    const clientHalf = [
      'client',
      'settings',
      'terminal',
      'qr',
      'documents',
      'commands',
      'context.ts',
      'runner.ts',
    ];
    expect(offences(({ from, to }) => part(from) === 'sandbox' && clientHalf.includes(part(to)))).toEqual([]);
  });

  it('qr, documents and files stand alone', () => {
    const allowed = ['errors.ts', 'files/file-failure.ts', 'io.ts', 'json-object.ts', 'package-root.ts'];
    for (const name of ['qr', 'documents', 'files']) {
      expect(
        offences(({ from, to }) => part(from) === name && part(to) !== name && !allowed.includes(to)),
      ).toEqual([]);
    }
  });

  it('settings and terminal use nothing that is built on them', () => {
    const above = [
      'context.ts',
      'runner.ts',
      'program.ts',
      'main.ts',
      'command.ts',
      'client',
      'commands',
      'sandbox',
    ];
    for (const name of ['settings', 'terminal']) {
      const forbidden = [...above, name === 'settings' ? 'terminal' : 'settings'];
      expect(
        offences(
          ({ from, to, typeOnly }) => part(from) === name && !typeOnly && forbidden.includes(part(to)),
        ),
      ).toEqual([]);
    }
  });

  it('only program.ts imports commands, and commands never import another noun', () => {
    const noun = (file: string): string => file.split('/')[1] ?? '';
    expect(
      offences(
        ({ from, to }) => part(to) === 'commands' && part(from) !== 'commands' && from !== 'program.ts',
      ),
    ).toEqual([]);
    expect(
      offences(
        ({ from, to }) =>
          part(from) === 'commands' &&
          part(to) === 'commands' &&
          noun(to) !== noun(from) &&
          // What several nouns share stands beside them, as a file of its own.
          !['lists.ts', 'filters.ts', 'members.ts', 'noted-devices.ts', 'sort.ts', 'where.ts'].includes(
            noun(to),
          ),
      ),
    ).toEqual([]);
  });

  it('what watches devices never loads what draws codes', () => {
    const from = 'commands/device/watch/';
    expect(offences((edge) => edge.from.startsWith(from) && edge.to.includes('/pairing/'))).toEqual([]);
  });

  it('has no circles but those of types', () => {
    const edges = new Map<string, string[]>();
    for (const { from, to, typeOnly } of all) {
      if (!typeOnly) edges.set(from, [...(edges.get(from) ?? []), to]);
    }
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of edges.keys()) visit(file, []);
    // program.ts hands itself to the context as a function, so nothing imports it back.
    expect(circles).toEqual([]);
  });
});
