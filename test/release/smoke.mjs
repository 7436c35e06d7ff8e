/**
 * Runs the released file of a platform as a user who has only that file: no Node.js on the path, an empty home.
 *
 *     node test/release/smoke.mjs DIRECTORY PLATFORM
 *
 * DIRECTORY has the archives of `npm run package`. Needs no npm package, because each runner of the release has to run
 * it.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [directory = 'release', platform = 'linux-x64'] = process.argv.slice(2);
const isWindows = process.platform === 'win32';
const home = mkdtempSync(join(tmpdir(), 'botctl-smoke-'));
const work = join(home, 'work');
const nothing = join(home, 'nothing');
for (const path of [work, nothing]) mkdirSync(path);
const tests = resolve(import.meta.dirname, '..');

const archive = readdirSync(directory).find(
  (name) => name.includes(platform) && /\.(tar\.gz|zip)$/.test(name),
);
assert(archive, `no archive of ${platform} in ${directory}`);
execFileSync('tar', ['-xf', resolve(directory, archive), '-C', home]);
const program = join(home, archive.replace(/\.(tar\.gz|zip)$/, ''), isWindows ? 'botctl.exe' : 'botctl');

const env = {
  PATH: nothing,
  LANG: 'C.UTF-8',
  TMPDIR: home,
  // Meant for other programs: an executable ignores it.
  NODE_OPTIONS: '--no-such-option',
  ...(isWindows
    ? {
        SystemRoot: process.env.SystemRoot,
        TEMP: home,
        USERPROFILE: home,
        APPDATA: join(home, 'roaming'),
        LOCALAPPDATA: join(home, 'local'),
      }
    : { HOME: home }),
};
let count = 0;

/** Runs a command. Returns its output; fails if it exits with another code. */
async function botctl(args, { input = '', exitCode = 0, with: more = {}, file = program } = {}) {
  count++;
  const child = spawn(file, args, { cwd: work, env: { ...env, ...more }, windowsHide: true });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  child.stdin.on('error', () => undefined).end(input);
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
  const code = await new Promise((done, failed) => child.on('error', failed).on('close', done));
  clearTimeout(timer);
  assert.equal(code, exitCode, `${args.join(' ')}\n${output.stdout}\n${output.stderr}`);
  process.stdout.write(`ok ${count} ${args.join(' ').slice(0, 90)}\n`);
  return output;
}

const json = async (args) => JSON.parse((await botctl([...args, '-o', 'json'])).stdout);

/** Runs a command in a pseudo-terminal, with the system's own program for that. */
async function inTerminal(args) {
  const line =
    process.platform === 'darwin'
      ? ['-q', '/dev/null', program, ...args]
      : ['-qec', [program, ...args].join(' '), '/dev/null'];
  return await botctl(line, { file: '/usr/bin/script', with: { SHELL: '/bin/sh', TERM: 'xterm-256color' } });
}

