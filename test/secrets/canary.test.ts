import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/commands/branches.ts';
import { Secret, watchSecrets } from '../../src/secrets/secret.ts';
import { createProfiles } from '../../src/settings/profiles.ts';
import { stateText } from '../../src/tenants/state-file.ts';
import { shellWords } from '../every-command/line.ts';
import { botctl, type Ran, temporaryDirectory } from '../support/botctl.ts';
import { useSandbox } from '../support/sandbox.ts';
import { formsIn } from './encodings.ts';
import { type Behaviour, type Canary, canaries, id, startTelltaleService } from './telltale-service.ts';

/** The trial of a command. */
interface Trial {
  /** Returns the arguments after the command's name. */
  readonly args: (place: Place) => readonly string[];
  readonly stdin?: string;
  /** The output at which the command is interrupted, if it does not end by itself. */
  readonly stopsAt?: string;
  /** Its exit code when the service answers; 0 by default. */
  readonly exit?: number;
  /** Whether it calls the service, and can fail for that reason. */
  readonly calls: boolean;
  /** The secrets that its stdout may contain, because they are the result. */
  readonly result?: readonly Canary[];
  /** The files that may contain a secret, because that is their purpose. */
  readonly files?: readonly string[];
}

/** The environment of a trial. */
interface Place {
  readonly home: string;
  readonly baseUrl: string;
  /** The data directory of a running sandbox. */
  readonly sandbox: string;
}

const calls = (...args: readonly string[]): Trial => ({ args: () => args, calls: true });
const local = (...args: readonly string[]): Trial => ({ args: () => args, calls: false });
const onSandbox = (...args: readonly string[]): Trial => ({
  args: ({ sandbox }) => [...args, '--data', sandbox],
  calls: false,
});
const team = ['--team', id];
const other = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/** Writes tenants with a secret, and the state file of an earlier apply. Returns their folder. */
function writeTenants(home: string, baseUrl: string): string {
  const folder = join(home, 'tenants');
  const action = `{ name: book, method: GET, endpoint: "https://a.example", headers: { Key: "\${file:key.secret}" } }`;
  const bot = `{ name: Desk, instructions: Be kind., actions: [${action}] }`;
  const entry = { id, applied: { name: 'Acme', instructions: 'Be kind.' } };
  const entries = new Map([
    ['acme', entry],
    ['acme/bots/desk', entry],
  ]);
  mkdirSync(folder);
  writeFileSync(join(folder, 'key.secret'), canaries.keySecret);
  writeFileSync(
    join(folder, 'a.yaml'),
    `version: 1\ntenants:\n  acme: { name: Acme, bots: { desk: ${bot} } }\n`,
  );
  writeFileSync(join(folder, 'tenants.lock.json'), stateText({ origin: baseUrl, entries }));
  return folder;
}

/** Returns the code of a trial with the first example of a command. */
function trialLine({ path, command }: (typeof commands)[number]): string {
  const [example] = command.examples;
  const words = example
    ? shellWords(example.line, { URL: 'URL', ID: id }).slice(1 + path.split(' ').length)
    : [];
  const kind = 'data' in command.options ? 'onSandbox' : command.needs !== 'nothing' ? 'calls' : 'local';
  return `  '${path}': ${kind}(${words.map((word) => `'${word}'`).join(', ')}),`;
}

