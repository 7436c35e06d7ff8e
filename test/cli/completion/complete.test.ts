import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNameCache } from '../../../src/settings/completion-cache.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import { completed, completedValues } from '../../support/completed.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';

describe('the words of the command tree', () => {
  it('are nouns with their summaries, and help', async () => {
    expect(await completed(['te'])).toEqual([
      'teams\tCreate, list and update teams',
      'tenants\tManage teams as files',
    ]);
    const all = await completedValues(['']);
    expect(all.slice(0, 2)).toEqual(['login', 'logout']);
    expect(all.at(-1)).toBe('help');
    expect(all).not.toContain('__complete');
  });

  it('are verbs and groups, also after synonyms of a noun', async () => {
    expect(await completedValues(['bots', 'questions', ''])).toEqual(['add', 'list', 'remove']);
    expect(await completedValues(['bot', 'question', ''])).toEqual(['add', 'list', 'remove']);
    expect(await completed(['sandbox', 'pho'])).toEqual(['phone\tControl the simulated phone']);
    expect(await completedValues(['sandbox', 'phone', 'li'])).toEqual(['unlink', 'offline', 'online']);
  });

  it('follow options of every command', async () => {
    for (const options of [
      ['-o', 'json'],
      ['-ojson'],
      ['--output=json'],
      ['--debug'],
      ['--profile', 'x', '-y'],
    ])
      expect(await completedValues([...options, 'teams', 'li'])).toEqual(['list']);
  });

  it('are topics and commands after help', async () => {
    const all = await completedValues(['help', '']);
    expect(all).toEqual(expect.arrayContaining(['teams', 'exit-codes']));
    expect(all).not.toContain('help');
    expect(await completedValues(['help', 'teams', 'g'])).toEqual(['get']);
  });

  it('are the API paths with their method', async () => {
    expect(await completedValues(['api', 'G'])).toEqual(['GET']);
    expect(await completed(['api', 'delete', 'bots'])).toEqual([
      '/api/openapi/v1/bots/{id}\tDelete a bot here and at the provider, with its document links',
    ]);
    expect(await completedValues(['api', 'GET', '/api/openapi/v1/bots', '--'])).toContain('--paginate');
  });
});

describe('options', () => {
  it('are those of the command and the global ones', async () => {
    expect(await completed(['teams', 'list', '--pa'])).toEqual([
      '--paying\tonly teams that pay',
      '--page\tpage to show, of 50 rows or --limit',
    ]);
    const all = await completedValues(['teams', 'list', '-']);
    expect(all).toEqual(expect.arrayContaining(['--no-paying', '--profile', '--no-input', '--help']));
    expect(await completedValues(['-'])).toEqual(expect.arrayContaining(['--profile', '--help']));
  });

  it('are offered once, unless they may be repeated', async () => {
    const optionsAfter = (...words: readonly string[]) => completedValues([...words, '--']);
    for (const typed of ['--paying', '--no-paying']) {
      const others = await optionsAfter('teams', 'list', typed);
      for (const gone of ['--paying', '--no-paying']) expect(others).not.toContain(gone);
    }
    for (const typed of [['-o', 'json'], ['--output=json'], ['-ojson']])
      expect(await optionsAfter('teams', 'list', ...typed)).not.toContain('--output');
    expect(await optionsAfter('api', 'GET', '--set', 'a=b', '--body', 'x')).toContain('--set');
    expect(await optionsAfter('api', 'GET', '--set', 'a=b', '--body', 'x')).not.toContain('--body');
    expect(await optionsAfter('bots', 'update', '--allow', 'unpublish')).toContain('--allow');
  });

  it('are offered only after a dash, and never after --', async () => {
    expect(await completedValues(['whoami', '-'])).toContain('--output');
    for (const words of [['whoami'], ['teams', 'list'], ['bots', 'list', 'x']])
      expect(await completedValues([...words, ''])).toEqual([]);
    expect(await completedValues(['whoami', '--', ''])).toEqual([]);
    expect(await completedValues(['whoami', '--', '-'])).toEqual([]);
    expect(await completedValues(['sandbox', 'run', '--', 'node', '-'])).toEqual([]);
  });

  it('have the values that they accept', async () => {
    expect(await completedValues(['teams', 'list', '-o', 'j'])).toEqual(['json', 'ndjson']);
    expect(await completedValues(['teams', 'list', '--output=ndj'])).toEqual(['--output=ndjson']);
    expect(await completed(['teams', 'create', '--allow', ''])).toEqual([
      'duplicate\taccept a name that another object has (docs upload: send the same document again)',
      ':nospace',
    ]);
    expect(await completedValues(['teams', 'list', '--limit', ''])).toEqual([]);
    expect(await completedValues(['teams', 'list', '--nonsense=', '-'])).toContain('--paying');
  });

  it('have fields, each once', async () => {
    expect(await completed(['teams', 'list', '--fields', 'plan'])).toEqual(['plan_name\tplan', ':nospace']);
    expect(await completedValues(['teams', 'list', '--fields=id,na'])).toEqual([
      '--fields=id,name',
      ':nospace',
    ]);
    expect(await completedValues(['teams', 'list', '--fields', 'id,name,'])).not.toContain('id,name,id');
    expect(await completedValues(['teams', 'list', '--where', 'ban'])).toEqual(['banned=', ':nospace']);
    expect(await completedValues(['teams', 'list', '--where', 'banned='])).toEqual([
      'banned=yes',
      'banned=no',
    ]);
    expect(await completedValues(['bots', 'list', '--where=published!=n'])).toEqual([
      '--where=published!=no',
    ]);
    expect(await completedValues(['teams', 'list', '--where', 'name='])).toEqual([]);
    expect(await completedValues(['teams', 'list', '--sort', 'ban'])).toEqual(['banned', ':nospace']);
    expect(await completed(['teams', 'list', '--sort', 'name:d'])).toEqual(['name:desc\tthe largest first']);
  });

  it('have file names if they take a path', async () => {
    for (const words of [['--body', ''], ['--body=x'], ['--ca-file', 'a b']])
      expect(await completed(['api', 'GET', ...words])).toEqual([':files']);
    expect(await completed(['docs', 'upload', ''])).toEqual([':files']);
    expect(await completed(['docs', 'upload', 'one.txt', '--', ''])).toEqual([':files']);
  });
});

