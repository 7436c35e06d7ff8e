import { Option as CommanderOption } from 'commander';
import { describe, expect, it } from 'vitest';
import { type Parse, ValueError } from '../../src/lib/parse.ts';
import type { Ran } from '../support/botctl.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { parserOf } from '../support/parser-of.ts';
import {
  expectClean,
  expectExit,
  expectFailure,
  expectResult,
  expectTold,
  type Situation,
  scripted,
  situations,
} from './checks.ts';
import type { SuggestedCommands } from './command-surface.ts';
import {
  exitOf,
  knowing,
  patient,
  printsResult,
  settling,
  shownOnce,
  staying,
  terminalOnly,
  writingNothing,
} from './departures.ts';
import { controlsSandbox, type Walked } from './lines.ts';
import { commandsOf, type Part } from './parts.ts';
import { type Place, type PlacedRun, usePlace } from './place.ts';

/** The service's refusals, and botctl's exit codes for them. */
const refusals = [
  { status: 400, code: 'BAD_REQUEST', exit: 6 },
  { status: 401, code: 'UNAUTHORIZED', exit: 4 },
  { status: 403, code: 'FORBIDDEN', exit: 6 },
  { status: 404, code: 'NOT_FOUND', exit: 5 },
  { status: 429, code: 'RATE_LIMITED', exit: 7 },
  { status: 500, code: 'INTERNAL_ERROR', exit: 8 },
] as const;

/** Creates and sends: if the server fails on one of these, its outcome is unknown. */
const once = /^POST .*\/(?:teams|bots|devices|documents|api-keys|send)$/;

/** Calls without an id in the path: if they return 404, the address is wrong. */
const fixed = /^(?:GET|POST) .*\/(?:teams|api-keys)$|^GET .*\/(?:bots|documents)$/;

/** Returns the exit code if the last of these calls is refused. */
function exitAfter(calls: readonly string[], status: number, usual: number): number {
  if (status === 500 && calls.some((call) => once.test(call))) return 12;
  return status === 404 && fixed.test(calls.at(-1) ?? '') ? 8 : usual;
}

async function runIn(
  place: Place,
  walked: Walked,
  situation: Situation,
  more: readonly string[] = [],
  { network, isWrong = false }: Pick<PlacedRun, 'network' | 'isWrong'> = {},
) {
  const variables = network ? place.variablesDown : place.variables;
  // The objects of the place are new, so the lost object may be one of them.
  const retrying = 'retryUnknown' in walked.command.options ? ['--retry-unknown'] : [];
  const words = [...walked.words({ variables }), '--retries', '0', ...retrying, ...more, ...situation.more];
  const ran = await place.run(words, {
    terminal: situation.terminal,
    stays: walked.path in staying,
    isWrong,
    ...(network && { network }),
    ...(walked.path in { ...patient, ...settling } && { clock: new FakeClock({ now: Date.now() }) }),
  });
  expectClean(ran, situation);
  return ran;
}

function expectEnd({ path, command }: Walked, ran: Ran, exit: number, situation: Situation): void {
  if (exit === exitOf(path, 'success', 0, situation)) expectExit(ran, exit, `${path} ${situation.name}`);
  else if (printsResult(path, exit)) {
    expectTold(ran, exit, situation);
    if (ran.stdout !== '') expectResult(ran, command.output, situation);
  } else expectFailure(ran, exit, situation);
}

/** Each refusal for a script, and the first one in every situation. */
const refused = refusals.flatMap((refusal, index) =>
  situations
    .filter(({ more }) => index === 0 || more.length > 0)
    .map((situation) => ({ ...refusal, situation })),
);

/**
 * Runs a part of the commands in failure cases. Call it at the top of a test file.
 * @param suggested collects the commands that failures suggest
 */
