import { describe, expect, test } from 'vitest';
import { Failure, usageFailure } from '../../src/lib/errors.ts';
import { command, placeholder, remark } from '../../src/lib/text/remark.ts';
import { renderFailure } from '../../src/output/failure.ts';
import { Captured, dangerous, hostile, utf8 } from '../terminal/support.ts';

async function rendered(
  failure: Failure,
  style: { json?: boolean; debug?: boolean; columns?: number; profile?: string } = {},
  env = utf8,
) {
  const stderr = new Captured(style.columns);
  await renderFailure(
    failure,
    { stderr, env },
    { json: style.json ?? false, debug: style.debug ?? false, profile: style.profile },
  );
  return stderr.text;
}

const notFound = new Failure('notFound', 'There is no team "Acme".', {
  hint: 'See botctl teams list',
  code: 'NOT_FOUND',
  status: 404,
});

describe('failures on a terminal', () => {
  test('consist of what happened and what to do', async () => {
    expect(await rendered(notFound)).toBe('✗ There is no team "Acme".\n  See botctl teams list\n');
  });

  test('list several problems line by line', async () => {
    const failure = usageFailure(
      ['--name is missing.', '--plan is missing.'],
      'See botctl teams create --help',
    );
    expect(await rendered(failure)).toBe(
      '✗ --name is missing.\n✗ --plan is missing.\n  See botctl teams create --help\n',
    );
  });

  test('print the details of the service readably', async () => {
    const details = {
      fields: { temperature: ['must be at most 2'], name: null },
      path: ['team', 3],
      ok: false,
    };
    const failure = new Failure('rejected', 'Refused.', { details, hint: 'Try again.' });
    expect(await rendered(failure)).toBe(
      [
        '✗ Refused.',
        '  fields.temperature: must be at most 2',
        '  path: team',
        '  path: 3',
        '  ok: false',
        '  Try again.',
        '',
      ].join('\n'),
    );
    expect(await rendered(new Failure('rejected', 'Refused.', { details: 'in words' }))).toContain(
      '  in words\n',
    );
  });

  test('truncate endless details', async () => {
    const details = Array.from({ length: 500 }, (_, index) => `problem ${index}`);
    const text = await rendered(new Failure('rejected', 'Refused.', { details }));
    expect(text.split('\n')).toHaveLength(23);
    expect(text).toContain('and 480 more');
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 1000; depth++) deep = { inner: deep };
    expect((await rendered(new Failure('rejected', 'Refused.', { details: deep }))).split('\n')).toHaveLength(
      3,
    );
  });

  test('name all finished ids if the result cannot be written', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `id-${at}`);
    const text = await rendered(new Failure('outputFailed', 'It was done.', { details: { ids } }));
    for (const id of ids) expect(text).toContain(`  ids: ${id}\n`);
    expect(text).not.toContain('more');
  });

  test('truncate an endless message, on a terminal only', async () => {
    const page = `${'<p>'.repeat(50_000)}\n`.repeat(60);
    const failure = new Failure('network', page);
    expect((await rendered(failure)).length).toBeLessThan(110_000);
    expect((await rendered(failure)).split('\n')).toHaveLength(52);
    expect(JSON.parse(await rendered(failure, { json: true }))).toMatchObject({ error: { message: page } });
  });

  test('are red on a terminal and ASCII without UTF-8', async () => {
    expect(await rendered(notFound, { columns: 80 })).toContain('\x1b[31m✗\x1b[39m There is');
    expect(await rendered(notFound, {}, { ...utf8, LANG: 'C' })).toMatch(/^x There is/);
  });

  test.each(Object.entries(hostile))('are safe: %s', async (_what, text) => {
    const failure = new Failure('rejected', text, {
      hint: text,
      details: { [text]: [text] },
      cause: new Error(text),
    });
    expect(await rendered(failure, { debug: true })).not.toMatch(dangerous);
  });

  test('print the stack trace only with --debug, with its causes', async () => {
    const failure = new Failure('unexpected', 'Oops.', { cause: new TypeError('x is undefined') });
    expect(await rendered(failure)).not.toContain('at ');
    const text = await rendered(failure, { debug: true });
    expect(text).toMatch(/Failure: Oops\.\n +at /);
    expect(text).toContain('Caused by: TypeError: x is undefined');
    expect(text.endsWith('✗ Oops.\n')).toBe(true);
  });
});

describe('failures with -o json', () => {
  test('are one line, with every member', async () => {
    expect(await rendered(notFound, { json: true })).toBe(
      '{"error":{"code":"NOT_FOUND","message":"There is no team \\"Acme\\".","hint":"See botctl teams list","next":[],"status":404,"exit":5}}\n',
    );
    expect(await rendered(new Failure('outcomeUnknown', 'a\nb'), { json: true, columns: 80 })).toBe(
      '{"error":{"code":"OUTCOME_UNKNOWN","message":"a\\nb","hint":null,"next":[],"status":null,"exit":12}}\n',
    );
  });

  test('contain the commands that can be run as they are, as argument lists', async () => {
    const hint = remark`Look for it: ${command('teams', 'get', 'a b')}, or make it: ${command('teams', 'create', '--name', placeholder('<name>'))}.`;
    const line = await rendered(new Failure('notFound', 'No.', { hint }), { json: true, profile: 'p' });
    expect(JSON.parse(line)).toMatchObject({
      error: {
        hint: 'Look for it: botctl --profile p teams get "a b", or make it: botctl --profile p teams create --name <name>.',
        next: [['botctl', '--profile', 'p', 'teams', 'get', 'a b']],
      },
    });
  });

  test("contain the service's details if there are any", async () => {
    const details = { name: ['is taken'] };
    const line = await rendered(new Failure('rejected', 'Refused.', { details }), { json: true });
    expect(JSON.parse(line)).toMatchObject({ error: { exit: 6, details } });
    for (const none of [null, undefined]) {
      expect(await rendered(new Failure('rejected', 'No.', { details: none }), { json: true })).not.toContain(
        'details',
      );
    }
  });

  test.each(Object.entries(hostile))('are safe and lossless: %s', async (_what, text) => {
    const line = await rendered(new Failure('rejected', text), { json: true });
    expect(line).not.toMatch(dangerous);
    expect(line.split('\n')).toHaveLength(2);
    expect(JSON.parse(line)).toMatchObject({ error: { message: text } });
  });
});

test('prints a failure without colour at once, without a delay', () => {
  const stderr = new Captured();
  void renderFailure(notFound, { stderr, env: {} }, { json: false, debug: false });
  expect(stderr.text).not.toBe('');
});