const trials: Readonly<Record<string, Trial>> = {
  api: calls('GET', `/api/openapi/v1/bots/${id}`),
  'bots actions add': calls(
    id,
    '--yes',
    '--action',
    '{"name":"ring","endpoint":"https://a.example","method":"GET"}',
  ),
  'bots actions list': calls(id),
  'bots actions remove': calls(id, '1', '--yes'),
  'bots create': calls(...team, '--name', 'Desk'),
  'bots delete': calls(id, '--yes', '--confirm', id),
  'bots diff': { ...calls(id, '--file', '-'), stdin: 'role: sales', exit: 11 },
  'bots documents add': calls(id, other, '--yes'),
  'bots documents list': calls(id),
  'bots documents remove': calls(id, '1', '--yes'),
  // Without a terminal it is refused; test/process/edit.test.ts checks its draft and its editor's environment.
  'bots edit': { ...local(id), exit: 2 },
  'bots get': calls(id),
  'bots list': calls(),
  'bots questions add': calls(id, '--question', 'Wifi?', '--answer', 'Yes', '--yes'),
  'bots questions list': calls(id),
  'bots questions remove': calls(id, '1', '--yes'),
  'bots update': calls(id, '--name', 'Desk', '--yes'),
  'campaigns add': { ...local('spring', '--recipients', '-'), stdin: 'phone\n+5511999990000\n', exit: 5 },
  'campaigns cancel': { ...local('spring', '--yes'), exit: 5 },
  'campaigns create': {
    ...calls('spring', '--recipients', '-', '--device', id, '--message', 'hello'),
    stdin: 'phone\n+5511999990000\n',
    // A campaign cannot send through a device without a number.
    exit: 9,
  },
  'campaigns delete': { ...local('spring', '--confirm', 'spring'), exit: 5 },
  'campaigns get': { ...local('spring'), exit: 5 },
  'campaigns list': local(),
  'campaigns migrate': { ...local('--database', 'postgres://ana@127.0.0.1:1/campaigns'), exit: 8 },
  'campaigns pause': { ...local('spring'), exit: 5 },
  'campaigns results': { ...local('spring'), exit: 5 },
  'campaigns run': { ...local('spring', '--yes'), exit: 5 },
  'campaigns settle': { ...local('spring', '1', '--accepted'), exit: 5 },
  'campaigns test': { ...local('spring', '--to', '+5511977771234', '--yes'), exit: 5 },
  completion: local('bash'),
  'desk migrate': { ...local('--database', 'postgres://ana@127.0.0.1:1/desk'), exit: 8 },
  'desk status': { ...local(), exit: 2 },
  'desk dismiss': { ...local(), exit: 2 },
  'device add': calls(id, '--name', 'Counter'),
  'device connect': { ...calls(id, '--wait', '--timeout', '1ms'), exit: 9 },
  'device create': {
    args: ({ home }) => [
      ...[...team, '--bot', id, '--name', 'Counter'],
      ...['--secret-file', join(home, 'device.token')],
    ],
    calls: true,
    files: ['device.token'],
  },
  'device disconnect': calls(id, '--yes'),
  'device export': local(),
  'device forget': { ...local(id, '--yes'), exit: 5 },
  'device history': local(id),
  'device import': { ...local('-'), stdin: '[]' },
  'device list': local(),
  'device repair': calls(id, '--yes'),
  'device status': calls(id),
  'device watch': calls(id, other, '--timeout', '0s'),
  'docs count': {
    args: ({ home }) => [join(home, 'menu.txt'), '--password-stdin'],
    stdin: canaries.keySecret,
    calls: false,
  },
  'docs get': calls(id),
  'docs list': calls(),
  'docs rename': calls(id, 'Menu'),
  'docs sync': {
    args: ({ home }) => {
      mkdirSync(join(home, 'handbook'));
      writeFileSync(join(home, 'handbook', 'menu.txt'), 'soup');
      return [join(home, 'handbook'), ...team];
    },
    calls: true,
  },
  'docs upload': {
    args: ({ home }) => [join(home, 'menu.txt'), ...team],
    calls: true,
  },
  doctor: {
    args: ({ home }) => ['--bundle', join(home, 'report.json'), '--device', id],
    calls: true,
  },
  'keys create': {
    args: ({ home }) => ['--name', 'ci', '--secret-file', join(home, 'new.secret')],
    calls: true,
    files: ['new.secret'],
  },
  'keys delete': calls(id, '--yes', '--confirm', id),
  'keys get': calls(id),
  'keys list': calls(),
  'keys rotate': calls('--yes', '--then', 'cat'),
  login: {
    args: ({ baseUrl }) => [
      '--profile',
      'new',
      '--base-url',
      baseUrl,
      '--key-id',
      'key-1',
      '--key-secret-file',
      '-',
    ],
    stdin: canaries.keySecret,
    calls: true,
  },
  logout: local(),
  mcp: local('--allow-writes', 'bots'),
  'mcp history': local(),
  'optouts add': local('+5511999990000'),
  'optouts import': { ...local('-'), stdin: '+5511999990000\n' },
  'optouts list': local(),
  'optouts remove': { ...local('+5511999990000', '--yes'), exit: 5 },
  'profiles list': local(),
  'profiles remove': local('default', '--yes'),
  'profiles rename': local('default', 'other'),
  'profiles set': local('default', '--page-size', '20'),
  'profiles show': local('default'),
  'profiles use': local('default'),
  'sandbox clock advance': onSandbox('1s'),
  'sandbox fault add': onSandbox('listTeams', '--status', '429', '--times', '2'),
  'sandbox fault clear': onSandbox(),
  'sandbox fault list': onSandbox(),
  'sandbox key create': {
    args: ({ home, sandbox }) => [
      '--name',
      'ci',
      '--secret-file',
      join(home, 'own.secret'),
      '--data',
      sandbox,
    ],
    calls: false,
    files: ['own.secret'],
  },
  'sandbox key deactivate': { ...onSandbox(id), exit: 5 },
  'sandbox openapi': local(),
  'sandbox log': onSandbox('--limit', '10'),
  'sandbox migrate': { ...local('--database', 'postgres://ana@127.0.0.1:1/rehearsal', '--yes'), exit: 8 },
  'sandbox messages': { ...onSandbox('--device', id), exit: 5 },
  'sandbox phone block': { ...onSandbox(id), exit: 5 },
  'sandbox phone offline': { ...onSandbox(id), exit: 5 },
  'sandbox phone online': { ...onSandbox(id), exit: 5 },
  'sandbox phone scan': { ...onSandbox('-'), stdin: 'no picture', exit: 2 },
  'sandbox phone takeover': { ...onSandbox(id), exit: 5 },
  'sandbox phone unblock': { ...onSandbox(id), exit: 5 },
  'sandbox phone unlink': { ...onSandbox(id), exit: 5 },
  'sandbox publish': { ...onSandbox(id), exit: 5 },
  'sandbox reset': onSandbox('--yes'),
  'sandbox run': { args: () => ['no-such-command'], calls: false, exit: 127 },
  'sandbox seed': onSandbox('--teams', '1'),
  'sandbox start': {
    args: ({ home }) => ['--port', '0', '--data', join(home, 'own')],
    stopsAt: 'key_secret',
    calls: false,
    files: ['own'],
  },
  'sandbox status': onSandbox(),
  // The running sandbox serves the other trials, so this stops none.
  'sandbox stop': { args: ({ home }) => ['--data', join(home, 'own')], calls: false, exit: 2 },
  send: calls('--device', id, '--to', '+5511999990000', '--message', 'hello'),
  'teams create': calls(
    ...['--name', 'Acme', '--plan', 'pro', '--admin-name', 'Ana'],
    ...['--admin-email', 'ana@acme.example', '--admin-phone', '+5511999990000'],
  ),
  'teams get': calls(id),
  'teams list': calls(),
  'teams overview': calls(id),
  'teams update': calls(id, '--name', 'Acme', '--yes'),
  'tenants apply': {
    args: ({ home, baseUrl }) => [writeTenants(home, baseUrl), '--yes', '--discard-token'],
    calls: true,
    files: ['tenants/key.secret'],
  },
  'tenants export': {
    args: ({ home }) => ['--all', '--out', join(home, 'customers')],
    calls: true,
  },
  'tenants forget': { ...local('aurora', '--yes'), exit: 5 },
  'tenants import': {
    args: ({ home }) => ['acme', id, '--lock', join(home, 'acme.lock.json')],
    calls: true,
  },
  'tenants init': { args: ({ home }) => [join(home, 'customers')], calls: false },
  'tenants plan': {
    args: ({ home, baseUrl }) => [writeTenants(home, baseUrl), '--out', join(home, 'plan.json')],
    calls: true,
    files: ['tenants/key.secret'],
  },
  'tenants rebind': { ...local('--yes'), exit: 5 },
  'tenants schema': local(),
  'tenants show': local(),
  'tenants validate': {
    args: ({ home, baseUrl }) => [writeTenants(home, baseUrl)],
    calls: false,
    files: ['tenants/key.secret'],
  },
  token: { ...calls(), result: ['accessToken'] },
  tour: local(),
  whoami: calls(),
};

