import { describe, expect, it } from 'vitest';
import { readArgv } from '../../src/cli/argv.ts';
import { botctl } from '../support/botctl.ts';

describe('the global options of a command', () => {
  it.each([
    ['teams list -o json', { operands: ['teams', 'list'], jsonErrors: true }],
    ['teams list -o ndjson', { jsonErrors: true }],
    ['teams list -o tsv', { jsonErrors: false }],
    ['teams list --error-format json -o tsv', { jsonErrors: true }],
    ['teams list --error-format=text -o json', { jsonErrors: false }],
    ['teams list -ojson', { operands: ['teams', 'list'], jsonErrors: true }],
    ['teams list --output=json', { operands: ['teams', 'list'], jsonErrors: true }],
    ['-yo json teams', { operands: ['teams'], jsonErrors: true }],
    ['-yojson teams', { operands: ['teams'], jsonErrors: true }],
    ['teams -o json -o tsv', { operands: ['teams'], jsonErrors: false }],
    ['teams -- -o json', { operands: ['teams', '-o', 'json'], jsonErrors: false }],
    ['teams --fields -o json', { operands: ['teams', 'json'], jsonErrors: false }],
    ['--profile a --profile=b=c teams', { operands: ['teams'], profile: 'b=c' }],
    ['teams --profile', { operands: ['teams'], profile: undefined }],
    ['teams --profile -- list', { operands: ['teams', 'list'], profile: '--' }],
    ['help teams list', { operands: ['teams', 'list'] }],
    ['docs upload -', { operands: ['docs', 'upload', '-'] }],
    [
      'campaigns list --database postgres://host/x',
      { operands: ['campaigns', 'list'], database: 'postgres://host/x' },
    ],
    ['teams --debug', { debug: true, color: true }],
    ['teams --no-color -- --debug', { debug: false, color: false }],
    ['--profile --debug teams', { debug: false, profile: '--debug' }],
  ])('%s', (line, expected) => {
    expect(readArgv(line.split(' '))).toMatchObject(expected);
  });

  it.each([
    ['behind --', ['teams', 'list', '--', '-o', 'json']],
    ['as the value of another option', ['teams', 'list', '--frob', '--fields', '-o', 'json']],
  ])('prints the failure as text if -o json comes %s', async (_, args) => {
    const ran = await botctl(args);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(/^✗|^x/);
  });

  it('prints the failure as JSON if -o json is part of a group of short options', async () => {
    const ran = await botctl(['teams', 'lst', '-yo', 'json']);
    expect(ran.exitCode).toBe(2);
    const { error } = JSON.parse(ran.stderr);
    expect(error.next).toContainEqual(['botctl', 'teams', 'list']);
  });
});

describe('a text that looks like an option', () => {
  const number = '+5511988887777';

  it.each(['-hello there', '-very good', '-5 degrees', '- one'])(
    'is refused with a remedy instead of the help: %s',
    async (text) => {
      const ran = await botctl(['send', 'Reception', number, text]);
      expect(ran.exitCode).toBe(2);
      expect(ran.stdout).toBe('');
      expect(ran.stderr).toContain(`Unknown option '${text}'.`);
      expect(ran.stderr).toContain('botctl send -- <device> <to> [message]');
    },
  );

  it.each(['--help', '-h', '--version', '-v', '--yes'])(
    'is not accepted as the value of --message: %s',
    async (text) => {
      const ran = await botctl(['send', 'Reception', number, '--message', text]);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain('--message needs a value');
    },
  );

  it('is accepted as the value of an option even if it names another form of the command', async () => {
    const ran = await botctl(['device', 'status', '--profile', '--watch', 'Reception']);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('Profile "--watch" (from');
  });
});