try {
  const version = await botctl(['--version']);
  assert.match(
    version.stdout,
    new RegExp(`^botctl \\S+ \\(commit \\S+, .*${process.arch}, Node.js \\S+, packaged\\)\n$`),
  );
  assert.match((await botctl(['--help'])).stdout, /teams/);
  assert.match((await botctl(['help', 'pairing'])).stdout, /device connect/);
  assert.match((await botctl(['completion', 'bash'])).stdout, /complete/);
  assert.match((await botctl(['tour'])).stderr, /demo is complete/);

  const { base_url } = await json(['sandbox', 'start', '--detach', '--port', '0']);
  const key = await json([
    'sandbox',
    'key',
    'create',
    '--name',
    'ci',
    '--show-secret',
    '--profile',
    'sandbox',
  ]);
  const login = ['login', '--base-url', base_url, '--key-id', key.key_id, '--key-secret-file', '-'];
  await botctl(login, { input: key.key_secret });
  assert.match((await botctl(['whoami'])).stdout, /default/);
  const team = ['--team', 'Aurora'];
  await botctl([
    'teams',
    'create',
    'Aurora',
    '--plan',
    'pro',
    '--admin-name',
    'Ana',
    '--admin-email',
    'ana@aurora.example',
    '--admin-phone',
    '+5511999990000',
  ]);
  assert.equal((await json(['teams', 'list'])).length, 1);

  writeFileSync(join(work, 'menu.txt'), 'Espresso 2.00\n');
  const corpus = join(tests, 'documents', 'count', 'corpus');
  const documents = ['pdf', 'docx', 'doc'].map((kind) => {
    const file = readdirSync(join(corpus, kind)).find((name) => name.endsWith(`.${kind}`));
    return join(corpus, kind, file);
  });
  const counts = await json(['docs', 'count', 'menu.txt', ...documents]);
  assert.deepEqual(
    counts.map(({ chars }) => chars > 0),
    [true, true, true, true],
  );
  await botctl(['docs', 'upload', 'menu.txt', ...team]);
  await botctl([
    'bots',
    'create',
    'Desk',
    ...team,
    '--role',
    'support',
    '--instructions',
    'Answer.',
    '--document',
    'menu.txt',
  ]);
  assert.match((await botctl(['bots', 'get', 'Desk', '-o', 'yaml'])).stdout, /role: support/);
  await botctl(['device', 'create', ...team, '--bot', 'Desk', '--name', 'Reception', '--discard-token']);
  if (isWindows) await botctl(['device', 'connect', 'Reception', '--wait']);
  else assert.match((await inTerminal(['device', 'connect', 'Reception'])).stdout, /Paired Reception/);
  assert.match((await botctl(['device', 'status', 'Reception'])).stdout, /ready/);
  assert((await json(['device', 'history', 'Reception'])).length > 0);
  await botctl(['send', 'Reception', '+5511988887777', 'Ready.']);

  writeFileSync(join(work, 'clients.csv'), 'name,phone\nAna,+5511988887777\nBia,+5511966665555\n');
  await botctl([
    'campaigns',
    'create',
    'spring',
    '--recipients',
    'clients.csv',
    '--device',
    'Reception',
    '--message',
    'Hello {{ name }}!',
    '--gap',
    '1s',
  ]);
  await botctl(['campaigns', 'run', 'spring', '--yes']);
  assert.match((await botctl(['campaigns', 'results', 'spring', '-o', 'csv'])).stdout, /accepted/);
  await botctl(['optouts', 'add', '+5511977776666']);
  await botctl(['tenants', 'init', 'shops']);
  assert.match((await botctl(['tenants', 'plan', 'shops'])).stdout, /create/);
  await botctl(['api', 'GET', '/api/openapi/v1/teams']);
  assert.match((await botctl(['doctor'])).stdout, /node/);
  assert.match((await botctl(['sandbox', 'log', '--profile', 'sandbox'])).stdout, /createTeam/);
  await botctl(['sandbox', 'stop', '--profile', 'sandbox']);

  const [certificate, secret] = ['cert', 'key'].map((kind) =>
    join(tests, 'support', `self-signed.${kind}.pem`),
  );
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(secret) }, (_, response) =>
    response.writeHead(401).end('{}'),
  );
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const secure = [
    'login',
    '--base-url',
    `https://localhost:${server.address().port}`,
    '--key-id',
    key.key_id,
    '--key-secret-file',
    '-',
    '--profile',
    'tls',
  ];
  await botctl(secure, { input: key.key_secret, exitCode: 8 });
  await botctl(secure, { input: key.key_secret, exitCode: 4, with: { NODE_EXTRA_CA_CERTS: certificate } });
  server.close();
  process.stdout.write(`${archive}: ${count} commands passed.\n`);
} finally {
  // Runs after a failure too, so that no sandbox is left running.
  spawnSync(program, ['sandbox', 'stop', '--profile', 'sandbox'], { env });
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}
