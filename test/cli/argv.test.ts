import { describe, expect, it } from 'vitest';
import { readArgv } from '../../src/cli/argv.ts';
import { botctl } from '../support/botctl.ts';

describe('a line read before commander', () => {
  it.each([
    ['teams list -o json', { words: ['teams', 'list'], output: 'json' }],
    ['teams list -o ndjson', { output: 'ndjson', jsonErrors: true }],
    ['teams list -o tsv', { output: 'tsv', jsonErrors: false }],
    ['teams list --error-format json -o tsv', { output: 'tsv', jsonErrors: true }],
    ['teams list --error-format=text -o json', { output: 'json', jsonErrors: false }],
    ['teams list -ojson', { words: ['teams', 'list'], output: 'json' }],
    ['teams list --output=json', { words: ['teams', 'list'], output: 'json' }],
    ['-yo json teams', { words: ['teams'], output: 'json' }],
    ['-yojson teams', { words: ['teams'], output: 'json' }],
    ['teams -o json -o tsv', { words: ['teams'], output: 'tsv' }],
    ['teams -- -o json', { words: ['teams', '-o', 'json'], output: undefined }],
    ['teams --fields -o json', { words: ['teams', 'json'], output: undefined }],
    ['--profile a --profile=b=c teams', { words: ['teams'], profile: 'b=c' }],
    ['teams --profile', { words: ['teams'], profile: undefined }],
    ['teams --profile -- list', { words: ['teams', 'list'], profile: '--' }],
    ['help teams list', { words: ['teams', 'list'] }],
    ['docs upload -', { words: ['docs', 'upload', '-'] }],
    [
      'campaigns list --database postgres://host/x',
      { words: ['campaigns', 'list'], database: 'postgres://host/x' },
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
  ])('fails in words where -o json stands %s', async (_, args) => {
    const ran = await botctl(args);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(/^✗|^x/);
  });

  it('fails as JSON where -o json stands in a group of short options', async () => {
    const ran = await botctl(['teams', 'lst', '-yo', 'json']);
    expect(ran.exitCode).toBe(2);
    const { error } = JSON.parse(ran.stderr);
    expect(error.next).toContainEqual(['botctl', 'teams', 'list']);
  });
});