const commands = await allCommands();
const sandbox = useSandbox({ phone: 'manual' });

/** All traces of a command: its output, and each file below its home. */
interface Traces {
  readonly ran: Ran;
  readonly made: ReadonlySet<string>;
  readonly files: ReadonlyMap<string, string>;
}

async function attempt(
  path: string,
  behaviour: Behaviour,
  more: readonly string[] = [],
  { crashes = false, env }: { crashes?: boolean; env?: Readonly<Record<string, string>> } = {},
): Promise<Traces> {
  const trial = trials[path];
  if (!trial) throw new Error(`no trial for ${path}`);
  const server = await startTelltaleService(behaviour);
  const home = temporaryDirectory();
  writeFileSync(join(home, 'menu.txt'), 'soup');
  const keySecret = new Secret(canaries.keySecret);
  await createProfiles(home).save({ name: 'default', baseUrl: server.url, keyId: 'key-1', keySecret });
  const made = new Set<string>();
  const unwatch = watchSecrets((value) => made.add(value));
  const stop = new AbortController();
  const place = { home, baseUrl: server.url, sandbox: sandbox.data };
  const ran = await botctl([...path.split(' '), ...trial.args(place), '--retries', '0', ...more], {
    ...(trial.stdin !== undefined && { stdin: trial.stdin }),
    signal: stop.signal,
    onOutput: (text) => {
      if (crashes) throw new Error(`a bug that knows ${[...made].join(' ')}`);
      if (trial.stopsAt && text.includes(trial.stopsAt)) stop.abort(new Error('enough'));
    },
    env: { BOTCTL_CONFIG_DIR: home, ...env },
  }).finally(unwatch);
  return { ran, made, files: filesBelow(home) };
}

