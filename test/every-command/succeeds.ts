import { describe, expect, it } from 'vitest';
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
import { exitOf, madeAnew, showing, shownOnce, staying, terminalOnly } from './departures.ts';
import type { Walked } from './lines.ts';
import { commandsOf, type Part } from './parts.ts';
import { usePlace } from './place.ts';
import { RecordedRuns } from './recorded-runs.ts';

/** The environment of a command that needs a user. */
const onTerminal: readonly Situation[] = situations.map((situation) => ({
  ...situation,
  terminal: { columns: 80, rows: 24 },
}));

/**
 * Runs a part of the commands in success cases. Call it at the top of a test file. Returns the JSON members that each
 * command has printed once the tests have run.
 */
export async function walkSuccesses(part: Part): Promise<ReadonlyMap<string, readonly string[]>> {
  const commands = await commandsOf(part);
  // Some commands print the latest calls.
  const place = usePlace({ filledAnew: true });
  /** The members that the first example of each command printed. */
  const printed = new Map<string, readonly string[]>();
  const runs = new Map(commands.map(({ path }) => [path, new RecordedRuns(place)]));
  const runsOf = ({ path }: Walked): RecordedRuns => runs.get(path) ?? new RecordedRuns(place);

  const situationsOf = ({ path }: Walked): readonly Situation[] => {
    const all = path in terminalOnly ? onTerminal : situations;
    return path in shownOnce ? all.slice(-1) : all;
  };

  describe('the first example succeeds', () => {
    it.each(commands)('of $path', async (walked) => {
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

    const reading = commands.filter(({ path, command }) => command.effect === 'reads' && !(path in showing));
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
      const lines = (await inFormat('-o', 'ndjson')).trimEnd().split('\n');
      expect(lines.map((line): unknown => JSON.parse(line)).map(alike)).toEqual(rows.map(alike));
      const csv = csvTable(await inFormat('-o', 'csv'));
      expectTable(csv);
      expect(csv).toHaveLength(rows.length + 1);
      // With events, each event of an endless list is a separate document.
      if (output.kind !== 'events') {
        const value = yamlValue(await inFormat('-o', 'yaml'));
        expect([value].flat().map(alike)).toEqual(rows.map(alike));
      }
      expectTable(tsvTable(await inFormat('-o', 'tsv', '--header')));
      const one = csvTable(await inFormat('-o', 'csv', '--fields', first.name));
      expect(one[0]).toEqual([first.name]);
      const isIdentified = output.fields.some(({ name }) => ['id', 'key_id', 'device_id'].includes(name));
      if (isIdentified)
        for (const id of (await inFormat('-o', 'id')).trimEnd().split('\n')) expect(id).toMatch(/^\S+$/);
      else expectFailure(await recorded.run([...words, '-o', 'id']), 2, { more: [] });
    });

    it.each(reading)('of $path, without colour if the user asks for none', async (walked) => {
      const recorded = runsOf(walked);
      const words = walked.words(place);
      const options = { terminal: { columns: 80, rows: 24 }, stays: walked.path in staying };
      expectColourless(await recorded.run(words, { ...options, env: { NO_COLOR: '1' } }));
      expectColourless(await recorded.run([...words, '--no-color'], options));
    });
  });

  return printed;
}

/** Removes times, which differ between runs. */
function withoutTimes(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"a time"')
    .replace(/"token_age":\d+/g, '"token_age":"a time"')
    // Every run has a home of its own.
    .replace(/\brun-\w{6}\b/g, 'run');
  return JSON.parse(text);
}

/** Removes the ids, times and sizes of objects that are created when the service is filled. */
function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(withoutTimes(value))
    .replace(/"request_id":"\w+"/g, '"request_id":"an id"')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'an id')
    .replace(/"(duration_ms|request_bytes|response_bytes)":[\d.]+/g, '"$1":"a number"');
  return JSON.parse(text);
}