export async function walkFailures(part: Part, suggested: SuggestedCommands): Promise<void> {
  const commands = await commandsOf(part);
  const place = suggested.watch(usePlace());
  const run = (
    walked: Walked,
    situation: Situation,
    more?: readonly string[],
    options?: Pick<PlacedRun, 'network' | 'isWrong'>,
  ) => runIn(place, walked, situation, more, options);
  const runWrong = (walked: Walked, situation: Situation, more: readonly string[]) =>
    run(walked, situation, more, { isWrong: true });

  /** Commands that call the service; the tests without a listener show that the others don't. */
  const callers = commands.filter(({ command }) => command.needs === 'api');

  describe.runIf(callers.length > 0)('if the service refuses', () => {
    it.each(callers)('every request, $path exits with the code of the refusal', async (walked) => {
      for (const { status, code, exit: usual, situation } of refused) {
        await place.enter('one');
        place.front.refuse({ calls: 'all', status, code });
        const ran = await run(walked, situation);
        const ruled = exitAfter(place.front.seen, status, usual);
        const exit = exitOf(walked.path, 'refused', ruled, { ...situation, status });
        expectEnd(walked, ran, exit, situation);
      }
    });

    const writers = callers.filter(({ command }) => command.effect !== 'reads');
    it.each(writers)('only the change, $path exits with the code of the refusal', async (walked) => {
      for (const { status, code, exit: usual, situation } of refused) {
        await place.enter('one');
        place.front.refuse({ calls: 'writes', status, code });
        const ran = await run(walked, situation);
        const writes = place.front.seen.filter((call) => !call.startsWith('GET '));
        const needsTerminal = walked.path in terminalOnly && !situation.terminal;
        const isWriting = !(walked.path in writingNothing) && !needsTerminal;
        expect(writes.length > 0, `${walked.path} ${situation.name} writes to the service`).toBe(isWriting);
        const unwritten = exitOf(walked.path, 'success', 0, situation);
        const ruled = walked.path in knowing ? usual : exitAfter(writes, status, usual);
        const ended = exitOf(walked.path, 'change refused', ruled, { ...situation, status });
        expectEnd(walked, ran, isWriting ? ended : unwritten, situation);
      }
    });
  });

  describe('if nothing listens', () => {
    it.each(commands)('$path exits with code 8, or needs no network', async (walked) => {
      const { path, command } = walked;
      for (const situation of path in shownOnce ? situations.slice(-1) : situations) {
        await place.enter('one');
        // A sandbox that isn't running is not a network error.
        const ruled = controlsSandbox(walked) ? 2 : command.needs === 'api' ? 8 : 0;
        const exit = exitOf(path, 'network down', ruled, situation);
        expectEnd(walked, await run(walked, situation, [], { network: 'down' }), exit, situation);
      }
    });
  });

  describe('wrong usage', () => {
    it.each(commands)('$path exits with code 2 for an unknown option, and names it', async (walked) => {
      await place.enter('one');
      for (const situation of situations) {
        const ran = await runWrong(walked, situation, ['--no-such-option']);
        expectFailure(ran, 2, situation);
        expect(ran.stderr).toContain('--no-such-option');
      }
    });

    it.each(commands)(
      '$path exits with code 2 for an invalid value, and names its option or argument',
      async (walked) => {
        await place.enter('one');
        const words = walked.words(place);
        const global = { label: '--retries', words: [...words, '--retries', 'lots'] };
        for (const { label, words } of [
          global,
          ...badOptions(place, walked),
          ...badArguments(place, walked),
        ]) {
          const ran = await place.run([...words, ...scripted.more], { isWrong: true });
          expectClean(ran, scripted);
          expectFailure(ran, 2, scripted);
          expect(ran.stderr, words.join(' ')).toContain(label);
        }
      },
    );

    it.each(commands)('$path exits with code 2 for an unknown format or field', async (walked) => {
      await place.enter('one');
      const format = await place.run([...walked.words(place), '-o', 'xml'], { isWrong: true });
      expect(format).toMatchObject({ exitCode: 2, stdout: '' });
      if (walked.command.output.kind === 'text' || walked.command.output.kind === 'nothing') return;
      expectFailure(await runWrong(walked, scripted, ['--fields', 'no_such_field']), 2, scripted);
    });

    const demanding = commands.filter(
      ({ command }) =>
        Object.values(command.arguments).some(({ optional }) => !optional) ||
        Object.values(command.options).some(({ required }) => required),
    );
    it.each(demanding)(
      '$path exits with code 2 without a terminal if a required value is missing',
      async (walked) => {
        const { path, command } = walked;
        await place.enter('one');
        const labels = Object.values(command.options)
          .filter(({ required }) => required)
          .map(({ flags }) => new CommanderOption(flags).long ?? flags);
        for (const situation of situations.slice(1)) {
          const ran = await place.run([...path.split(' '), ...situation.more]);
          expectClean(ran, situation);
          expectFailure(ran, 2, situation);
          for (const label of labels) expect(ran.stderr).toContain(label);
        }
      },
    );

    const destroyers = commands.filter(({ command }) => command.effect === 'destroys');
    it.each(destroyers)('$path destroys nothing unless the user confirms it', async (walked) => {
      await place.enter('one');
      const words = walked.words(place);
      expect(words.slice(-3)).toEqual(['--yes', '--confirm', expect.any(String)]);
      const { changes } = place.front;
      for (const unconfirmed of [
        words.slice(0, -3),
        words.slice(0, -2),
        [...words.slice(0, -1), 'another'],
      ]) {
        for (const situation of situations.slice(1)) {
          const ran = await place.run([...unconfirmed, ...situation.more]);
          expectFailure(ran, 2, situation);
          expect(ran.stderr).toContain('--confirm');
        }
      }
      expect(place.front.changes).toBe(changes);
    });
  });
}

/** Values that most types reject. */
const candidates = ['no such value', '-1', '', 'x=', '99999999999999999999'];

function badValue(parse: Parse<unknown>): string | undefined {
  return candidates.find((candidate) => {
    try {
      parse(candidate);
      return false;
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      return true;
    }
  });
}

/** A command with one mistake. */
interface WrongLine {
  readonly words: readonly string[];
  /** The text that the failure must contain. */
  readonly label: string;
}

function badOptions(place: Place, walked: Walked): readonly WrongLine[] {
  return Object.values(walked.command.options).flatMap((option) => {
    const { flags, kind } = option;
    const label = new CommanderOption(flags).long ?? flags;
    const bad = kind === 'value' || kind === 'many' ? badValue(parserOf(option)) : undefined;
    return bad === undefined ? [] : [{ label, words: [...walked.words(place), `${label}=${bad}`] }];
  });
}

function badArguments(place: Place, walked: Walked): readonly WrongLine[] {
  return walked.values(place).flatMap(({ at, label, parse }) => {
    const bad = label.startsWith('<') ? badValue(parse) : undefined;
    if (bad === undefined || bad.startsWith('-')) return [];
    const words = walked.words(place).map((word, index) => (index === at ? bad : word));
    return [{ label, words }];
  });
}
