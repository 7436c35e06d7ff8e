import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../src/errors.ts';
import { globalOptions } from '../src/input/global-options.ts';
import { packageRoot } from '../src/package-root.ts';
import { allCommands } from '../src/program.ts';
import { botctl, temporaryDirectory } from './support/botctl.ts';
import { useSandbox } from './support/sandbox.ts';

const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');

/** The command lines in the fenced blocks of a part of the README, as a shell would split them. */
function linesOf(text: string): readonly (readonly string[])[] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const lines = blocks.join('').replaceAll('\\\n', ' ').split('\n');
  return lines
    .filter((line) => line.startsWith('botctl '))
    .map((line) =>
      [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '').slice(1),
    );
}

function section(heading: string): string {
  const [, rest = ''] = readme.split(`## ${heading}\n`);
  return rest.split('\n## ')[0] ?? '';
}

describe('the README', () => {
  it('names every exit code, and no other', () => {
    const named = [...readme.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes = '']) =>
      codes.split(', ').map(Number),
    );
    expect(named.sort((one, other) => one - other)).toEqual(
      Object.values(exitCodes).sort((one, other) => one - other),
    );
  });

  it('names every command', async () => {
    for (const { path } of await allCommands()) {
      const [noun = '', ...verb] = path.split(' ');
      expect(readme, path).toMatch(new RegExp(`\`[^\`]*\\b${noun}\\b[^\`]*${verb.join(' ')}`));
    }
  });

  it('shows only command lines whose options exist', async () => {
    const commands = await allCommands();
    const global = globalOptions.flatMap(({ flags }) => flags.match(/--?[\w-]+/g) ?? []);
    for (const words of linesOf(readme)) {
      const found = commands.find(({ path }) => `${words.join(' ')} `.startsWith(`${path} `));
      if (words.length === 1 && words[0]?.startsWith('--')) continue;
      expect(found, words.join(' ')).toBeDefined();
      const own = Object.values(found?.command.options ?? {}).flatMap(
        ({ flags }) => flags.match(/--?[\w-]+/g) ?? [],
      );
      for (const option of words.filter((word) => /^--?[a-z]/.test(word))) {
        expect([...own, ...global], `${option} in ${words.join(' ')}`).toContain(option);
      }
    }
  });
});

describe('the first session with a sandbox', () => {
  const sandbox = useSandbox({ phone: 'manual' });

  it('works as it is written', { timeout: 60_000 }, async () => {
    const home = temporaryDirectory();
    const picture = join(home, 'pair.png');
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
    const scan = ['sandbox', 'phone', 'scan', picture, '--data', sandbox.data];
    const lines = linesOf(section('A first session with a sandbox of your own'));
    expect(lines.length).toBeGreaterThan(7);
    for (const words of lines) {
      const line = words.map((word) =>
        word === 'pair.png'
          ? picture
          : word === 'README.md' && words[0] === 'docs'
            ? join(packageRoot(), word)
            : word,
      );
      // The sandbox runs already, and the scan belongs to the terminal beside the one that waits.
      if (line[0] === 'sandbox') continue;
      const running = botctl(line, { env, terminal: { columns: 110, rows: 45 } });
      if (line[1] === 'connect') {
        while (!existsSync(picture)) await new Promise((resolve) => setTimeout(resolve, 50));
        expect(await botctl(scan, { env })).toMatchObject({ exitCode: 0 });
      }
      const ran = await running;
      expect(ran.exitCode, `${line.join(' ')}: ${ran.stderr}`).toBe(0);
    }
  });
});
