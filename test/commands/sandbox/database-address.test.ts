import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formsIn } from '../../secrets/encodings.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { startPasswordServer } from '../../support/password-server.ts';

const canary = 'pw/canary+ü&1=2%';
const inUrl = encodeURIComponent(canary);

describe('the database of sandbox start and run', () => {
  const onLine = (url: string) => ['sandbox', 'start', '--database', url, '--files', 'files'];

  it.each([
    ['before the host', `postgres://ana:${inUrl}@127.0.0.1:1/x`],
    ['among the parameters', `postgres:///x?host=/nowhere&password=${inUrl}`],
    ['that is short', 'postgres://ana:pw1@127.0.0.1:1/x'],
  ])('may not have its password on the command line: %s', async (_, url) => {
    const { exitCode, stdout, stderr } = await botctl([...onLine(url), '--debug']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('PGPASSWORD');
    expect(
      [...formsIn(stderr, canary), ...formsIn(stderr, inUrl), /pw1/.exec(stderr)?.[0] ?? []].flat(),
    ).toEqual([]);
  });

  it.each([
    ['of another kind', 'mysql://host/x'],
    ['without a name', 'postgres://host'],
    ['with a broken escape', 'postgres://ana:%zz@host/x'],
  ])('is refused if its address is %s', async (_, url) => {
    const { exitCode, stderr } = await botctl(onLine(url));
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--database');
    const env = { BOTCTL_SANDBOX_DATABASE: url };
    const run = await botctl(['sandbox', 'run', '--files', 'files', 'true'], { env });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('BOTCTL_SANDBOX_DATABASE');
  });

  it.each([
    [['--files', 'files'], {}],
    [['--database', 'postgres://host/x'], {}],
    [[], { BOTCTL_SANDBOX_DATABASE: 'postgres://host/x' }],
  ])('needs the directory of its files: %j %j', async (args, env) => {
    expect(await botctl(['sandbox', 'start', ...args], { env })).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('gets its password from the environment, and never shows it', async () => {
    const server = await startPasswordServer();
    const url = (password = '') => `postgres://ana${password}@127.0.0.1:${server.port}/x`;
    const given: readonly (readonly [readonly string[], Record<string, string>])[] = [
      [['--database', url()], { PGPASSWORD: canary }],
      [[], { BOTCTL_SANDBOX_DATABASE: url(`:${inUrl}`) }],
      [[], { BOTCTL_SANDBOX_DATABASE: `${url()}?password=${inUrl}` }],
    ];
    for (const [args, env] of given) {
      const home = temporaryDirectory();
      const line = ['sandbox', 'start', ...args, '--files', join(home, 'files'), '--debug'];
      const ran = await botctl(line, { env: { ...env, BOTCTL_CONFIG_DIR: home } });
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect([...formsIn(ran.stderr, canary), ...formsIn(ran.stderr, inUrl)]).toEqual([]);
    }
    expect(server.passwords).toEqual([canary, canary, canary]);
  });

  it('causes one warning if its certificate is not checked', async () => {
    const server = await startPasswordServer({ hasTls: true });
    const url = `postgres://ana@127.0.0.1:${server.port}/x?sslmode=require`;
    const env = { PGPASSWORD: canary };
    const ran = await botctl(['sandbox', 'start', '--database', url, '--files', 'files'], { env });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr.match(/is not checked \(sslmode=require\)/g)).toHaveLength(1);
    expect(server.passwords).toEqual([canary]);
  });

  it('ends a start with exit code 8 if it cannot be reached, without creating the directory of files', async () => {
    const home = temporaryDirectory();
    const files = join(home, 'files');
    const line = ['sandbox', 'start', '--database', 'postgres://ana@127.0.0.1:1/x', '--files', files];
    const { exitCode } = await botctl(line, { env: { BOTCTL_CONFIG_DIR: home } });
    expect(exitCode).toBe(8);
    expect(existsSync(files)).toBe(false);
  });
});
