import { describe, expect, it } from 'vitest';
import { someOf } from '../support/long.ts';
import {
  csvTable,
  expectClean,
  expectColourless,
  expectExit,
  expectFailure,
  expectResult,
  expectTable,
  jsonRows,
  type Situation,
  situations,
  tsvTable,
  yamlValue,
} from './checks.ts';
import { memberNames } from './command-surface.ts';
import { exitOf, madeAnew, showing, startingSandbox, staying, terminalOnly } from './departures.ts';
import type { Walked } from './lines.ts';
import { commandsOf, type Part } from './parts.ts';
import { usePlace } from './place.ts';
import { RecordedRuns } from './recorded-runs.ts';

/** Where a command is run that needs a person. */
const onTerminal: readonly Situation[] = situations.map((situation) => ({
  ...situation,
  terminal: { columns: 80, rows: 24 },
}));

/**
 * Walks a part of the commands where all goes well. Call it at the top of a test file.
 * Returns the JSON members that each command has printed once the tests have run.
 * @param isWhole runs each in every situation, also where that takes a sandbox that is filled anew, or one of its own
 */
export async function walkSuccesses(
  part: Part,
  isWhole: boolean,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const commands = await commandsOf(part);
  // Some print what calls were made last.
  const place = usePlace({ filledAnew: true });
  /** The members that the first example of each command printed. */
  const printed = new Map<string, readonly string[]>();
  const runs = new Map(commands.map(({ path }) => [path, new RecordedRuns(place)]));
  const runsOf = ({ path }: Walked): RecordedRuns => runs.get(path) ?? new RecordedRuns(place);

  /**
   * Those that are tried: the one that the members are read from, and a script's for one command, a person's for the next.
   * What takes long has only the first of these.
   */
  const situationsOf = ({ path, command }: Walked): readonly Situation[] => {
    const all = path in terminalOnly ? onTerminal : situations;
    if (isWhole) return all;
    const takesLong = path.startsWith('sandbox ') && command.effect !== 'reads';
    if (takesLong) return all.slice(-1);
    const left = commands.findIndex((one) => one.path === path) % 2;
    return all.filter((_, index) => index !== left);
  };

  /** Those that print nothing of their own pin nothing. */
  const isSilent = ({ path, command }: Walked): boolean =>
    path in showing || (command.output.kind === 'nothing' && startingSandbox.has(path));
  const printing = commands.filter((walked) => isWhole || !isSilent(walked));

  describe('the first example succeeds', () => {
    it.each(printing)('of $path', async (walked) => {
      const { path, command } = walked;
      const recorded = runsOf(walked);
      for (const situation of situationsOf(walked)) {
        const exit = exitOf(path, 'success', 0, situation);
        const words = [...walked.words(place), ...situation.more];
        const ran = await recorded.run(words, { terminal: situation.terminal, stays: path in staying });
        const where = `botctl ${words.join(' ')} ${situation.name}`;
        expectExit(ran, exit, where);
        expectClean(ran, situation);
        if (path in showing) continue;
        expectResult(ran, command.output, situation);
        if (situation.more.length > 0) printed.set(path, memberNames(jsonRows(ran.stdout, command.output)));
      }
      expect(place.takeUnexpected()).toEqual([]);
    });

    const reading = commands.filter(({ command }) => command.effect === 'reads');
    it.each(reading)('of $path, in every format', async (walked) => {
      const { path, command } = walked;
      const { output } = command;
      const recorded = runsOf(walked);
      const words = walked.words(place);
      const inFormat = async (...more: readonly string[]) => {
        const ran = await recorded.run([...words, ...more], { stays: path in staying });
        expect(ran, more.join(' ')).toMatchObject({
          exitCode: exitOf(path, 'success', 0, { terminal: false }),
        });
        expectClean(ran, { terminal: false });
        return ran.stdout;
      };
      const help = await recorded.run([...words, '-o', 'help']);
      expect(help).toMatchObject({ exitCode: 0, stderr: '' });
      if (output.kind === 'text' || output.kind === 'nothing') return;

      const rows = jsonRows(await inFormat('-o', 'json'), output);
      for (const { name } of output.fields) expect(help.stdout).toContain(` ${name} `);
      const [first] = output.fields;
      if (!first) throw new Error(`${path} has no fields`);
      const alike = path in madeAnew ? withoutIds : withoutTimes;
      const formats: Readonly<Record<string, () => Promise<void>>> = {
        async ndjson() {
          const lines = (await inFormat('-o', 'ndjson')).trimEnd().split('\n');
          expect(lines.map((line): unknown => JSON.parse(line)).map(alike)).toEqual(rows.map(alike));
        },
        async csv() {
          const csv = csvTable(await inFormat('-o', 'csv'));
          expectTable(csv);
          expect(csv).toHaveLength(rows.length + 1);
        },
        async yaml() {
          if (output.kind === 'events') return;
          const value = yamlValue(await inFormat('-o', 'yaml'));
          expect([value].flat().map(alike)).toEqual(rows.map(alike));
        },
        async tsv() {
          expectTable(tsvTable(await inFormat('-o', 'tsv', '--header')));
        },
        async fields() {
          const one = csvTable(await inFormat('-o', 'csv', '--fields', first.name));
          expect(one[0]).toEqual([first.name]);
        },
        async id() {
          const isIdentified = output.fields.some(({ name }) => ['id', 'key_id', 'device_id'].includes(name));
          if (isIdentified)
            for (const id of (await inFormat('-o', 'id')).trimEnd().split('\n')) expect(id).toMatch(/^\S+$/);
          else expectFailure(await recorded.run([...words, '-o', 'id']), 2, { more: [] });
        },
      };
      const turn = reading.indexOf(walked);
      for (const check of someOf(Object.values(formats), 3, turn, isWhole)) await check();
    });

    const coloured = reading.filter(({ path }) => isWhole || !startingSandbox.has(path));
    it.each(someOf(coloured, 2, 0, isWhole))(
      'of $path, without colour where that is asked for',
      async (walked) => {
        const recorded = runsOf(walked);
        const words = walked.words(place);
        const terminal = { columns: 80, rows: 24 };
        const stays = walked.path in staying;
        const ways = [{ env: { NO_COLOR: '1' } }, { more: ['--no-color'] }];
        for (const { env = {}, more = [] } of someOf(
          ways,
          2,
          Math.floor(coloured.indexOf(walked) / 2),
          isWhole,
        ))
          expectColourless(await recorded.run([...words, ...more], { terminal, stays, env }));
      },
    );
  });

  return printed;
}

/** Two runs are never at the same time. */
function withoutTimes(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"a time"')
    .replace(/"token_age":\d+/g, '"token_age":"a time"')
    // Every run has a home of its own.
    .replace(/\brun-\w{6}\b/g, 'run');
  return JSON.parse(text);
}

/** A value as it is whenever the service was filled: without the ids, times and sizes of things that are made then. */
function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(withoutTimes(value))
    .replace(/"request_id":"\w+"/g, '"request_id":"an id"')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'an id')
    .replace(/"(duration_ms|request_bytes|response_bytes)":[\d.]+/g, '"$1":"a number"');
  return JSON.parse(text);
}
