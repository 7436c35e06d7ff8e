import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { withoutWaiting } from '../support/fake-clock.ts';
import { type Loss, startTidyingService, type TidyingService } from '../support/tidying-service.ts';

// However a service changes names, and whichever response is lost: one object exists, or the command exits with code
// 12.

const tidying = {
  none: (name: string) => name,
  trims: (name: string) => name.trim(),
  squeezes: (name: string) => name.replace(/\s+/g, ' ').trim(),
  composes: (name: string) => name.normalize('NFC'),
  lowers: (name: string) => name.normalize('NFC').toLowerCase().trim(),
} as const;

const withoutAccents = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '');

const anyName = fc.constantFrom(
  ' Aurora Hotel',
  'Aurora Hotel ',
  'Boreal  Spa',
  'Ac\u0327ai\u0301 Hotel',
  'AURORA',
  'Açaí',
);
const anyLoss = fc.constantFrom<Loss | 'none'>(
  ...(['before', 'after', 'half', 'redirect', 'error', 'killed before', 'killed after', 'none'] as const),
);

const world = fc.record({
  name: anyName,
  tidy: fc.constantFrom(...Object.values(tidying)),
  losses: fc.array(anyLoss, { minLength: 1, maxLength: 3 }),
  times: fc.constantFrom('iso' as const, 'none' as const, 'without zone' as const),
});

/** A command that creates one object, on a separate machine. */
interface Making {
  readonly noun: 'teams' | 'bots' | 'documents' | 'devices';
  /** Returns the words of the command. */
  line(service: TidyingService, home: string, name: string): readonly string[];
}

/** The number of creates before that of each noun. */
const before = { teams: 0, bots: 1, documents: 1, devices: 2 } as const;

/** With this clock, settling a lost call takes no time. */
const clock = withoutWaiting();

const once = ['--retries', '0'];

/** Runs a command, and kills it at the call that the service chooses. */
function runKilled(service: TidyingService, line: readonly string[], env: Readonly<Record<string, string>>) {
  const [signal, urgent] = [new AbortController(), new AbortController()];
  service.onKill(() => {
    for (const one of [signal, urgent]) one.abort(new Failure('interrupted', 'Interrupted.'));
  });
  return botctl(line, { env, clock, signal: signal.signal, urgent: urgent.signal });
}

function files(home: string, tenants: Readonly<Record<string, unknown>>): readonly string[] {
  mkdirSync(join(home, 'tenants'), { recursive: true });
  writeFileSync(join(home, 'tenants', 'all.yaml'), JSON.stringify({ version: 1, tenants }));
  return ['tenants', 'apply', join(home, 'tenants'), '--yes', '--discard-token', ...once];
}

const tenant = {
  name: 'One',
  plan_name: 'pro',
  administrator: { name: 'M', email: 'm@one.example', phone: '+5511999990000' },
};

const one = (home: string, more: object) => files(home, { one: { ...tenant, ...more } });

const teamOf = (service: TidyingService): string =>
  (service.stored.teams[0] ?? service.make('teams', { name: 'One' })).id;

function fileNamed(home: string, name: string, folder = 'files'): string {
  mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, folder, `${name}.txt`), 'soup');
  return join(home, folder, `${name}.txt`);
}

