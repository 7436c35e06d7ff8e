import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { describe, expect, it, onTestFinished } from 'vitest';
import pictures from '../../src/build/pictures/rolldown.config.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { findControl } from '../../src/sandbox/control/client.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/**
 * Starts a tool of the build, with a directory of its own for temporary files, and ends it by a signal once its
 * directory there has a file of this name.
 * @param whileThere is called before the signal, with the directory of the tool
 */
async function interrupt(
  tool: string,
  { signal, file, whileThere }: Interruption,
): Promise<{ exitCode: unknown; left: readonly string[] }> {
  const temporary = temporaryDirectory('interrupted');
  const env = { PATH: process.env.PATH, TMPDIR: temporary };
  const child = spawn(process.execPath, [tool], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const place = await eventually(() => {
    const [name = 'none'] = readdirSync(temporary);
    return existsSync(join(temporary, name, file)) && join(temporary, name);
  });
  whileThere?.(place);
  child.kill(signal);
  const [exitCode] = await ended;
  return { exitCode, left: readdirSync(temporary) };
}

interface Interruption {
  readonly signal: NodeJS.Signals;
  readonly file: string;
  readonly whileThere?: (place: string) => void;
}

/** Where the build keeps what it runs. */
const tools = join('node_modules', '.cache', 'botctl-build');

describe.skipIf(process.platform === 'win32')('a tool of the build that is interrupted', () => {
  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const;
  it.each(signals)('by %s removes the database that was to be the template', async (signal, code) => {
    // A copy of the package in which the template has to be made.
    const copy = temporaryDirectory('copy');
    for (const name of ['package.json', tools, join('dist', 'database-worker.cjs')])
      cpSync(join(packageRoot(), name), join(copy, name), { recursive: true });
    cpSync(join(packageRoot(), 'dist', 'chunks'), join(copy, 'dist', 'chunks'), { recursive: true });
    mkdirSync(join(copy, 'node_modules', '@electric-sql'));
    const engine = join('node_modules', '@electric-sql', 'pglite');
    symlinkSync(realpathSync(join(packageRoot(), engine)), join(copy, engine));
    const ended = await interrupt(join(copy, tools, 'template.cjs'), {
      signal,
      file: 'database',
    });
    expect(ended).toEqual({ exitCode: code, left: [] });
    expect(existsSync(join(copy, 'dist', 'sandbox-template.br'))).toBe(false);
  });

  it('by SIGTERM ends the sandbox of the pictures, and removes what it had', async () => {
    // The tool finds the package from where it is.
    const tool = join(packageRoot(), 'node_modules', '.cache', `botctl-pictures-${process.pid}.cjs`);
    onTestFinished(() => rmSync(tool, { force: true }));
    await build({ ...pictures, output: { file: tool, format: 'cjs' } });
    let url = '';
    const ended = await interrupt(tool, {
      signal: 'SIGTERM',
      file: join('data', 'sandbox', 'control.json'),
      whileThere: (place) => {
        url = findControl(join(place, 'data', 'sandbox')).url;
      },
    });
    expect(ended).toEqual({ exitCode: 143, left: [] });
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});
