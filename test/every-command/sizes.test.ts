import { describe, expect, it } from 'vitest';
import {
  expectClean,
  expectExit,
  expectFailure,
  expectResult,
  expectTable,
  expectTold,
  jsonRows,
  scripted,
  situations,
  tsvTable,
} from './checks.ts';
import { exitOf, ownLists, printsResult, staying } from './departures.ts';
import { controlsSandbox, namesSomething, walkedCommands } from './lines.ts';
import { usePlace } from './place.ts';

const commands = await walkedCommands();

/**
 * Commands that call the service; the others behave the same on any service (`fails.ts` shows that they make no calls).
 */
const askers = commands.filter((walked) => walked.command.needs !== 'nothing' || controlsSandbox(walked));
const place = usePlace();

describe('on an empty service', () => {
  it.each(askers)('$path succeeds, or exits with code 5 if it names an object', async (walked) => {
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

describe('on a service with more than a page of everything', () => {
  // Filling the service again after each change would take most of the time.
  const readers = askers.filter(({ command }) => command.effect === 'reads');
  it.each(readers)('$path reads the same', async (walked) => {
    const { path, command } = walked;
    await place.enter('many');
    const words = [...walked.words(place), ...scripted.more];
    const ran = await place.run(words, { stays: path in staying });
    expectExit(ran, exitOf(path, 'success', 0, scripted), `botctl ${words.join(' ')}`);
    expectClean(ran, scripted);
    expectResult(ran, command.output, scripted);
  });
});

/** The number of rows in lists at each size, from `service.ts` and the sandbox's own seeding. */
const rowsOf: Readonly<Record<string, readonly [number, number, number]>> = {
  'teams list': [0, 1, 121],
  'bots list': [0, 2, 122],
  'docs list': [0, 2, 122],
};
const lists = commands
  .map((walked) => ({ ...walked, counts: rowsOf[walked.path] ?? ownLists[walked.path]?.rows }))
  // A command that always prints the same format produces input for another command, not a table.
  .filter(({ counts, command }) => counts && command.output.kind === 'list' && !command.format);

describe.each(['empty', 'one', 'many'] as const)('of a service of the size %s', (size) => {
  it.each(lists)('$path has a row for each object, in every format', async ({ path, command, counts }) => {
    await place.enter(size);
    const count = counts?.[['empty', 'one', 'many'].indexOf(size)] ?? Number.NaN;
    const run = async (...more: readonly string[]) => {
      const ran = await place.run([...path.split(' '), ...more]);
      expect(ran, `${path} ${more.join(' ')}`).toMatchObject({ exitCode: 0 });
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
    if (count === 0) expect(shown.stderr).not.toBe('');
  });
});

describe('of a service with more than a page', () => {
  const paged = lists.filter(({ command }) => 'all' in command.options);
  it.each(paged)('$path shows a page on a terminal, and names --all', async ({ path, command, counts }) => {
    await place.enter('many');
    const ran = await place.run([...path.split(' '), '-o', 'json'], { terminal: true });
    const rows = jsonRows(ran.stdout, command.output);
    const all = counts?.[2] ?? 0;
    expect(rows.length).toBeLessThan(all);
    expect(ran.stderr).toContain(`${rows.length} of ${all}`);
    expect(ran.stderr).toContain('--all');
  });
});