const makings: readonly (readonly [string, Making])[] = [
  ['tenants apply: a team', { noun: 'teams', line: (_, home, name) => one(home, { name }) }],
  [
    'tenants apply: a bot',
    { noun: 'bots', line: (_, home, name) => one(home, { bots: { desk: { name } } }) },
  ],
  [
    'tenants apply: a document',
    {
      noun: 'documents',
      line(_, home, name) {
        fileNamed(home, name, 'tenants');
        return one(home, { documents: { menu: { file: `${name}.txt` } } });
      },
    },
  ],
  [
    'tenants apply: a device',
    {
      noun: 'devices',
      line: (_, home, name) =>
        one(home, { bots: { desk: { name: 'Desk' } }, devices: { rec: { name, bot: 'desk' } } }),
    },
  ],
  [
    'teams create --if-absent',
    {
      noun: 'teams',
      line: (_, _home, name) => [
        ...['teams', 'create', '--if-absent', `--name=${name}`, '--plan', 'pro', '--admin-name', 'M'],
        ...['--admin-email', 'm@one.example', '--admin-phone', '+5511999990000', '--retries', '0'],
      ],
    },
  ],
  [
    'bots create --if-absent',
    {
      noun: 'bots',
      line: (service, _, name) => [
        ...['bots', 'create', '--if-absent', `--name=${name}`, '--team', teamOf(service), '--retries', '0'],
      ],
    },
  ],
  [
    'device create --if-absent',
    {
      noun: 'devices',
      line: (service, _, name) => {
        const bot =
          service.stored.bots[0] ?? service.make('bots', { name: 'Desk', team_id: teamOf(service) });
        const line = ['device', 'create', '--if-absent', `--name=${name}`, '--team', teamOf(service)];
        return [...line, '--bot', bot.id, '--discard-token', '--retries', '0'];
      },
    },
  ],
  [
    'docs upload',
    {
      noun: 'documents',
      line: (service, home, name) => [
        ...['docs', 'upload', fileNamed(home, name), '--team', teamOf(service), ...once],
      ],
    },
  ],
  [
    'docs upload --if-absent',
    {
      noun: 'documents',
      line: (service, home, name) => [
        ...['docs', 'upload', fileNamed(home, name), '--if-absent', '--team', teamOf(service), ...once],
      ],
    },
  ],
  [
    'docs sync',
    {
      noun: 'documents',
      line: (service, home, name) => {
        fileNamed(home, name);
        return ['docs', 'sync', join(home, 'files'), '--team', teamOf(service), '--yes', ...once];
      },
    },
  ],
];

describe.each(makings)('%s', (words, { noun, line }) => {
  it('creates one object, or exits with code 12, however often it is run', async () => {
    const property = fc.asyncProperty(world, async ({ name, tidy, losses, times }) => {
      const isApply = words.startsWith('tenants');
      const none = Array.from({ length: isApply ? before[noun] : 0 }, () => 'none' as const);
      const service = await startTidyingService({ tidy, times, losses: [...none, ...losses] });
      const home = temporaryDirectory();
      const env = { ...service.env, BOTCTL_CONFIG_DIR: home };
      const run = () => runKilled(service, line(service, home, name), env);
      const count = () => service.stored[noun].length;
      for (const turn of ['first', 'second', 'third']) {
        const { exitCode, stderr } = await run();
        expect(count(), `${turn} run: ${stderr}`).toBeLessThanOrEqual(1);
        // 2: the existing object may be the created one, and is named; 8 and 10: it certainly does not exist.
        expect([0, 2, 8, 10, 12, 130], stderr).toContain(exitCode);
        if (exitCode === 0 || exitCode === 2) expect(count(), stderr).toBe(1);
      }
    });
    await fc.assert(property, { numRuns: 12 });
  }, 60_000);
});

const two = (home: string, names: readonly string[]): readonly string[] => {
  const tenants = names.map((name, at) => [
    `t${at}`,
    { ...tenant, name, administrator: { ...tenant.administrator, email: `t${at}@one.example` } },
  ]);
  return files(home, Object.fromEntries(tenants));
};

describe('tenants apply, if responses are lost and names normalized', () => {
  it('finds each of two teams, and creates none a second time', async () => {
    const service = await startTidyingService({ tidy: tidying.squeezes, losses: ['after', 'after'] });
    const home = temporaryDirectory();
    const line = two(home, ['Aurora Hotel ', 'Boreal  Spa']);
    const ran = await botctl(line, { env: { ...service.env, BOTCTL_CONFIG_DIR: home }, clock });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(service.stored.teams).toHaveLength(2);
  });

  it('creates no second team if the state file is lost, and names the candidate', async () => {
    const service = await startTidyingService({ tidy: tidying.squeezes, losses: [] });
    const home = temporaryDirectory();
    const env = { ...service.env, BOTCTL_CONFIG_DIR: home };
    const line = one(home, { name: 'Aurora  Hotel ' });
    expect(await botctl(line, { env, clock })).toMatchObject({ exitCode: 0 });
    rmSync(join(home, 'tenants', 'tenants.lock.json'));
    const ran = await botctl(line, { env, clock });
    expect(ran.exitCode, ran.stderr).not.toBe(0);
    expect(ran.stderr).toContain(`botctl tenants import one ${service.stored.teams[0]?.id}`);
    expect(service.stored.teams).toHaveLength(1);
  });

  it('does not guess which of two teams with similar names exists', async () => {
    const service = await startTidyingService({ tidy: tidying.squeezes, losses: ['after', 'before'] });
    const home = temporaryDirectory();
    const line = two(home, ['Aurora Hotel ', 'Aurora  Hotel']);
    const ran = await botctl(line, { env: { ...service.env, BOTCTL_CONFIG_DIR: home }, clock });
    // Both are created concurrently: the answer that is lost after its effect may be that of either. If one is created
    // before the other is sent, the other is refused.
    expect([10, 12], ran.stderr).toContain(ran.exitCode);
    const [{ id } = { id: '' }] = service.stored.teams;
    expect(ran.stderr).toMatch(new RegExp(`botctl tenants import t[01] ${id}`));
    expect(service.stored.teams).toHaveLength(1);
  });
});

