import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { item, paragraphs, verbatim } from '../../src/build/man-page/roff.ts';
import { globalOptions } from '../../src/cli/global-options.ts';
import { oppositeOf } from '../../src/cli/options.ts';
import { allCommands } from '../../src/commands/branches.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { needing } from '../support/needing.ts';
import { topicRows } from '../support/topic-rows.ts';

const file = join(packageRoot(), 'dist', 'botctl.1');
const source = readFileSync(file, 'utf8');
/** The page as it is read, roughly: what was escaped is itself again. */
const text = source
  .replace(/\\f[BR]/g, '')
  .replaceAll('\\-', '-')
  .replaceAll('\\(aq', "'")
  .replaceAll('\\(dq', '"')
  .replaceAll('\\(ti', '~')
  .replaceAll('\\e', '\\');

/** The part of the page that is about one command. */
function partOf(path: string): string {
  const start = text.search(new RegExp(`^\\.SS "botctl ${path}[|a-z]*[ "]`, 'm'));
  const rest = text.slice(start + 1);
  return start < 0 ? '' : rest.slice(0, rest.search(/^\.S[SH] /m));
}

const commands = await allCommands();

describe('the man page', () => {
  it.each(commands)('describes $path with its options and examples', ({ path, command }) => {
    const part = partOf(path);
    expect(part).toContain(command.summary);
    for (const option of Object.values(command.options).filter(({ hidden }) => !hidden)) {
      expect(part).toContain(`\n${option.flags}\n`);
      if (oppositeOf(option)) expect(part).toMatch(/\n--no-/);
    }
    if (command.effect === 'destroys') expect(part).toContain('\n--confirm <name>\n');
    for (const { does } of command.examples) expect(part).toContain(`${does}:`);
  });

  it('has the options of every command, the exit codes, the variables and the files', async () => {
    for (const { flags } of globalOptions) expect(text).toContain(`\n${flags}\n`);
    for (const topic of ['exit-codes', 'environment'])
      for (const [term, meaning] of await topicRows(topic)) expect(text).toContain(`\n${term}\n${meaning}\n`);
    expect(text).toContain('\n~/.config/botctl/config.json\n');
  });

  const hasGroff = spawnSync('groff', ['--version']).status === 0;

  it('is read by groff without a warning, in eighty columns', needing('groff', hasGroff), () => {
    const { stdout, stderr, status } = spawnSync(
      'groff',
      ['-man', '-Tutf8', '-ww', '-P-c', '-rLL=80n', file],
      {
        encoding: 'utf8',
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    // Bold is a letter struck twice.
    const lines = stdout.replaceAll(/.\x08/gu, '').split('\n');
    // A word of an example that is longer can't be broken.
    expect(lines.filter((line) => line.length > 80 && /\S\s+\S/.test(line))).toEqual([]);
    expect(lines).toContainEqual(expect.stringContaining('botctl teams list'));
  });
});

describe('roff', () => {
  it('takes no text for a command', () => {
    expect(paragraphs(".so /etc/passwd\n'ig")).toBe('.PP\n\\&.so /etc/passwd\n\\(aqig');
    expect(verbatim('a\\nb\n.sh')).toContain('a\\enb\n\\&.sh');
    expect(item('--a "b"', '')).toBe('.TP\n\\fB\\-\\-a \\(dqb\\(dq\\fR\n\\&');
    expect(paragraphs('– é')).toBe('.PP\n\\[u2013] \\[u00E9]');
  });
});
