import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needing } from '../support/needing.ts';
import { givenSeed } from '../support/properties.ts';
import { canary, failuresOf, failuresOfPairs, hostileNames, knownHostile } from './hostile-names.ts';
import { Machine, type Session, type Shell, shells } from './shell.ts';

/** Names by a beginning that can be typed before Tab, each with the word that the shell has to pass. */
const hostile: readonly (readonly [typed: string, name: string, word: string])[] = [
  ['1', '1 blank  blank ', '1 blank  blank '],
  ['2', `2'single" double`, `2'single" double`],
  ['3', '3$(touch owned)', '3$(touch owned)'],
  ['4', '4`touch owned`', '4`touch owned`'],
  ['5', '5:colon=equals:', '5:colon=equals:'],
  ['6', '6;touch owned;', '6;touch owned;'],
  ['7', '7 * [a] {a,b} \\', '7 * [a] {a,b} \\'],
  ['8', '8!! !$ !-1', '8!! !$ !-1'],
  ['9', '9 ~ $HOME & | > owned', '9 ~ $HOME & | > owned'],
  // These can't be typed, or have another meaning at the beginning of a word.
  ['break', 'line\ntouch owned\n', 'break-id'],
  ['escape', '\u001b]0;owned\u0007', 'escape-id'],
  ['dash', '-rf', 'dash-id'],
  ['tilde', '~root', 'tilde-id'],
];

const known = {
  seen: [
    ...hostile.map(([typed, name]) => ({ noun: 'key', id: `${typed}-id`, name }) as const),
    { noun: 'bot', id: '0eadbeef-0000-4000-8000-bot', name: 'Front desk', teamId: 'team-1' },
    { noun: 'bot', id: '1eadbeef-0000-4000-8000-bot', name: 'Front office', teamId: 'team-2' },
    { noun: 'team', id: 'team-1', name: 'Aurora Coffee' },
    { noun: 'team', id: 'team-2', name: `Bo's "Books"` },
    { noun: 'document', id: 'document-1', name: 'line\nbreak \u001b]0;owned\u0007' },
  ],
  devices: { 'device-1': 'Reception' },
} as const;

describe.each(['bash', 'zsh', 'fish'] as const)('completion in a real %s', (shell: Shell) => {
  const isThere = shells.includes(shell);
  let machine: Machine;
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

  it.each([
    ['commands', 'sandbox pho\tsc\t', ['sandbox', 'phone', 'scan']],
    ['an option', 'teams list --pay\t', ['teams', 'list', '--paying']],
    ['the value of an option', 'teams list -o nd\t', ['teams', 'list', '-o', 'ndjson']],
    ['the value behind an equals sign', 'teams list --output=nd\t', ['teams', 'list', '--output=ndjson']],
    ['one of several fields', 'teams list --fields id,na\t', ['teams', 'list', '--fields', 'id,name']],
    ['a direction', 'teams list --sort name:d\t', ['teams', 'list', '--sort', 'name:desc']],
    ['a condition', 'bots list --where published=y\t', ['bots', 'list', '--where', 'published=yes']],
    ['nothing after a whole command', 'teams list \t\t', ['teams', 'list']],
    ['a profile', '--profile sta\twho\t', ['--profile', 'staging', 'whoami']],
    ['a file', 'bots create --file my\t', ['bots', 'create', '--file', 'my file.yaml']],
    ['a name', 'teams get Au\t', ['teams', 'get', 'Aurora Coffee']],
    ['a name in double quotes', 'teams get "Au\t', ['teams', 'get', 'Aurora Coffee']],
    ['a name in single quotes', "teams get 'Au\t", ['teams', 'get', 'Aurora Coffee']],
    [
      'a name of the team on the line',
      `bots get --team="Aurora"' Coffee' Fr\t`,
      ['bots', 'get', '--team=Aurora Coffee', 'Front desk'],
    ],
    [
      'a name of the team on the line, in other quotes',
      `bots get --team Bo\\'s" \\"Books\\"" Fr\t`,
      ['bots', 'get', '--team', `Bo's "Books"`, 'Front office'],
    ],
    ['a name after a blank', 'bots get Front\\ d\t', ['bots', 'get', 'Front desk']],
    ['a file behind an equals sign', 'bots create --file=my\t', ['bots', 'create', '--file=my file.yaml']],
    ['a name behind an equals sign', 'bots list --team=Au\t', ['bots', 'list', '--team=Aurora Coffee']],
    ['an id', 'bots get 0ead\t', ['bots', 'get', '0eadbeef-0000-4000-8000-bot']],
    ['a device of the device book', 'device status Rec\t', ['device', 'status', 'Reception']],
    // Completed with its id, because its name can't be typed.
    ['a document with a line break in its name', 'docs get doc\t', ['docs', 'get', 'document-1']],
  ] as const)('completes %s', needing(shell, isThere), async (_what, typed, args) => {
    const called = await session.called(`botctl ${typed}`);
    expect(called).toEqual(args);
  });

  it.each(hostile)(
    'passes the completion of %s as one word: %j',
    needing(shell, isThere),
    async (typed, _name, word) => {
      expect(await session.called(`botctl keys get ${typed}\t`)).toEqual(['keys', 'get', word]);
      expect(machine.takes(canary)).toBe(false);
    },
  );
});

describe.concurrent.each(['bash', 'zsh', 'fish'] as const)('hostile names in a real %s', (shell) => {
  const isThere = shells.includes(shell);
  // M-* in bash removes the open quote, and inserts all completions.
  const keys = shell === 'bash' ? ['\t', '\u001b*'] : ['\t'];
  const seed = givenSeed ?? Date.now();
  let machine: Machine;
  let session: Session;

  beforeAll(async () => {
    machine = new Machine();
    if (isThere) session = await machine.open(shell);
  });
  afterAll(() => {
    session?.close();
    machine.remove();
  });

  it(`are one argument each in every quote, and no part of them runs (seed ${seed})`, {
    ...needing(shell, isThere),
  }, async () => {
    const names = [...knownHostile, ...hostileNames(100, seed)];
    for (const key of keys) expect(await failuresOf({ shell, session, machine }, names, key)).toEqual([]);
    const pairs = [...knownHostile, ...hostileNames(50, seed + 1)];
    expect(await failuresOfPairs({ shell, session, machine }, pairs)).toEqual([]);
  });
});
