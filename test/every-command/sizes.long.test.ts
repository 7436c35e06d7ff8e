import { describe, expect, it } from 'vitest';
import {
  expectClean,
  expectExit,
  expectFailure,
  expectResult,
  expectTable,
  expectTold,
  jsonRows,
  situations,
  tsvTable,
} from './checks.ts';
import { exitOf, ownLists, printsResult, staying } from './departures.ts';
import { controlsSandbox, namesSomething, walkedCommands } from './lines.ts';
import { usePlace } from './place.ts';
import type { Size } from './service.ts';

const commands = await walkedCommands();

/** A command that asks nothing of the service does the same on any (`fails.ts` shows that it doesn't). */
const askers = commands.filter((walked) => walked.command.needs === 'session' || controlsSandbox(walked));
const place = usePlace();

describe('on a service with nothing', () => {
  it.each(askers)('$path succeeds, or says what is not there', async (walked) => {
    const { path, command } = walked;
    for (const situation of situations) {
      await place.enter('empty');
      const success = exitOf(path, 'success', 0, situation);
      const exit = exitOf(path, 'empty', namesSomething(walked.values(place)) ? 5 : success, situation);
      const words = [...walked.words(place), ...situation.more];
      const ran = await place.run(words, { terminal: situation.terminal, stays: path in staying });
      expectExit(ran, exit, `botctl ${words.join(' ')} ${situation.name}`);
      expectClean(ran, situation);
      if (exit !== 0 && printsResult(path, exit)) expectTold(ran, exit, situation);
      else if (exit !== 0) expectFailure(ran, exit, situation);
      else if (command.output.kind !== 'list') expectResult(ran, command.output, situation);
    }
    expect(place.takeUnexpected()).toEqual([]);
  });
});

describe('on a service with much', () => {
  it.each(askers)('$path does the same', async (walked) => {
    const { path, command } = walked;
    // Filling the service again costs most of the time: who changes it has one situation, each another.
    const turn = askers.indexOf(walked) % situations.length;
    const own = command.effect === 'reads' ? situations : situations.slice(turn, turn + 1);
    for (const situation of own) {
      await place.enter('many');
      const words = [...walked.words(place), ...situation.more];
      const ran = await place.run(words, { terminal: situation.terminal, stays: path in staying });
      const exit = exitOf(path, 'success', 0, situation);
      expectExit(ran, exit, `botctl ${words.join(' ')} ${situation.name}`);
      expectClean(ran, situation);
      if (exit === 2) expectFailure(ran, exit, situation);
      else expectResult(ran, command.output, situation);
    }
  });
});

describe('a list', () => {
  const sizes: readonly Size[] = ['empty', 'one', 'many'];
  /** What `service.ts` and the sandbox's own seeding make. */
  const rowsOf: Readonly<Record<string, readonly [number, number, number]>> = {
    'teams list': [0, 1, 121],
    'bots list': [0, 2, 122],
    'docs list': [0, 2, 122],
  };
  const lists = commands.filter(({ command }) => command.output.kind === 'list');
  // What always prints the same format is another command's input, and no table.
  const bare = lists.filter(({ path, command }) => (path in rowsOf || path in ownLists) && !command.format);

  it.each(bare)(
    '$path has a row for each thing, in every situation and format',
    async ({ path, command }) => {
      const expected = rowsOf[path] ?? ownLists[path]?.rows ?? [0, 0, 0];
      for (const [index, size] of sizes.entries()) {
        await place.enter(size);
        const count = expected[index] ?? 0;
        const run = async (...more: readonly string[]) => {
          const ran = await place.run([...path.split(' '), ...more]);
          expect(ran, `${path} ${more.join(' ')} of ${size}`).toMatchObject({ exitCode: 0 });
          return ran.stdout;
        };
        const rows = jsonRows(await run('-o', 'json'), command.output);
        expect(rows).toHaveLength(count);
        expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(count);
        const tsv = tsvTable(await run());
        expect(tsv).toHaveLength(count);
        if (count > 0) expectTable(tsv);
        expect(tsvTable(await run('-o', 'ndjson'))).toHaveLength(count);

        const pages = 'all' in command.options ? ['--all'] : [];
        const shown = await place.run([...path.split(' '), ...pages], { terminal: true });
        expect(shown.stdout.split('\n').length - 1).toBe(count === 0 ? 0 : count + 1);
        const said = command.output.kind === 'list' ? command.output.empty?.none : undefined;
        if (count === 0) expect(shown.stderr).toContain(said ?? 'There are none.');
      }
    },
  );

  it.each(bare.filter(({ command }) => 'all' in command.options))(
    '$path says on a terminal what it left out, and how to get it',
    async ({ path, command }) => {
      await place.enter('many');
      const ran = await place.run([...path.split(' '), '-o', 'json'], { terminal: true });
      const rows = jsonRows(ran.stdout, command.output);
      const all = rowsOf[path]?.[2] ?? 0;
      expect(rows.length).toBeLessThan(all);
      expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(ran.stderr).toContain(`${rows.length} of ${all}`);
      expect(ran.stderr).toContain('--all');
    },
  );
});
