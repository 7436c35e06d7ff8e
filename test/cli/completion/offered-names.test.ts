import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNameCache } from '../../../src/settings/completion-cache.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import { completed, completedValues } from '../../support/completed.ts';

const [main, staging] = ['https://api.example.com', 'https://staging.example.com'];

/** Returns a machine with two profiles, each with a different team. */
function machine(): Record<string, string> {
  const directory = temporaryDirectory();
  const profiles = { main: { base_url: `${main}/v1` }, staging: { base_url: staging } };
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ current_profile: 'main', profiles }));
  see(directory, main, 'Aurora Coffee');
  see(directory, staging, 'Rehearsal');
  return { BOTCTL_CONFIG_DIR: directory };
}

function see(directory: string, baseUrl: string, ...names: readonly string[]): void {
  const notes = createNameCache(join(directory, 'cache')).notes(baseUrl);
  names.forEach((name, index) => {
    notes.add({ noun: 'team', id: `team-${index}`, name });
  });
  notes.save();
}

describe('the offered names', () => {
  it.each([
    ['of the current profile', [], {}, 'Aurora Coffee'],
    ['of --profile', ['--profile', 'staging'], {}, 'Rehearsal'],
    ['of --profile=', ['--profile=staging'], {}, 'Rehearsal'],
    ['of BOTCTL_PROFILE', [], { BOTCTL_PROFILE: 'staging' }, 'Rehearsal'],
    [
      'of --profile before BOTCTL_PROFILE',
      ['--profile', 'main'],
      { BOTCTL_PROFILE: 'staging' },
      'Aurora Coffee',
    ],
    ['of --base-url', ['--base-url', staging], {}, 'Rehearsal'],
    ['of the environment', [], { BOTCTL_KEY_ID: 'key', BOTCTL_BASE_URL: staging }, 'Rehearsal'],
  ])('are those %s', async (_, options, env, name) => {
    const expected = [`${name}\tteam-0`];
    expect(await completed([...options, 'teams', 'get', ''], { ...machine(), ...env })).toEqual(expected);
    expect(await completed(['teams', 'get', ...options, ''], { ...machine(), ...env })).toEqual(expected);
  });

  it.each([
    [['--profile', 'nobody'], {}],
    [[], { BOTCTL_KEY_ID: 'key' }],
    [[], { BOTCTL_BASE_URL: 'nonsense', BOTCTL_KEY_ID: 'key' }],
    [['--base-url', 'nonsense'], {}],
  ])('are empty for %j with %j', async (options, env) => {
    expect(await completed(['teams', 'get', ...options, ''], { ...machine(), ...env })).toEqual([]);
  });

  it('are empty if the config file is invalid', async () => {
    const env = machine();
    for (const content of [
      '{',
      'null',
      '[]',
      '{"profiles":3}',
      '{"profiles":{"main":7},"current_profile":"main"}',
    ]) {
      writeFileSync(join(env.BOTCTL_CONFIG_DIR ?? '', 'config.json'), content);
      expect(await completed(['teams', 'get', ''], env)).toEqual([]);
    }
  });

  it('are those that contain the word, in upper or lower case', async () => {
    const env = machine();
    see(env.BOTCTL_CONFIG_DIR ?? '', main, 'Aurora Coffee', 'Blue Books');
    expect(await completedValues(['teams', 'get', 'BOOK'], env)).toEqual(['Blue Books']);
    expect(await completedValues(['bots', 'list', '--team=blue b'], env)).toEqual(['--team=Blue Books']);
  });

  it('are ids once the word starts like one', async () => {
    expect(await completed(['teams', 'get', 'te'], machine())).toEqual([]);
    expect(await completed(['teams', 'get', 'TEA'], machine())).toEqual(['team-0\tAurora Coffee']);
    expect(await completed(['bots', 'list', '--team=tea'], machine())).toEqual([
      '--team=team-0\tAurora Coffee',
    ]);
  });

  it('are ids if a name is deceptive, or reads as an option or a home directory', async () => {
    const env = machine();
    see(
      env.BOTCTL_CONFIG_DIR ?? '',
      main,
      'line\nbreak\t\u001b]0;x\u0007',
      'zero\u200bwidth',
      '-o',
      '~root',
      '$(rm) `x`',
    );
    expect(await completed(['teams', 'get', ''], env)).toEqual([
      'team-0\tline break ',
      'team-1\tzerowidth',
      'team-2\t-o',
      'team-3\t~root',
      '$(rm) `x`\tteam-4',
    ]);
  });

  it('are offered once if several objects have the same name', async () => {
    const env = machine();
    see(env.BOTCTL_CONFIG_DIR ?? '', main, 'Twin', 'Twin');
    expect(await completed(['teams', 'get', ''], env)).toEqual(['Twin\tseveral have this name']);
  });

  describe('with --team', () => {
    const [coffee, books] = ['1eadbeef-0000-4000-8000-000000000001', '2eadbeef-0000-4000-8000-000000000002'];
    const known = (): Record<string, string> => {
      const env = machine();
      const notes = createNameCache(join(env.BOTCTL_CONFIG_DIR ?? '', 'cache')).notes(main);
      notes.add({ noun: 'team', id: coffee, name: 'Coffee' });
      notes.add({ noun: 'bot', id: 'bot-1', name: 'Of coffee', teamId: coffee });
      notes.add({ noun: 'bot', id: 'bot-2', name: 'Of books', teamId: books });
      notes.add({ noun: 'bot', id: 'bot-3', name: 'Of nobody knows' });
      notes.save();
      return env;
    };
    const offered = (...options: readonly string[]) =>
      completedValues(['bots', 'get', ...options, ''], known());

    it.each([['--team', 'Coffee'], ['--team=coffee'], ['--team', coffee.toUpperCase()]])(
      'are those that may be in the team: %s %s',
      async (...options) => {
        expect(await offered(...options)).toEqual(['Of coffee', 'Of nobody knows']);
      },
    );

    it('are selected by the id of a team whose name is unknown', async () => {
      expect(await offered('--team', books)).toEqual(['Of books', 'Of nobody knows']);
    });

    it('are complete if the team is unknown', async () => {
      expect(await offered('--team', 'Music')).toEqual(['Of coffee', 'Of books', 'Of nobody knows']);
    });

    it('are still all teams for --team itself', async () => {
      expect(await completed(['bots', 'list', '--team', 'Coffee', '--team', ''], known())).toEqual([
        'Aurora Coffee\tteam-0',
        `Coffee\t${coffee}`,
      ]);
    });
  });

  it('include profiles, and devices of the device book', async () => {
    const env = machine();
    const data = join(env.BOTCTL_CONFIG_DIR ?? '', 'data');
    const device = { origin: main, id: 'device-1', name: 'Reception', seen_at: '2026-01-01T00:00:00Z' };
    mkdirSync(data);
    writeFileSync(
      join(data, 'devices.ndjson'),
      `${JSON.stringify(device)}\n${JSON.stringify({ ...device, id: 'a b' })}\n`,
    );
    expect(await completed(['--profile', ''], env)).toEqual([`main\t${main}/v1`, `staging\t${staging}`]);
    expect(await completed(['device', 'status', ''], env)).toEqual(['Reception\tdevice-1']);
  });
});
