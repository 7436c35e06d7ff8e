import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { offeredNames } from '../../../src/cli/completion/offered-names.ts';
import { createNameCache } from '../../../src/settings/completion-cache.ts';
import { temporaryDirectory } from '../../support/botctl.ts';

const [main, staging] = ['https://api.example.com', 'https://staging.example.com'];

/** A machine with two profiles, each with a team of its own. */
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

describe('the names that are offered', () => {
  it.each([
    ['of the current profile', [], {}, 'Aurora Coffee'],
    ['of --profile', ['teams', '--profile', 'staging'], {}, 'Rehearsal'],
    ['of --profile=', ['--profile=staging', 'teams'], {}, 'Rehearsal'],
    ['of BOTCTL_PROFILE', [], { BOTCTL_PROFILE: 'staging' }, 'Rehearsal'],
    [
      'of --profile before BOTCTL_PROFILE',
      ['--profile', 'main'],
      { BOTCTL_PROFILE: 'staging' },
      'Aurora Coffee',
    ],
    ['of --base-url', ['--base-url', staging], {}, 'Rehearsal'],
    ['of the environment', [], { BOTCTL_KEY_ID: 'key', BOTCTL_BASE_URL: staging }, 'Rehearsal'],
  ])('are those %s', (_, line, env, name) => {
    expect(offeredNames(['team', '--word=', ...line], { ...machine(), ...env })).toBe(`${name}\tteam-0\n`);
  });

  it.each([
    [['team', '--word=', '--profile', 'nobody'], {}],
    [['team', '--word='], { BOTCTL_KEY_ID: 'key' }],
    [['team', '--word='], { BOTCTL_BASE_URL: 'nonsense', BOTCTL_KEY_ID: 'key' }],
    [['constructor', '--word='], {}],
    [[], {}],
  ])('are none for %j with %j', (args, env) => {
    expect(offeredNames(args, { ...machine(), ...env })).toBe('');
  });

  it('are none where the config file is no such file', () => {
    const env = machine();
    for (const content of [
      '{',
      'null',
      '[]',
      '{"profiles":3}',
      '{"profiles":{"main":7},"current_profile":"main"}',
    ]) {
      writeFileSync(join(env.BOTCTL_CONFIG_DIR ?? '', 'config.json'), content);
      expect(offeredNames(['team', '--word='], env)).toBe('');
    }
  });

  it('come with ids, once the word begins like one', () => {
    expect(offeredNames(['team', '--word=te'], machine())).toBe('Aurora Coffee\tteam-0\n');
    expect(offeredNames(['team', '--word=TEA'], machine())).toBe(
      'Aurora Coffee\tteam-0\nteam-0\tAurora Coffee\n',
    );
  });

  it('are ids where a name is not what it looks like, or reads as an option', () => {
    const env = machine();
    see(
      env.BOTCTL_CONFIG_DIR ?? '',
      main,
      'line\nbreak\t\u001b]0;x\u0007',
      'zero\u200bwidth',
      '-o',
      '$(rm) `x`',
    );
    expect(offeredNames(['team', '--word='], env)).toBe(
      'team-0\tline break \nteam-1\tzerowidth\nteam-2\t-o\n$(rm) `x`\tteam-3\n',
    );
  });

  it('are offered once, where several have the same', () => {
    const env = machine();
    see(env.BOTCTL_CONFIG_DIR ?? '', main, 'Twin', 'Twin');
    expect(offeredNames(['team', '--word='], env)).toBe('Twin\tseveral have this name\n');
  });

  describe('beside --team', () => {
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
    const offered = (...line: readonly string[]): readonly string[] =>
      offeredNames(['bot', '--word=', 'bots', 'get', ...line], known())
        .split('\n')
        .flatMap((text) => text.split('\t')[0] || []);

    it.each([['--team', 'Coffee'], ['--team=coffee'], ['--team', coffee.toUpperCase()]])(
      'are those that may be in the team: %s %s',
      (...line) => {
        expect(offered(...line)).toEqual(['Of coffee', 'Of nobody knows']);
      },
    );

    it('are told by the id of a team whose name nobody knows', () => {
      expect(offered('--team', books)).toEqual(['Of books', 'Of nobody knows']);
    });

    it('are all where nobody knows the team', () => {
      expect(offered('--team', 'Music')).toEqual(['Of coffee', 'Of books', 'Of nobody knows']);
    });

    it('are still every team, for --team itself', () => {
      expect(offeredNames(['team', '--word=', '--team', 'Coffee'], known())).toBe(
        `Aurora Coffee\tteam-0\nCoffee\t${coffee}\n`,
      );
    });
  });

  it('are profiles, and devices of the book', () => {
    const env = machine();
    const data = join(env.BOTCTL_CONFIG_DIR ?? '', 'data');
    const device = { origin: main, id: 'device-1', name: 'Reception', seen_at: '2026-01-01T00:00:00Z' };
    mkdirSync(data);
    writeFileSync(
      join(data, 'devices.ndjson'),
      `${JSON.stringify(device)}\n${JSON.stringify({ ...device, id: 'a b' })}\n`,
    );
    expect(offeredNames(['profile', '--word='], env)).toBe(`main\t${main}/v1\nstaging\t${staging}\n`);
    expect(offeredNames(['device', '--word='], env)).toBe('Reception\tdevice-1\n');
  });
});
