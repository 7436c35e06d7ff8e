/** Runs the commands of the README's section "A desk of several people", with the roles of `help desk`. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { createProfiles } from '../../src/settings/profiles.ts';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { eventually } from '../support/eventually.ts';
import { scaledClock } from '../support/fake-clock.ts';
import { type OwnServer, startOwnServer } from '../support/found-server.ts';
import { useSandbox } from '../support/sandbox.ts';
import { databaseOf, runAt } from '../support/statements.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
let server: OwnServer;

beforeAll(async () => {
  server = await startOwnServer();
});
afterAll(() => server?.stop());

const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');
const section = /^## A desk of several people\n(.*?)^## /ms.exec(readme)?.[1] ?? '';
const blocks = [...section.matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, text = '']) =>
  text.trim().split('\n'),
);

/** Returns the words of a command, with the server of the test. */
function wordsOf(line: string): readonly string[] {
  const { host } = new URL(server.url);
  const [name, ...words] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, bare = '']) => quoted ?? bare,
  );
  expect(name).toBe('botctl');
  return words.map((word) => word.replace('@db.example/', `@${host}/`));
}

/** Runs one of the two SQL blocks of `help desk`. */
async function runSql(index: 0 | 1): Promise<void> {
  const topic = readFileSync(join(packageRoot(), 'src/cli/help/topics/desk.md'), 'utf8');
  const sql = [...topic.matchAll(/^```sql\n([\s\S]*?)^```$/gm)][index]?.[1] ?? '';
  const admin = databaseOf(server.url, index === 0 ? 'postgres' : 'desk');
  for (const statement of sql.split(/;\s*\n/).filter((one) => one.trim() !== ''))
    await runAt(admin, statement);
}

it('sets up a desk and watches it, as the README shows', async () => {
  const team = await service.team('Aurora Coffee');
  const device = await service.device(team, await service.createBot(team, 'Front desk'), 'Reception');
  const home = temporaryDirectory();
  const { baseUrl, keyId, keySecret } = sandbox;
  const profiles = createProfiles(home);
  await profiles.save(() => ({ name: 'default', baseUrl, keyId, keySecret }));
  await profiles.use('default');
  const env = { BOTCTL_CONFIG_DIR: home };
  const noted = await botctl(['device', 'add', device, '--name', 'Reception', '--team', 'Aurora Coffee'], {
    env,
  });
  expect(noted, noted.stderr).toMatchObject({ exitCode: 0 });

  const [setup = [], [watch = ''] = []] = blocks;
  expect(blocks.map(({ length }) => length)).toEqual([5, 1]);
  await runSql(0);
  const [migrate = '', ...others] = setup;
  const ran = [await botctl(wordsOf(migrate), { env })];
  await runSql(1);
  for (const line of others) ran.push(await botctl(wordsOf(line), { env }));
  for (const [index, { exitCode, stderr }] of ran.entries())
    expect(exitCode, `${setup[index]}\n${stderr}`).toBe(0);
  expect(ran.at(-2)?.stdout).toMatch(/agent.*ana.*Ana/s);
  expect(ran.at(-1)?.stdout).toContain('Reception');

  const hook = join(home, 'notify.sh');
  const events = join(home, 'events');
  writeFileSync(hook, `#!/bin/sh\ncat >> '${events}'\n`);
  chmodSync(hook, 0o700);
  const words = wordsOf(watch).map((word) => (word === './notify.sh' ? hook : word));
  const stop = new AbortController();
  let shown = '';
  const watching = botctl(words, {
    env,
    signal: stop.signal,
    clock: scaledClock(),
    onOutput: (text) => {
      shown += text;
    },
  });
  await eventually(() => shown.includes('Reception'));
  expect((await botctl(['device', 'connect', 'Reception', '--no-wait'], { env })).exitCode).toBe(0);
  await eventually(() => existsSync(events) && readFileSync(events, 'utf8').includes('\n'));
  stop.abort();
  await watching;
  expect(JSON.parse(readFileSync(events, 'utf8').split('\n')[0] ?? '')).toMatchObject({
    event: 'state',
    name: 'Reception',
    hook: 'notify',
  });
});