function filesBelow(directory: string): ReadonlyMap<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(directory, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(directory, name), 'latin1')]));
}

/** Returns whether a file may contain secrets: the config file and the token cache. */
const isTheirPlace = (file: string): boolean =>
  file === 'config.json' || file.startsWith(join('cache', 'tokens'));

/** Returns every place where a secret shows that shouldn't. */
function leaks({ ran, made, files }: Traces, trial: Trial): readonly string[] {
  const known = new Map<string, string>(
    [...made].filter((value) => value.length >= 8).map((value) => [value, 'a secret']),
  );
  for (const [name, value] of Object.entries(canaries)) known.set(value, name);
  const found: string[] = [];
  for (const [value, name] of known) {
    const look = (place: string, text: string): void => {
      for (const form of formsIn(text, value)) found.push(`${name}, ${form}, in ${place}`);
    };
    const isResult = trial.result?.some((canary) => canaries[canary] === value) ?? false;
    if (!isResult) look('stdout', ran.stdout);
    look('stderr', ran.stderr);
    for (const [file, text] of files) {
      const isIts = trial.files?.some((own) => file === own || file.startsWith(`${own}/`)) ?? false;
      if (!isTheirPlace(file) && !isIts) look(`the file ${file}`, text);
    }
  }
  return found;
}

