import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';

const dist = join(packageRoot(), 'dist');
const built = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.cjs'))
  .map((file) => ({ file, code: readFileSync(join(dist, file), 'utf8') }));

describe('the built program', () => {
  it('uses no Node.js module that it does not import', () => {
    for (const { file, code } of built) {
      const used = [...code.matchAll(/(?<![\w$`'"/])node_(?!modules\b)\w+/g)].map(([name]) => name);
      const missing = used.filter((name) => !new RegExp(`(?:const|let|var) ${name}\\b`).test(code));
      expect(missing, file).toEqual([]);
    }
  });

  it('contains no module that reads its own path, which the bundler leaves empty', () => {
    for (const { file, code } of built)
      expect(code.match(/\{\}\)?\.(?:dirname|filename|url)\b/g), file).toBeNull();
  });
});
