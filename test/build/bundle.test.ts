import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RolldownOptions, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import pictures from '../../src/build/pictures/rolldown.config.ts';
import product from '../../src/build/rolldown.config.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import bench from '../bench/rolldown.config.ts';
import { isLong } from '../support/long.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const script = join(packageRoot(), 'src', 'build', 'bundle.mjs');

describe('bundling', () => {
  /** Bundles a source by a configuration of its own. */
  function bundle(source: string) {
    const home = temporaryDirectory('bundle');
    writeFileSync(join(home, 'main.js'), source);
    const config = join(home, 'config.mjs');
    const options = { input: join(home, 'main.js'), output: { file: join(home, 'out.cjs') } };
    writeFileSync(config, `export default ${JSON.stringify(options)};`);
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, config], { encoding: 'utf8' });
    return { status, stdout: stdout.replace(config, 'FILE').replace(/[\d.]+ s/, 'TIME'), stderr };
  }

  it.runIf(isLong)('says one line', () => {
    expect(bundle('export const one = 1;')).toEqual({
      status: 0,
      stdout: 'Bundled by FILE in TIME.\n',
      stderr: '',
    });
  });

  it.runIf(isLong)('shows what deserves a look', () => {
    const { status, stderr } = bundle("export const value = eval('1');");
    expect(status).toBe(0);
    expect(stderr).toContain('EVAL');
  });

  it('says what is missing where optional packages were left out', () => {
    const alone = join(temporaryDirectory('bundle'), 'bundle.mjs');
    copyFileSync(script, alone);
    const { status, stderr } = spawnSync(process.execPath, [alone, 'config.mjs'], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining('is an optional package'),
      expect.stringContaining('npm ci --include=optional'),
    ]);
  });

  it.runIf(isLong)('shows the line that is wrong, and fails', () => {
    const { status, stdout, stderr } = bundle('const one = ;');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('main.js:1:13');
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

/** Where a module asked for its own place, and the bundler left it an empty object to ask. */
const placeless = /\{\}\)?\.(dirname|filename|url)\b/;

// It is all bundled once more.
it.runIf(isLong)('nothing deserves a look in what is bundled of botctl', async () => {
  const warnings: unknown[] = [];
  const lost: string[] = [];
  const onLog: RolldownOptions['onLog'] = (_level, log) => void warnings.push(log.message);
  for (const { output = [], ...config } of [product, bench, pictures].flat()) {
    const bundle = await rolldown({ ...config, onLog });
    for (const options of [output].flat())
      for (const chunk of (await bundle.generate(options)).output)
        if (chunk.type === 'chunk' && placeless.test(chunk.code)) lost.push(chunk.fileName);
    await bundle.close();
  }
  expect({ warnings, lost }).toEqual({ warnings: [], lost: [] });
});
