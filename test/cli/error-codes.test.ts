import { expect, test } from 'vitest';
import { botctl } from '../support/botctl.ts';

/** Runs a command, and returns the error in the last line of stderr. */
async function errorOf(line: string, env: Readonly<Record<string, string>> = {}) {
  const ran = await botctl(line.split(' '), { env });
  const { error } = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '');
  expect(error.exit).toBe(ran.exitCode);
  return error;
}

test.each([
  ['a word that is no command', 'teams lst', 'USAGE', 2],
  ['an option that is not there', 'teams list --jsn', 'USAGE', 2],
  ['a field that is not there', 'profiles list --fields nam', 'USAGE', 2],
  ['what is missing', 'teams get', 'USAGE', 2],
  ['what contradicts itself', 'teams update x --ban --no-ban', 'USAGE', 2],
  ['a value that is missing, beside one that is wrong', 'bots create --temperature hot', 'USAGE', 2],
  ['a value', 'bots list --limit many', 'INVALID_INPUT', 2],
  ['a value of an option of every command', 'teams list --retries many', 'INVALID_INPUT', 2],
  [
    'a file that is not there',
    'login --base-url https://a.example --key-id k --key-secret-file /no/such',
    'INVALID_INPUT',
    2,
  ],
  ['a profile that is not there', 'teams list --profile nope', 'INVALID_INPUT', 2],
  ['credentials that are not there', 'teams list', 'AUTHENTICATION', 4],
  [
    'credentials that are not there, at an address',
    'teams list --base-url https://a.example',
    'AUTHENTICATION',
    4,
  ],
])('%s: %s has the code %s and exit code %i', async (_what, line, code, exit) => {
  expect(await errorOf(`${line} --error-format json`)).toMatchObject({ code, exit });
});

test('half of a pair of credentials is not treated as none', async () => {
  const error = await errorOf('teams list -o json', { BOTCTL_KEY_ID: 'k' });
  expect(error).toMatchObject({ code: 'INVALID_INPUT', exit: 2 });
});

test.each(['-o json', '-o ndjson', '--error-format json', '-o tsv --error-format json'])(
  'with %s a failure is one line of JSON',
  async (options) => {
    expect(await errorOf(`teams list ${options}`)).toMatchObject({ code: 'AUTHENTICATION' });
  },
);

test.each(['', ' -o tsv', ' -o yaml', ' --error-format text', ' -o json --error-format text'])(
  'with %j a failure is text',
  async (options) => {
    const { stderr } = await botctl(`teams list${options}`.split(' '));
    expect(stderr).toMatch(/^✗ \w/);
  },
);

test('an unknown --error-format exits with code 2', async () => {
  const { exitCode, stderr } = await botctl(['teams', 'list', '--error-format', 'xml']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('text, json');
});
