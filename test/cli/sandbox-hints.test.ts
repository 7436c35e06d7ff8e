import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Context } from '../../src/cli/context.ts';
import { globalOptions } from '../../src/cli/global-options.ts';
import { withSandboxHint } from '../../src/cli/sandbox-hints.ts';
import { allCommands } from '../../src/commands/branches.ts';
import { Failure } from '../../src/lib/errors.ts';
import { type CommandLine, commandsIn, remarkText } from '../../src/lib/text/remark.ts';
import { SandboxProblem } from '../../src/sandbox/problem.ts';
import { type Problem, type ProblemFacts, problemSchema } from '../../src/sandbox/problem-facts.ts';
import { settingsIn } from '../settings/support.ts';
import { temporaryDirectory } from '../support/botctl.ts';

const commands = await allCommands();

const samples: ProblemFacts = {
  dataInUse: {},
  dataUnusable: {},
  dataDamaged: {},
  dataOfEarlierVersion: { directory: '/srv/data' },
  dataOfNewerVersion: {},
  dataIsOnServer: {},
  directoryOccupied: {},
  databaseOfEarlierVersion: { url: 'postgres://ana@db.example/x' },
  filesOfOtherDatabase: { database: { id: '1/2', mark: '/srv/my files/database-id' } },
  filesMissing: {},
  notFilesDirectory: {},
  portInUse: { port: 4010 },
  portForbidden: {},
  hostUnknown: {},
  hostIsPublic: { host: '0.0.0.0', isTemporary: false },
  publicKeyMissing: { data: '/srv/data' },
  sharedEmailsContradicted: { sharedEmails: true },
  sharedEmailsNeeded: { data: '/srv/data' },
  notRunning: { onServer: true },
  nameUnknown: { noun: 'fault' },
  seedUsed: {},
  pictureIsDataUrl: {},
  pictureIsText: {},
  screenIsPicture: {},
  screenHasNoCode: {},
  codeIsNegative: {},
  codeInvalid: { device: 'Reception' },
  codeUsed: { device: 'Reception' },
  deviceNotPaired: { device: 'Reception' },
  deviceBlocked: { device: 'Reception' },
  deviceReplaced: { device: 'Reception' },
  scanNotConfirmed: { device: 'Reception' },
};

const problems = Object.entries(samples).map(([code, facts]) => z.parse(problemSchema, { code, ...facts }));

/** Returns the context of a command with these options. */
const contextOf = (typed: Context['typed']) => ({
  typed,
  options: { profile: undefined },
  settings: settingsIn(temporaryDirectory()),
  io: { env: {} },
});

function hintFor(problem: Problem, typed: Context['typed'] = [], isStart = false) {
  const failure = withSandboxHint(new SandboxProblem('It failed.', problem), contextOf(typed), isStart);
  if (!(failure instanceof Failure)) throw failure;
  return failure.hint ?? '';
}

/** Returns the words of a command that the program doesn't have, such as an unknown option. */
function unknownWords({ words }: CommandLine): readonly unknown[] {
  const line = `${words.filter((word) => typeof word === 'string').join(' ')} `;
  const found = commands.find(({ path }) => line.startsWith(`${path} `));
  if (!found) return words;
  const declared = [...Object.values(found.command.options), ...globalOptions];
  const flags = declared.flatMap(({ flags }) => flags.match(/--[\w-]+/g) ?? []);
  return words.filter(
    (word) =>
      typeof word === 'string' && word.startsWith('--') && !flags.includes(word.replace('--no-', '--')),
  );
}

describe('the hint for a sandbox problem', () => {
  it.each(problems.map((problem) => [problem.code, problem] as const))(
    'has commands that exist: %s',
    (_, problem) => {
      const hint = hintFor(problem);
      expect(remarkText(hint)).not.toBe('');
      expect(commandsIn(hint).flatMap(unknownWords)).toEqual([]);
    },
  );

  it('keeps the kind, the message and the cause of the problem', () => {
    const cause = new Error('EACCES');
    const problem = new SandboxProblem('No.', { code: 'portForbidden' }, { kind: 'rejected', cause });
    const failure = withSandboxHint(problem, contextOf([]));
    expect(failure).toMatchObject({ kind: 'rejected', message: 'No.', cause: { cause } });
    expect(failure).not.toBeInstanceOf(SandboxProblem);
  });

  it('repeats the options of the start, except for those that it changes', () => {
    const typed = [['--port', '4010'], ['--data', 'my data'], ['--shared-emails']];
    expect(remarkText(hintFor({ code: 'portInUse', port: 4010 }, typed, true))).toBe(
      'Use another port: botctl sandbox start --port 4011 --data "my data" --shared-emails',
    );
  });

  it('repeats only the options that select the sandbox, for other commands', () => {
    const typed = [
      ['--name', 'ci'],
      ['--data', '/srv/data'],
    ];
    expect(remarkText(hintFor({ code: 'portForbidden' }, typed))).toBe(
      'Use one above 1023: botctl sandbox start --port 4010 --data /srv/data',
    );
  });

  it('names the database as the start did, and omits it if the environment named it', () => {
    const url = 'postgres://ana@db.example/x';
    const problem = { code: 'databaseOfEarlierVersion', url } as const;
    expect(remarkText(hintFor(problem))).toContain(`botctl sandbox migrate --database ${url}`);
    expect(remarkText(hintFor(problem, [['--database', url]], true))).toContain(`migrate --database ${url}`);
    expect(remarkText(hintFor(problem, [], true))).toMatch(/botctl sandbox migrate$/);
  });

  it('is not added to other failures', () => {
    const other = new Failure('network', 'Away.');
    expect(withSandboxHint(other, contextOf([]))).toBe(other);
  });
});

describe('a problem that another process reports', () => {
  it.each([
    ['an unknown code', { code: 'other' }],
    ['a name that every object has', { code: 'constructor' }],
    ['missing facts', { code: 'portInUse' }],
    ['unknown facts', { code: 'dataInUse', port: 1 }],
    ['no object', 'dataInUse'],
  ])('is refused with %s', (_, reported) => {
    expect(z.safeParse(problemSchema, reported).success).toBe(false);
  });
});
