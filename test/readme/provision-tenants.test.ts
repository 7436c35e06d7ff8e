import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { tidied } from '../../src/lib/text/stored-text.ts';
import { addFault } from '../../src/sandbox/control/client.ts';
import { temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { someOf } from '../support/long.ts';
import { callsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import { blocksOf } from './blocks.ts';
import { runRecipe } from './recipe.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');
const blocks = blocksOf(readme);
const script = textOf('provision.sh');

function textOf(file: string): string {
  const block = blocks.find((one) => one.file === file);
  if (!block) throw new Error(`the README has no ${file}`);
  return block.text;
}

/** Tells the calls of a method, or all, that the service met in this test. */
let calls: (method?: string) => Promise<readonly string[]>;
const before = process.cwd();

beforeEach(async () => {
  calls = await callsFromNow(sandbox);
  const directory = join(temporaryDirectory(), 'work');
  mkdirSync(directory);
  for (const file of ['menu.txt', 'bot.yaml']) writeFileSync(join(directory, file), textOf(file));
  process.chdir(directory);
});
afterEach(() => {
  process.chdir(before);
});

/** Runs the script for a tenant. Each account has an address of its own. */
const provision = (name: string, email: string, text = script) =>
  runRecipe(text, [name, email, '+14155550123'], sandbox.env);

const writes = async (seen = calls) => (await seen()).filter((call) => !call.startsWith('GET '));

/** Names of tenants that something may take for one another. */
const alike: readonly string[] = [
  ...['Acme Norte', 'ACME NORTE', 'acme norte', 'Acme N\u00f3rte', 'Acme No\u0301rte', '\uff21cme Norte'],
  ...['Acme', 'Acme Norte ', ' Acme Norte', 'Acme\u00a0Norte', 'Acme\nNorte', 'Acme\tNorte', '!Acme'],
  ...[
    '"Acme"',
    "'Acme'",
    '$(Acme)',
    '`Acme`',
    'Acme\\',
    '%',
    '_',
    '-x',
    '-',
    '--',
    '--help',
    '@menu.txt',
    '..',
  ],
  ...['1', '__proto__', '00000000-1111-4222-8333-444444444444', 'Acme '.repeat(40)],
];
/** Those that no service makes one name of when it tidies blanks, case and accents: of such, --if-absent asks which is meant. */
const apart = alike.filter((name, at) => alike.findIndex((other) => tidied(other) === tidied(name)) === at);
/** All, or where a run is to be short a few. */
const tenants = someOf(apart, 8);

describe('the provisioning script of the README', { timeout: 120_000 }, () => {
  it('takes at most five requests for each of many tenants that are there, and none that writes', async () => {
    expect(new Set(alike).size).toBe(30);
    const made: string[] = [];
    for (const [at, name] of tenants.entries()) {
      const ran = await provision(name, `ops${at}@tenants.example`);
      expect(ran.exitCode, `${name}: ${ran.stderr}`).toBe(0);
      made.push(`${ran.variables.team} ${ran.variables.bot}`);
    }
    expect(new Set(made).size).toBe(tenants.length);
    const near = alike.find((name) => !apart.includes(name)) ?? '';
    expect(await provision(near, 'near@tenants.example')).toMatchObject({ exitCode: 2 });
    expect((await writes()).filter((call) => call.endsWith('/teams'))).toHaveLength(tenants.length);
    for (const [at, name] of tenants.entries()) {
      const again = await callsFromNow(sandbox);
      const ran = await provision(name, `ops${at}@tenants.example`);
      expect(ran.exitCode, `${name}: ${ran.stderr}`).toBe(0);
      expect(`${ran.variables.team} ${ran.variables.bot}`, name).toBe(made[at]);
      const seen = await again();
      expect(seen.length, `${name}: ${seen.join(', ')}`).toBeLessThanOrEqual(5);
      expect(await writes(again), name).toEqual([]);
    }
  });

  const lose = (target: string) =>
    addFault(sandbox.control, { target, effect: { kind: 'reset', when: 'after' }, times: 1 });
  const creates = ['teams', 'documents', 'bots'].map((noun) => `POST /api/openapi/v1/${noun}`);

  it('goes on where the answer to an upload is lost, and makes nothing twice', async () => {
    const [, upload = ''] = creates;
    await lose(upload);
    const ran = await provision('Acme', 'ops@tenants.example');
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect((await calls('POST')).toSorted()).toEqual(creates.toSorted());
  });

  it.each(creates.filter((call) => !call.endsWith('documents')))(
    'ends with 12 where the answer to %s is lost, and makes nothing twice when it runs again',
    async (call) => {
      await lose(call);
      const lost = await provision('Acme', 'ops@tenants.example');
      expect(lost, lost.stderr).toMatchObject({ exitCode: 12 });
      expect(lost.stderr).toContain('"code":"OUTCOME_UNKNOWN"');
      const again = await provision('Acme', 'ops@tenants.example');
      expect(again.exitCode, again.stderr).toBe(0);
      expect((await calls('POST')).toSorted()).toEqual(creates.toSorted());
      expect(await service.bots()).toHaveLength(1);
    },
  );

  it('makes no second bot or document once two runs at a time have, but ends with 2, AMBIGUOUS', async () => {
    const { variables } = await provision('Acme', 'ops@tenants.example');
    const team = variables.team ?? '';
    await service.document(team, 'menu.txt');
    const seen = await callsFromNow(sandbox);
    const ran = await provision('Acme', 'ops@tenants.example');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toContain('"code":"AMBIGUOUS"');
    expect(await writes(seen)).toEqual([]);
  });

  it('ends with what a script can branch on: 2 for several teams of the name', async () => {
    for (const name of ['One', 'Two'])
      await service.call('PATCH', `/teams/${await service.team(name)}`, { name: 'Acme' });
    const seen = await callsFromNow(sandbox);
    const ran = await provision('Acme', 'ops@tenants.example');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
    expect(ran.stderr).toContain('"code":"AMBIGUOUS"');
    expect(await writes(seen)).toEqual([]);
  });

  it('5 for a tenant that has to be there and is not, or a document that it has not', async () => {
    await service.team('acme');
    const seen = await callsFromNow(sandbox);
    const first = /^team=\$\((?:.*\\\n)*.*\)$/m.exec(script)?.[0] ?? 'nothing';
    const instead = /`(team=.*)`/.exec(readme)?.[1] ?? '';
    const mustExist = script.replace(first, () => instead);
    expect(mustExist).toContain('teams get');
    const noTeam = await provision('Acme', 'ops@tenants.example', mustExist);
    expect(noTeam, noTeam.stderr).toMatchObject({ exitCode: 5 });
    expect(noTeam.stderr).toContain('"code":"NOT_FOUND"');
    expect(await writes(seen)).toEqual([]);
    const noUpload = script.replace(/^botctl docs upload .*\n/m, '');
    const noDocument = await provision('Boreal', 'ops@boreal.example', noUpload);
    expect(noDocument, noDocument.stderr).toMatchObject({ exitCode: 5 });
    expect(await service.bots()).toEqual([]);
  });

  it('6 where the plan allows no more', async () => {
    const team = await service.team('Acme');
    await service.call('PATCH', `/teams/${team}`, { quotas: { documents: 0 } });
    const seen = await callsFromNow(sandbox);
    const ran = await provision('Acme', 'ops@tenants.example');
    expect(ran, ran.stderr).toMatchObject({ exitCode: 6 });
    expect(await writes(seen)).toEqual(['POST /api/openapi/v1/documents']);
  });
});
