import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NamedResource, RememberedNoun } from '../../src/settings/completion-cache.ts';
import { someOf } from '../support/long.ts';
import { needing } from '../support/needing.ts';
import { Machine, type Session, type Shell, shells } from './shell.ts';

const sightings = (noun: RememberedNoun, ...names: readonly string[]): readonly NamedResource[] =>
  names.map((name, index) => ({ noun, name, id: `${index}eadbeef-0000-4000-8000-${noun}` }));

/** Names that a shell would take for something else. Each begins otherwise. */
const hostile: Readonly<Record<string, string>> = {
  aa: 'aa $(touch owned) `touch owned`',
  bb: `bb "double" and 'single'`,
  cc: 'cc; touch owned & touch owned | cat > owned',
  ii: 'ii wow!',
  dd: 'dd !! !touch \\ back\\slash',
  ee: 'ee {a,b} * ? [x] ~ #hash',
  ff: 'ff=a:b@c:d=e',
  gg: 'gg Café ☕ 店',
  hh: "hh $HOME $((1+1)) $'x' %s",
};

const allShells = ['bash', 'zsh', 'fish'] as const;

describe.each(allShells)('in a real %s', (shell: Shell) => {
  const isThere = shells.includes(shell);
  const shellNeeded = needing(shell, isThere);
  let machine: Machine;
  const known = {
    seen: [
      ...sightings('bot', 'Front desk', ...Object.values(hostile)),
      ...sightings('team', 'Aurora Coffee', '!;touch owned #', "';touch owned #", '";touch owned #'),
      { noun: 'document', id: 'document-1', name: 'line\nbreak \u001b]0;owned\u0007' },
    ],
    devices: { 'device-1': 'Reception', 'device-2': '!;touch owned #' },
  } as const;
  let session: Session;

  beforeAll(async () => {
    machine = new Machine(known);
    writeFileSync(join(machine.home, 'my file.yaml'), '');
    if (isThere) session = await machine.open(shell);
  });
  afterAll(() => {
    session?.close();
    machine.remove();
  });

  const typing = [
    ['tea\tli\t', ['teams', 'list']],
    ['teams list --pay\t', ['teams', 'list', '--paying']],
    ['-o json tea\tli\t', ['-o', 'json', 'teams', 'list']],
    ['sandbox pho\tsc\t', ['sandbox', 'phone', 'scan']],
    ['teams list -o nd\t', ['teams', 'list', '-o', 'ndjson']],
    ['teams list --output=nd\t', ['teams', 'list', '--output=ndjson']],
    ['--profile sta\twho\t', ['--profile', 'staging', 'whoami']],
    ['bots get Fr\t', ['bots', 'get', 'Front desk']],
    ['bots get "Fr\t', ['bots', 'get', 'Front desk']],
    ["bots get 'Fr\t", ['bots', 'get', 'Front desk']],
    ['bots get Front\\ d\t', ['bots', 'get', 'Front desk']],
    ['bots list --team=Au\t', ['bots', 'list', '--team=Aurora Coffee']],
    ['bots list --team="Au\t', ['bots', 'list', '--team=Aurora Coffee']],
    ['bots list --team Au\t--name x', ['bots', 'list', '--team', 'Aurora Coffee', '--name', 'x']],
    ['bots sho\tFr\t', ['bots', 'show', 'Front desk']],
    ['bots get 0ead\t', ['bots', 'get', '0eadbeef-0000-4000-8000-bot']],
    ['bots get "0ead\t', ['bots', 'get', '0eadbeef-0000-4000-8000-bot']],
    ['bots get ff=a:\t', ['bots', 'get', hostile.ff]],
    ['docs get doc\t', ['docs', 'get', 'document-1']],
    ['device status Rec\t', ['device', 'status', 'Reception']],
    ['teams get "!\t', ['teams', 'get', '!;touch owned #']],
    ["teams get '!\t", ['teams', 'get', '!;touch owned #']],
    ["teams get \\'\t", ['teams', 'get', "';touch owned #"]],
    ['teams get \\"\t', ['teams', 'get', '";touch owned #']],
    ['device status "!\t', ['device', 'status', '!;touch owned #']],
    ["device status 'Rec\t", ['device', 'status', 'Reception']],
    ['profiles use "sta\t', ['profiles', 'use', 'staging']],
    ["profiles use 'sta\t", ['profiles', 'use', 'staging']],
    ['bots get Fr"on\t', ['bots', 'get', 'Front desk']],
    ['bots create --file my\t', ['bots', 'create', '--file', 'my file.yaml']],
    ['bots create --file=my\t', ['bots', 'create', '--file=my file.yaml']],
    ['teams list --fields id,na\t', ['teams', 'list', '--fields', 'id,name']],
    ['teams list --fields paying,p\t', ['teams', 'list', '--fields', 'paying,plan_name']],
    ['teams list --fields=id,paying,p\t', ['teams', 'list', '--fields=id,paying,plan_name']],
    ['teams list --sort plan\t', ['teams', 'list', '--sort', 'plan_name']],
    ['teams list --sort name:d\t', ['teams', 'list', '--sort', 'name:desc']],
    ['teams list --sort=name:d\t', ['teams', 'list', '--sort=name:desc']],
    ['teams list --where pay\tyes', ['teams', 'list', '--where', 'paying=yes']],
    ['teams list --where=pay\tyes', ['teams', 'list', '--where=paying=yes']],
    ['teams update x --quota bo\t+3', ['teams', 'update', 'x', '--quota', 'bots=+3']],
  ] as const;
  it.each(someOf(typing, allShells.length, allShells.indexOf(shell)))(
    'completes %j',
    shellNeeded,
    async (typed, args) => {
      const called = await session.called(`botctl ${typed}`);
      // zsh leaves the comma that another field would need.
      expect(called.map((word) => word.replace(/,$/, ''))).toEqual(args);
    },
  );

  it.each(['"', "'"])('completes fields in %s', shellNeeded, async (quote) => {
    for (const option of ['--fields ', '--fields=']) {
      // zsh leaves the quote open for more fields, but for a word that began before it.
      const end = shell === 'zsh' && option === '--fields ' ? quote : '';
      // Of two that begin like this, the one that stands in the list already isn't offered.
      const called = await session.called(`botctl teams list ${option}${quote}id,paying,p\t${end}`);
      expect(called.join(' ').replace(/,$/, '')).toBe(`teams list ${option}id,paying,plan_name`);
    }
  });

  it.each(someOf(Object.entries(hostile), 2 * allShells.length, allShells.indexOf(shell)))(
    'writes the name of %s so that nothing of it runs',
    shellNeeded,
    async (start, name) => {
      for (const quote of ['', '"', "'"]) {
        const called = await session.called(`botctl bots get ${quote}${start}\t`);
        expect(called, quote).toEqual(['bots', 'get', name]);
      }
      expect(await session.called(`botctl keys get --profile=x ${start}\t`)).toHaveLength(4);
      expect(existsSync(join(machine.home, 'owned'))).toBe(false);
    },
  );
});