describe('completion', () => {
  it.each([
    [[]],
    [['frob', 'nicate', '']],
    [['--', '--', '']],
    [['teams', 'frob', '--team', '']],
    [['constructor', '']],
    [['help', 'frob', 'x', '']],
    [['api', 'frob', '']],
    [['\0', '\u001b]0;x\u0007', '']],
  ])('succeeds without suggestions for %j', async (words) => {
    await completed(words);
  });

  it('succeeds if the files of this machine are unreadable', async () => {
    const directory = temporaryDirectory();
    const files = ['config.json', 'data/devices.ndjson', 'data/campaigns.db'];
    for (const file of [...files, 'cache/names/https%3A%2F%2Fapi.example.com/team.json'])
      mkdirSync(join(directory, file), { recursive: true });
    const identities: readonly Record<string, string>[] = [
      {},
      { BOTCTL_KEY_ID: 'key', BOTCTL_BASE_URL: 'https://api.example.com' },
    ];
    for (const env of identities) {
      for (const words of [['--profile'], ['teams', 'get'], ['device', 'status'], ['campaigns', 'show']])
        expect(await completedValues([...words, ''], { BOTCTL_CONFIG_DIR: directory, ...env })).toEqual([]);
    }
  });

  it('prints one line for each value, for any words and names', async () => {
    const directory = temporaryDirectory();
    const service = 'https://api.example.com';
    const env = { BOTCTL_CONFIG_DIR: directory, BOTCTL_KEY_ID: 'key', BOTCTL_BASE_URL: service };
    const typed = fc.oneof(
      fc.constantFrom(
        ...['teams', 'bots', 'docs', 'get', 'list', 'help', 'api', 'GET', 'sandbox', 'run', '--', '-'],
      ),
      fc.constantFrom(
        ...['--team', '--team=', '--profile', '--base-url', '-o', '--fields', '--where', '--sort', 'id,'],
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    const names = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), { maxLength: 5 });
    const property = fc.asyncProperty(fc.array(typed, { maxLength: 6 }), names, async (words, known) => {
      const writer = createNameCache(join(directory, 'cache')).notes(service);
      for (const [index, name] of known.entries()) writer.add({ noun: 'team', id: `team-${index}`, name });
      writer.save();
      const ends = [words, ['teams', 'get', ''], ['bots', 'list', '--team=']];
      for (const line of (await Promise.all(ends.map((one) => completed(one, env)))).flat())
        expect(line).toMatch(/^(?:[^\p{Cc}\u2028\u2029]+\t[^\p{Cc}\u2028\u2029]*|:files|:nospace)$/u);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('sends no requests', async () => {
    const server = await startScriptedServer();
    const env = { BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'key', BOTCTL_KEY_SECRET: 'secret' };
    for (const words of [
      ['teams', 'get', ''],
      ['bots', 'list', '--team', ''],
      ['device', 'status', ''],
    ])
      expect(await completed(words, env)).toEqual([]);
    expect(server.seen).toEqual([]);
  });
});