describe('no secret is printed', () => {
  it('in any command: each has a trial', () => {
    const missing = commands.filter(({ path }) => !(path in trials));
    expect(
      missing.map(({ path }) => path),
      `Add to \`trials\` in test/secrets/canary.test.ts, with ids in the place of names:\n${missing.map(trialLine).join('\n')}`,
    ).toEqual([]);
  });

  const tried = commands.flatMap(({ path }) => {
    const trial = trials[path];
    // The two exceptions: api prints bodies unchanged, and the sandbox its own key.
    return trial && !['api', 'sandbox start'].includes(path) ? [{ path, trial }] : [];
  });
  const callers = tried.filter(({ trial }) => trial.calls);

  /** Commands that are tried once, because starting their own sandbox takes long. */
  const triedOnce = ['tour'];

  /** Returns one of several formats for each command; together they cover all formats. */
  const inTurn = <T>(all: readonly T[], path: string): readonly T[] => {
    const turn = tried.findIndex((one) => one.path === path) % all.length;
    return all.slice(turn, turn + 1);
  };

  it.each(tried)('by a successful $path', async ({ path, trial }) => {
    const formats = ['yaml', 'csv', 'tsv'].map((format) => ['-o', format]);
    for (const more of inTurn([[], ['-o', 'json', '--debug'], ...formats], path)) {
      const traces = await attempt(path, 'answers', more);
      expect(leaks(traces, trial)).toEqual([]);
      expect(traces.ran, traces.ran.stderr).toMatchObject({ exitCode: trial.exit ?? 0 });
      if (triedOnce.includes(path)) return;
    }
  });

  /** Commands that only need the token from the service. */
  const bears = ['whoami', 'login', 'token'];
  /** A watch that times out without a successful read does not fail. */
  const watches = ['device watch'];
  const behaviours = ['refuses', 'refuses the key', 'breaks off', 'is a portal', 'is not there'] as const;
  it.each(behaviours)('if the service %s', async (behaviour) => {
    for (const { path, trial } of callers) {
      const traces = await attempt(path, behaviour, ['-o', 'json', '--debug']);
      expect({ path, leaks: leaks(traces, trial) }).toEqual({ path, leaks: [] });
      if (![...bears, ...watches].includes(path)) expect([path, traces.ran.exitCode]).not.toEqual([path, 0]);
    }
  });

  it('if an option is invalid', async () => {
    for (const { path, trial } of tried) {
      const traces = await attempt(path, 'answers', [`--no-such=${canaries.keySecret}`, '--debug']);
      expect({ path, leaks: leaks(traces, trial), exit: traces.ran.exitCode }).toEqual({
        path,
        leaks: [],
        exit: 2,
      });
    }
  });

  it('if botctl itself fails', async () => {
    for (const { path, trial } of tried) {
      if (triedOnce.includes(path)) continue;
      const traces = await attempt(path, 'answers', ['--debug'], { crashes: true });
      expect({ path, leaks: leaks(traces, trial) }).toEqual({ path, leaks: [] });
    }
  });
});

describe('a secret that is the result', () => {
  const shown = async (path: string, more: readonly string[]): Promise<Ran> =>
    (await attempt(path, 'answers', [...more, '--debug'])).ran;

  it.each([
    ['keys create', ['--show-secret'], 'newKeySecret'],
    ['device create', ['--show-token'], 'deviceToken'],
    ['device status', ['--reveal-qr'], 'qrCode'],
    ['device status', ['--watch', '--timeout', '1ms', '--reveal-qr'], 'qrPayload'],
    ['token', [], 'accessToken'],
  ] as const)('is on stdout of %s %j, and nowhere else', async (path, more, canary) => {
    const { stdout, stderr } = await shown(path, [...more, '-o', 'json']);
    const others = Object.entries(canaries).filter(([name]) => name !== canary);
    expect(formsIn(stdout, canaries[canary])).not.toEqual([]);
    expect(formsIn(stderr, canaries[canary])).toEqual([]);
    for (const [name, value] of others) expect([name, ...formsIn(stdout + stderr, value)]).toEqual([name]);
  });

  it.each(['answers', 'refuses', 'refuses the key', 'breaks off', 'is a portal', 'is not there'] as const)(
    'is on stdout of api, and nowhere else, if the service %s',
    async (behaviour) => {
      for (const more of [[], ['-o', 'json', '--debug'], ['--include', '--debug']]) {
        const traces = await attempt('api', behaviour, more);
        const everything = Object.values(canaries);
        expect(everything.flatMap((value) => formsIn(traces.ran.stderr, value))).toEqual([]);
        expect(leaks({ ...traces, ran: { ...traces.ran, stdout: '' } }, { ...calls() })).toEqual([]);
        const told = behaviour === 'answers' || behaviour === 'refuses' || behaviour === 'is a portal';
        expect(formsIn(traces.ran.stdout, canaries.accessToken).length > 0).toBe(told);
        expect(traces.ran.exitCode === 0).toBe(behaviour === 'answers' || behaviour === 'is a portal');
      }
    },
  );

  it('is in no curl command of api', async () => {
    const { ran } = await attempt('api', 'answers', ['--dry-run', '--debug']);
    expect(ran.stdout).toContain('$TOKEN');
    for (const value of Object.values(canaries)) expect(formsIn(ran.stdout + ran.stderr, value)).toEqual([]);
  });

  it('is on stdout of sandbox start, and nowhere else', async () => {
    const { ran, made } = await attempt('sandbox start', 'answers', ['--debug', '-o', 'json']);
    const { key_secret: secret } = JSON.parse(ran.stdout.split('\n')[0] ?? '');
    expect(made).toContain(secret);
    for (const other of made) {
      expect(formsIn(ran.stderr, other)).toEqual([]);
      if (other !== secret) expect(formsIn(ran.stdout, other)).toEqual([]);
    }
  });
});

