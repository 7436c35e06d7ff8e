import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fold } from '../../src/lib/text/compare.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { settingsIn } from '../settings/support.ts';
import { botctl, type Ran, temporaryDirectory } from '../support/botctl.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { type Habits, habits, ModelService, type Row, specified } from './model-service.ts';

// After `doctor --learn --save` a list is correct, or reports that it is not.

/** A command, and the ids that it has to return. */
interface Case {
  readonly line: readonly string[];
  readonly ids: readonly string[];
}

const idsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ id }) => id);

function casesOf({ rows }: ModelService): readonly Case[] {
  const { teams = [], documents = [] } = rows;
  const named = teams.filter(({ name }) => fold(name).includes(fold('adari')));
  const cases = [
    { line: ['teams', 'list', '--all', '-o', 'id'], ids: idsOf(teams) },
    { line: ['teams', 'list', '--name', 'adari', '--all', '-o', 'id'], ids: idsOf(named) },
    { line: ['docs', 'list', '--all', '-o', 'id'], ids: idsOf(documents) },
    { line: ['docs', 'list', '--type', 'pdf', '--all', '-o', 'id'], ids: idsOf(documents.filter(isPdf)) },
  ];
  return cases.map((one) => ({ ...one, ids: [...one.ids].sort() }));
}

const isPdf = ({ type }: Row): boolean => type === 'pdf';

/** Returns true if a list lacks rows or has extra ones, and does not report it. */
function isWrong({ exitCode, stdout, stderr }: Ran, ids: readonly string[]): boolean {
  if (exitCode !== 0 || stderr.includes('there may be more')) return false;
  const given = [...new Set(stdout.split('\n').filter(Boolean))].sort();
  return given.join() !== ids.join();
}

/** Returns the lists that are wrong with the saved choices, and correct without them. */
async function becameWrong(chosen: Habits): Promise<readonly string[]> {
  const service = new ModelService(chosen);
  const server = await startScriptedServer();
  server.on('GET *', async ({ path }) => {
    const { status, bytes } = await service.request({ method: 'GET', path });
    return {
      status,
      body: Buffer.from(bytes).toString('utf8'),
      headers: { 'content-type': 'application/json' },
    };
  });
  const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
  const { profiles } = settingsIn(env.BOTCTL_CONFIG_DIR);
  for (const name of ['saved', 'plain'])
    await profiles.save({ name, baseUrl: server.url, keyId: 'key', keySecret: new Secret('secret') });
  const run = (line: readonly string[], profile: string): Promise<Ran> =>
    botctl([...line, '--profile', profile], { env, clock: new FakeClock({ now: Date.now() }) });
  await run(['doctor', '--learn', '--save', '--yes', '--retries', '0'], 'saved');
  const cases = casesOf(service);
  // Without the saved choices, a list that lacks rows may equal a filtered one by chance.
  const spoilt = new Set<string | undefined>();
  const refused = new Set<Case>();
  for (const one of cases) {
    const ran = await run(one.line, 'plain');
    if (isWrong(ran, one.ids)) spoilt.add(one.line[0]);
    if (ran.exitCode !== 0) refused.add(one);
  }
  const wrong: string[] = [];
  for (const one of cases) {
    const { line, ids } = one;
    const saved = await run(line, 'saved');
    // A filter whose name is unchanged may find too little, which shows only once the list is not refused for its page.
    const isOld = refused.has(one) && line.length > 5;
    if (isWrong(saved, ids) && !isOld && !spoilt.has(line[0]))
      wrong.push(`${line.join(' ')}: ${saved.stdout} not ${ids.join(' ')}`);
  }
  await server.close();
  return wrong;
}

/** A service with other names than botctl, so that choices are saved. */
const foreign: Habits = {
  ...specified,
  ...{ page: 'pageNumber', limit: 'per_page', name: 'q', type: 'kind', paying: 'isPaying', team: 'teamId' },
};

/**
 * Lists are correct without the saved choices: the service ignores filters, returns all rows, and botctl filters them.
 */
const whole = { unknown: 'ignores', defaultPage: 30 } as const;

it.each<[string, Partial<Habits>]>([
  ['other names', {}],
  ['filters that have no effect', { ignoresFilters: true, ...whole }],
  ['pages that are cut silently', { maxPage: 7, tooLong: 'cuts', total: 'none', limitTold: 'none' }],
  [
    'pages that are cut to the usual length',
    { maxPage: 10, defaultPage: 5, tooLong: 'takes the usual length' },
  ],
  ['a first page 0', { firstPage: 0 }],
  [
    'a first page 0, and the first one for any before it',
    { firstPage: 0, early: 'first', unknown: 'ignores' },
  ],
  ['another order each time', { reorders: true, unknown: 'ignores', defaultPage: 10 }],
  ['each row twice', { doubles: true, unknown: 'ignores' }],
  ['a row that comes while it is read', { change: { after: 20, is: 'comes' } }],
  ['a row that goes while it is read', { change: { after: 20, is: 'goes' }, unknown: 'ignores' }],
  ['names that are found as a whole', { finds: 'wholes', ...whole }],
  ['names that are found by their beginnings', { finds: 'beginnings', ...whole }],
  ['names that are found by any word', { finds: 'any word', ...whole }],
  ['the last page again after the end', { beyond: 'last', defaultPage: 10, total: 'none' }],
  ['a total that is that of the page', { total: 'of the page', defaultPage: 10 }],
])('no list becomes wrong with a service with %s', async (_, chosen) => {
  expect(await becameWrong({ ...foreign, ...chosen })).toEqual([]);
});

it('no list becomes wrong with any service that returns all its rows', async () => {
  await fc.assert(
    fc.asyncProperty(habits, async (chosen) => {
      // A total of the page alone can be detected only if the page is known to be full.
      const limitTold = chosen.total === 'of the page' ? 'real' : chosen.limitTold;
      expect(await becameWrong({ ...chosen, limitTold, hidden: 0, change: undefined })).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
