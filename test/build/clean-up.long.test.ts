import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
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

describe.skipIf(process.platform === 'win32')('a tool of the build that is interrupted', () => {
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