describe('a service that stores the name of one object as that of another', () => {
  it('gets no second team if both responses are lost', async () => {
    const service = await startTidyingService({ tidy: withoutAccents, losses: ['after', 'after'] });
    const home = temporaryDirectory();
    const line = two(home, ['Açaí', 'Acai']);
    const ran = await botctl(line, { env: { ...service.env, BOTCTL_CONFIG_DIR: home }, clock });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 12 });
    // Both are created concurrently; if one is created before the other is sent, the other is refused.
    expect([1, 2], ran.stderr).toContain(service.stored.teams.length);
  });

  it('gets no second copy of a document with a lost response', async () => {
    const service = await startTidyingService({ tidy: withoutAccents, losses: ['none', 'after'] });
    const home = temporaryDirectory();
    for (const name of ['Acai', 'Açaí']) fileNamed(home, name);
    const line = ['docs', 'sync', join(home, 'files'), '--team', teamOf(service), '--yes', ...once];
    const env = { ...service.env, BOTCTL_CONFIG_DIR: home };
    const ran = await botctl([...line, '--concurrency', '1'], { env, clock });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
    expect(service.stored.documents, ran.stderr).toHaveLength(2);
  });
});

describe('docs upload, of names that differ in case', () => {
  it('uploads nothing again, for one file or several, to a service that stores lower case', async () => {
    const service = await startTidyingService({ tidy: tidying.lowers, losses: [] });
    const home = temporaryDirectory();
    const paths = ['Menu', 'Prices'].map((name) => fileNamed(home, name));
    const env = { ...service.env, BOTCTL_CONFIG_DIR: home };
    const upload = (...some: readonly string[]) =>
      botctl(['docs', 'upload', ...some, '--team', teamOf(service), ...once], { env, clock });
    await upload(...paths);
    const one = await upload(...paths.slice(0, 1));
    expect(one, one.stderr).toMatchObject({ exitCode: 0 });
    expect(one.stderr).toContain('a document of the name "menu.txt"');
    expect(await upload(...paths)).toMatchObject({ exitCode: 0 });
    expect(service.stored.documents).toHaveLength(2);
  });

  it('matches a document only to the file of exactly that name', async () => {
    const service = await startTidyingService({ tidy: tidying.none, losses: [] });
    const home = temporaryDirectory();
    const paths = ['Menu', 'menu'].map((name) => fileNamed(home, name, name));
    const env = { ...service.env, BOTCTL_CONFIG_DIR: home };
    for (const some of [paths.slice(0, 1), paths])
      await botctl(['docs', 'upload', ...some, '--team', teamOf(service), ...once], { env, clock });
    expect(service.stored.documents.map(({ name }) => name)).toEqual(['Menu.txt', 'menu.txt']);
  });
});

describe('docs sync, to a service that stores other names', () => {
  it('exits with code 12 on each run, and uploads no second copy without --retry-unknown', async () => {
    const service = await startTidyingService({ tidy: withoutAccents, losses: ['after'] });
    const home = temporaryDirectory();
    fileNamed(home, 'Açaí');
    const run = (...more: readonly string[]) => {
      const line = ['docs', 'sync', join(home, 'files'), '--team', teamOf(service), '--yes', ...once];
      return botctl([...line, ...more], { env: { ...service.env, BOTCTL_CONFIG_DIR: home }, clock });
    };
    for (const ran of [await run(), await run()]) {
      expect(ran, ran.stderr).toMatchObject({ exitCode: 12 });
      expect(ran.stderr).toContain(`docs get ${service.stored.documents[0]?.id}`);
    }
    expect(service.stored.documents).toHaveLength(1);
    expect(await run('--retry-unknown')).toMatchObject({ exitCode: 0 });
    expect(service.stored.documents).toHaveLength(2);
  });
});

