import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { publish } from '../../src/sandbox/control/client.ts';
import { startFront } from '../every-command/front.ts';
import { botctl } from '../support/botctl.ts';
import { isLong } from '../support/long.ts';
import { callsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import { blocksOf } from './blocks.ts';
import { Session } from './session.ts';

const sandbox = useSandbox();
const blocks = blocksOf(readFileSync(join(packageRoot(), 'README.md'), 'utf8'));
const names = { address: 'https://api.example.com', keyId: 'key_of_the_job', secretFile: '/run/secrets/job' };

let session: Session;

beforeEach(async () => {
  session = new Session(sandbox, names);
  for (const file of ['provision.sh', 'check-provision.sh', 'menu.txt', 'bot.yaml']) {
    const block = blocks.find((one) => one.file === file);
    if (!block) throw new Error(`the README has no ${file}`);
    session.save(file, block.text);
  }
  await session.type(`export BOTCTL_BASE_URL=${names.address}`, {});
  await session.type(`export BOTCTL_KEY_ID=${names.keyId}`, {});
  await session.type(`export BOTCTL_KEY_SECRET_FILE=${names.secretFile}`, {});
});
afterEach(() => session.end());

async function run(...words: readonly string[]): Promise<string> {
  const ran = await botctl(words, { env: sandbox.env });
  expect(ran.exitCode, ran.stderr).toBe(0);
  return ran.stdout.trim();
}

/** Counts them: each address can have one account only. */
let accounts = 0;

const createTeam = (name: string): Promise<string> => {
  accounts += 1;
  const admin = ['--admin-name', 'Ana', '--admin-email', `ana${accounts}@example.com`];
  const phone = ['--admin-phone', '+5511999990000'];
  return run('teams', 'create', '--name', name, '--plan', 'pro', ...admin, ...phone, '-o', 'id');
};

const provision = (name: string) => session.script(`sh provision.sh "${name}" ops@example.com +14155550123`);

/** What a team owns: names of its bots and documents. */
async function owned(team: string): Promise<readonly string[]> {
  const lists = ['bots', 'docs'].map((noun) =>
    run(noun, 'list', '--team', team, '--all', '--fields', 'name', '-o', 'tsv'),
  );
  return (await Promise.all(lists)).flatMap((text) => text.split('\n')).filter(Boolean);
}

const teamNames = async () => (await run('teams', 'list', '--all', '--fields', 'name')).split('\n').sort();

describe('the provisioning script of the README', { timeout: 60_000 }, () => {
  it.runIf(isLong)('never writes into a team whose name only resembles the one', async () => {
    const other = await createTeam('Acme Norte');
    const { exitCode, said } = await provision('ACME NÓRTE');
    expect(exitCode, said).toBe(0);
    expect(await owned(other)).toEqual([]);
    expect(await teamNames()).toEqual(['ACME NÓRTE', 'Acme Norte']);
    const own = await run('teams', 'get', 'ACME NÓRTE', '-o', 'id');
    expect(await owned(own)).toEqual(['Front desk', 'menu.txt']);
    // Neither does the other one's script, and nothing is made twice.
    expect(await provision('Acme Norte')).toMatchObject({ exitCode: 0 });
    expect(await provision('Acme Norte')).toMatchObject({ exitCode: 0 });
    expect(await owned(other)).toEqual(['Front desk', 'menu.txt']);
    expect(await owned(own)).toEqual(['Front desk', 'menu.txt']);
  });

  it('makes one team, one document and one bot, and then takes four requests to find that nothing is to do', async () => {
    expect(await provision('Acme')).toMatchObject({ exitCode: 0 });
    const team = await run('teams', 'get', 'Acme', '-o', 'id');
    expect(await owned(team)).toEqual(['Front desk', 'menu.txt']);
    const calls = await callsFromNow(sandbox);
    const { exitCode, said } = await provision('Acme');
    expect(exitCode, said).toBe(0);
    expect(await calls()).toEqual([
      'GET /api/openapi/v1/teams',
      'GET /api/openapi/v1/documents',
      'GET /api/openapi/v1/bots',
      expect.stringMatching(/^GET \/api\/openapi\/v1\/bots\//),
    ]);
    expect(await owned(team)).toEqual(['Front desk', 'menu.txt']);
    expect(await teamNames()).toEqual(['Acme']);
  });

  it.runIf(isLong)(
    'run twice at the same time makes one tenant, or says of several which there are',
    async () => {
      const other = await createTeam('Acme Sul');
      const both = await Promise.all([provision('Acme'), provision('Acme')]);
      // The service takes an address for one account: the second team is refused.
      for (const { exitCode, said } of both) expect([0, 2, 6], said).toContain(exitCode);
      const before = await teamNames();
      const { exitCode, said } = await provision('Acme');
      expect([0, 2], said).toContain(exitCode);
      if (exitCode === 2) expect(said).toMatch(/could be any of 2 (?:documents|bots)\./);
      expect(await teamNames()).toEqual(before);
      expect(before).toEqual(['Acme', 'Acme Sul']);
      expect(await owned(other)).toEqual([]);
    },
  );

  it.runIf(isLong)(
    'cut by a signal while something is created says what may be there, and makes nothing twice when it runs again',
    async () => {
      const api = '/api/openapi/v1';
      const cut = async (noun: string, doubt: string, signal: NodeJS.Signals) => {
        const front = await startFront(sandbox.baseUrl);
        const line = `export BOTCTL_BASE_URL=${front.url}\nsh provision.sh "Cut ${noun}" ${noun}@example.com +14155550123`;
        const { said } = await session.cutScript(line, front.hold(`POST ${api}/${noun}`), signal);
        expect(said).toContain(`It is not known whether the ${doubt}: there was no answer yet.`);
        const begun = front.seen.filter((call) => call.startsWith('POST '));
        expect(begun.at(-1), 'nothing is begun after the signal').toBe(`POST ${api}/${noun}`);
        const again = await session.script(line);
        expect(again.exitCode, again.said).toBe(0);
        const made = front.seen.filter((call) => call.startsWith('POST ')).sort();
        expect(made).toEqual(['bots', 'documents', 'teams'].map((some) => `POST ${api}/${some}`));
        await front.close();
        expect(await owned(await run('teams', 'get', `Cut ${noun}`, '-o', 'id'))).toEqual([
          'Front desk',
          'menu.txt',
        ]);
      };
      // Each waits some seconds for its answer: together they take as long as one.
      await Promise.all([
        cut('teams', 'team was created', 'SIGINT'),
        cut('documents', 'document was stored', 'SIGTERM'),
        cut('bots', 'bot was created', 'SIGINT'),
      ]);
    },
  );

  it.runIf(isLong)('stops where several teams have the name, and says so', async () => {
    const twins = [await createTeam('Twin'), await createTeam('Twin')];
    const { exitCode, said } = await provision('Twin');
    expect(exitCode).toBe(2);
    expect(said).toContain('"Twin" could be any of 2 teams.');
    for (const twin of twins) {
      expect(said).toContain(twin);
      expect(await owned(twin)).toEqual([]);
    }
    expect(await teamNames()).toEqual(['Twin', 'Twin']);
  });

  it.runIf(isLong)('stops where the team has several such bots', async () => {
    const team = await createTeam('Acme');
    const bots: string[] = [];
    for (let made = 0; made < 2; made++)
      bots.push(await run('bots', 'create', '--team', team, '--name', 'Front desk', '-o', 'id'));
    const before = await Promise.all(bots.map((bot) => run('bots', 'get', bot, '-o', 'json')));
    const { exitCode, said } = await provision('Acme');
    expect(exitCode).toBe(2);
    expect(said).toContain('"Front desk" could be any of 2 bots.');
    expect(await Promise.all(bots.map((bot) => run('bots', 'get', bot, '-o', 'json')))).toEqual(before);
  });

  it.runIf(isLong)(
    'leaves a published bot that differs as it is, and says what allows the change',
    async () => {
      const team = await createTeam('Acme');
      const bot = await run('bots', 'create', '--team', team, '--name', 'Front desk', '-o', 'id');
      await publish(sandbox.control, bot);
      const before = await run('bots', 'get', bot, '-o', 'json');
      const { exitCode, said } = await provision('Acme');
      expect({ exitCode, said }).toEqual({
        exitCode: 2,
        said: expect.stringContaining('Add --allow unpublish'),
      });
      expect(await run('bots', 'get', bot, '-o', 'json')).toBe(before);
    },
  );

  it.runIf(isLong)(
    'is checked by a job on a sandbox of its own, which fails where a bot is made twice',
    async () => {
      const script = blocks.find(({ file }) => file === 'provision.sh')?.text ?? '';
      const twice = script.replace('bots create --if-absent', 'bots create --allow duplicate');
      expect(twice).not.toBe(script);
      session.save('provision.sh', twice);
      const { exitCode, said } = await session.script('botctl sandbox run -- sh check-provision.sh');
      expect(exitCode, said).toBe(1);
    },
  );

  it.runIf(isLong)('ends with the code of any other failure', async () => {
    await session.type('export BOTCTL_BASE_URL=http://127.0.0.1:9', {});
    const { exitCode, said } = await session.script('sh provision.sh Acme ops@example.com +14155550123');
    expect(exitCode, said).toBe(8);
    expect(await teamNames()).toEqual(['']);
  });
});