describe('no secret', () => {
  it('is printed if the environment contains it, from the first argument on', async () => {
    const env = { BOTCTL_KEY_SECRET: canaries.keySecret };
    const { stderr } = await botctl([canaries.keySecret, '-o', 'json', '--debug'], { env });
    expect(stderr).not.toBe('');
    expect(formsIn(stderr, canaries.keySecret)).toEqual([]);
  });

  it('is printed if the environment names a database with its password', async () => {
    const variables = {
      BOTCTL_DATABASE: ['campaigns list', 'optouts add', 'send'],
      BOTCTL_DESK_DATABASE: ['desk status'],
    };
    const tried = Object.entries(variables).flatMap(([variable, paths]) =>
      paths.map((path) => ({ variable, path })),
    );
    for (const { variable, path } of tried) {
      const password = encodeURIComponent(canaries.keySecret);
      for (const form of [`ana:${password}@127.0.0.1:1/x`, `127.0.0.1:1/x?password=${password}`]) {
        const env = { [variable]: `postgres://${form}` };
        const { ran, made, files } = await attempt(path, 'answers', ['-o', 'json', '--debug'], { env });
        expect(ran.exitCode).not.toBe(0);
        expect(ran.stderr).toContain('127.0.0.1:1/x');
        expect(made).toContain(canaries.keySecret);
        expect(leaks({ ran, made, files }, calls())).toEqual([]);
      }
    }
  });

  it('is printed if the config file is corrupt', async () => {
    const home = temporaryDirectory();
    mkdirSync(home, { recursive: true });
    writeFileSync(
      join(home, 'config.json'),
      `{"profiles":{"default":{"key_secret":"${canaries.newKeySecret}" oops`,
    );
    for (const args of [['whoami'], ['teams', 'list'], ['logout'], ['profiles', 'list']]) {
      const { stdout, stderr } = await botctl([...args, '--debug'], { env: { BOTCTL_CONFIG_DIR: home } });
      expect(formsIn(stdout + stderr, canaries.newKeySecret)).toEqual([]);
    }
  });

  it('can be in the arguments of a child process: only an editor with its path, and what the user names', () => {
    const source = new URL('../../src/', import.meta.url).pathname;
    const starters = [...filesBelow(source)]
      .filter(([, text]) => /child_process/.test(text))
      .map(([name]) => name.split('/').slice(-2).join('/'))
      // Code that builds botctl and draws its pictures has no secrets.
      .filter((name) => !/^(build|pictures|release)\//.test(name));
    const namedByPerson = ['hooks/exec-hook.ts', 'keys/hand-over.ts', 'sandbox/run-command.ts'];
    // It starts the user's own command again.
    const sameLine = 'sandbox/background.ts';
    // It only sends signals.
    const signals = 'lib/child-process.ts';
    // Its only argument is a number, its environment contains at most paths, and a password goes through its channel.
    const reader = 'count/extract.ts';
    expect(starters.toSorted()).toEqual(
      ['bots/editor.ts', reader, sameLine, signals, ...namedByPerson].toSorted(),
    );
  });
});