describe('an existing document, named like a file with a lost upload', () => {
  /**
   * Writes two files whose names differ in case, and creates a document of the first one's size; its default name
   * differs from both.
   */
  async function namesAlike(folder: string, losses: readonly (Loss | 'none')[], name = 'MENU.txt') {
    const service = await startTidyingService({ tidy: tidying.none, losses, times: 'none' });
    const home = temporaryDirectory();
    const [path = ''] = ['menu', 'Menu'].map((name) => fileNamed(home, name, folder));
    writeFileSync(path, 'salad');
    const there = { name, team_id: teamOf(service), chars: 5, size: 5 };
    service.make('documents', there);
    return { service, home, env: { ...service.env, BOTCTL_CONFIG_DIR: home } };
  }

  const names = ['MENU.txt', 'Menu.txt', 'menu.txt'];

  it('is not matched to that file by docs sync', async () => {
    const { service, home, env } = await namesAlike('files', ['none', 'before']);
    const line = ['docs', 'sync', join(home, 'files'), '--team', teamOf(service), '--yes'];
    const ran = await botctl([...line, '--concurrency', '1', ...once], { env, clock });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(service.stored.documents.map(({ name }) => name).toSorted()).toEqual(names);
  });

  it('is not matched to that file by tenants apply', async () => {
    const { service, home, env } = await namesAlike('tenants', ['before']);
    const documents = { small: { file: 'menu.txt' }, big: { file: 'Menu.txt' } };
    const ran = await botctl([...one(home, { documents }), '--allow', 'adopt'], { env, clock });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(service.stored.documents.map(({ name }) => name).toSorted()).toEqual(names);
  });

  it('causes no doubt if its name differs', async () => {
    const { service, home, env } = await namesAlike('files', ['none', 'before'], 'Prices.txt');
    const line = ['docs', 'sync', join(home, 'files'), '--team', teamOf(service), '--yes'];
    const ran = await botctl([...line, '--concurrency', '1', ...once], { env, clock });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(service.stored.documents).toHaveLength(3);
  });

  it.each([
    ['docs sync', 'files', ['none', 'killed before']],
    ['tenants apply', 'tenants', ['killed before']],
  ] as const)('is not matched to that file by %s after a killed run', async (words, folder, losses) => {
    const { service, home, env } = await namesAlike(folder, losses);
    const documents = { small: { file: 'menu.txt' }, big: { file: 'Menu.txt' } };
    const sync = ['docs', 'sync', join(home, 'files'), '--team', teamOf(service), '--yes', ...once];
    const line =
      words === 'docs sync'
        ? [...sync, '--concurrency', '1']
        : [...one(home, { documents }), '--allow', 'adopt'];
    const killed = await runKilled(service, line, env);
    expect(killed, killed.stderr).toMatchObject({ exitCode: 130 });
    const again = await botctl(line, { env, clock });
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    expect(service.stored.documents.map(({ name }) => name).toSorted()).toEqual(names);
  });
});

describe('an existing team or bot, whose name differs in case from a new one', () => {
  it.each([
    ['teams', 'ONE', (home: string) => one(home, {})],
    ['bots', 'DESK', (home: string) => one(home, { bots: { desk: { name: 'Desk' } } })],
  ] as const)(
    'is not matched to the new one by tenants apply after a killed run: %s',
    async (noun, name, lineIn) => {
      const losses: readonly Loss[] = ['killed before'];
      const service = await startTidyingService({ tidy: tidying.none, losses, times: 'none' });
      const home = temporaryDirectory();
      const env = { ...service.env, BOTCTL_CONFIG_DIR: home };
      service.make(noun, {
        ...{ name, plan_name: 'pro' },
        ...(noun === 'bots' && { team_id: teamOf(service), published: false }),
      });
      const line = [...lineIn(home), '--allow', 'adopt'];
      const killed = await runKilled(service, line, env);
      expect(killed, killed.stderr).toMatchObject({ exitCode: 130 });
      const again = await botctl(line, { env, clock });
      expect(again, again.stderr).toMatchObject({ exitCode: 0 });
      expect(service.stored[noun].map((row) => row.name)).toEqual([name, noun === 'bots' ? 'Desk' : 'One']);
    },
  );
});

describe('tenants apply, to a service that stores other names', () => {
  /** Applies a new tenant whose answer is lost, and returns the command in the hint. */
  async function unknownTeam() {
    const service = await startTidyingService({ tidy: withoutAccents, losses: ['after'] });
    const home = temporaryDirectory();
    const env = { ...service.env, BOTCTL_CONFIG_DIR: home };
    const apply = () => botctl(one(home, { name: 'Açaí' }), { env, clock });
    const ran = await apply();
    const again = await apply();
    expect([ran.exitCode, again.exitCode], again.stderr).toEqual([12, 12]);
    expect(service.stored.teams).toHaveLength(1);
    const hinted = (verb: string): readonly string[] =>
      new RegExp(`botctl (tenants ${verb} one .*)$`, 'm').exec(again.stderr)?.[1]?.split(' ') ?? [];
    return { service, apply, follow: (verb: string) => botctl([...hinted(verb), '--yes'], { env, clock }) };
  }

  it('adopts the team that the user names', async () => {
    const { service, apply, follow } = await unknownTeam();
    expect(await follow('import')).toMatchObject({ exitCode: 0 });
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(service.stored.teams).toHaveLength(1);
  });

  it('creates it again after the user forgets it', async () => {
    const { service, apply, follow } = await unknownTeam();
    expect(await follow('forget')).toMatchObject({ exitCode: 0 });
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(service.stored.teams).toHaveLength(2);
  });
});

describe('keys rotate', () => {
  it('leaves no key behind after a lost response, even if the service changes its name', async () => {
    const anyTidy = fc.constantFrom(tidying.lowers, tidying.squeezes, (name: string) => name.slice(0, 24));
    const lost = fc.constantFrom<Loss>(
      'before',
      'after',
      'half',
      'redirect',
      'killed before',
      'killed after',
    );
    const property = fc.asyncProperty(anyTidy, lost, async (tidy, loss) => {
      const service = await startTidyingService({ tidy, losses: [loss] });
      const old = service.make('api-keys', { name: 'Desk of  Aurora Hotel', is_active: true });
      const home = temporaryDirectory();
      const env = { ...service.env, BOTCTL_CONFIG_DIR: home, BOTCTL_KEY_ID: old.id };
      const line = ['keys', 'rotate', '--yes', '--secret-file', join(home, 'secret'), '--retries', '0'];
      const first = await runKilled(service, line, env);
      expect(first.exitCode, first.stderr).toBe(loss.startsWith('killed') ? 130 : 12);
      const again = await botctl(line, { env, clock: withoutWaiting() });
      expect([0, 12], again.stderr).toContain(again.exitCode);
      expect(service.stored['api-keys'], again.stderr).toHaveLength(again.exitCode === 0 ? 1 : 2);
    });
    await fc.assert(property, { numRuns: 12 });
  });
});

describe('keys create', () => {
  it('creates one key and exits with code 12, whichever response is lost, and names a key that appeared', async () => {
    const lost = fc.constantFrom<Loss>('before', 'after', 'half', 'redirect', 'error');
    const anyTidy = fc.constantFrom(...Object.values(tidying));
    const property = fc.asyncProperty(anyName, anyTidy, lost, async (name, tidy, loss) => {
      const service = await startTidyingService({ tidy, losses: [loss] });
      const line = ['keys', 'create', `--name=${name}`, '--show-secret', '--retries', '0'];
      const ran = await botctl(line, { env: service.env });
      expect(ran, ran.stderr).toMatchObject({ exitCode: 12, stdout: '' });
      const { 'api-keys': keys } = service.stored;
      expect(keys.length).toBe(loss === 'before' || loss === 'error' ? 0 : 1);
      for (const { id } of keys) expect(ran.stderr).toContain(`botctl keys delete ${id}`);
    });
    await fc.assert(property, { numRuns: 12 });
  });
});
