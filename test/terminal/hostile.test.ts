import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Failure } from '../../src/lib/errors.ts';
import type { Fields } from '../../src/output/fields.ts';
import { dataUrl, drawCode } from '../../src/sandbox/code-picture.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createProfiles } from '../../src/settings/profiles.ts';
import { csvTable, expectTable, tsvTable, withoutOwnSequences } from '../every-command/checks.ts';
import { terminalOnly } from '../every-command/departures.ts';
import { type Walked, walkedCommands } from '../every-command/lines.ts';
import { makeWorkingDirectory } from '../every-command/working-files.ts';
import { botctl, type Ran, type RunOptions } from '../support/botctl.ts';
import { springCampaign } from '../support/campaign.ts';
import { storeAt } from '../support/campaign-stores.ts';
import { booksIn } from '../support/device-books.ts';
import { createCampaign, type StoredCampaign } from '../support/stored-campaign.ts';
import { anyId, type Hostility, startHostileService, texts } from './hostile-service.ts';
import { anyText, copiedWhole, hostile, presented, terminalWidth } from './support.ts';

/** Characters that a terminal executes or that reorder text, except tabs and line breaks. */
const obeyed = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** A file name can contain everything but a slash. */
const fileName = `menu${hostile.clipboard.replace('/', '')}${hostile.override}${hostile.lines}${hostile.c1}.txt`;

const commands = await walkedCommands();
const callers = commands.filter(({ command }) => command.needs !== 'nothing');

/** The name of the device in the device book. */
const bookedName = texts.at(-1) ?? '';

/** Commands that wait for a phone: they are interrupted once they have drawn their waiting screen. */
const waiting = ['device connect'];

/** The end of each drawing of a screen: the end of a synchronised update. */
const pictureEnd = '\x1b[?2026l';

let base = '';
let before = '';
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'botctl-hostile-'));
  before = process.cwd();
  const directory = join(base, 'work');
  makeWorkingDirectory(directory, { keySecret: 'secret-of-the-key', picture: new Uint8Array() });
  writeFileSync(join(directory, fileName), 'soup\n');
});
afterAll(() => {
  process.chdir(before);
  rmSync(base, { recursive: true, force: true });
});

/** Runs the first example of a command, with ids in place of names, against a hostile service. */
async function attempt(
  walked: Walked,
  service: { readonly url: string },
  more: readonly string[] = [],
  options: Pick<RunOptions, 'terminal'> = {},
): Promise<Ran> {
  const home = mkdtempSync(join(base, 'home-'));
  const keySecret = new Secret('secret-of-the-key');
  await createProfiles(home).save({ name: 'sandbox', baseUrl: service.url, keyId: anyId, keySecret });
  const book = booksIn(join(home, 'data'));
  const device = { id: anyId, name: bookedName, seenAt: '2026-01-01T00:00:00.000Z' };
  await book.record(service.url, device);
  const optOut = { number: '447700900123', added_at: '2026-01-01T00:00:00.000Z', note: bookedName };
  await storeAt(join(home, 'data')).optOuts(service.url).add([optOut]);
  const campaigns = storeAt(join(home, 'data'));
  await createCampaign(campaigns, hostileCampaign(new URL(service.url).origin));
  const work = join(home, 'work');
  cpSync(join(base, 'work'), work, { recursive: true });
  process.chdir(work);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Failure('interrupted', 'Interrupted.'));
  const hangs = setTimeout(interrupt, 45_000);
  let shown = '';
  try {
    return await botctl([...wordsFor(walked), '--retries', '0', ...more], {
      ...options,
      signal: stop.signal,
      onError(text) {
        if (!waiting.includes(walked.path)) return;
        shown += text;
        // The first drawing shows that the state is being read; the second has the code, or asks for a larger terminal.
        if (shown.split(pictureEnd).length > 2) interrupt();
      },
      env: { BOTCTL_CONFIG_DIR: home, EDITOR: 'true' },
    });
  } finally {
    clearTimeout(hangs);
    process.chdir(before);
    rmSync(home, { recursive: true, force: true });
  }
}

/** Returns a campaign whose name is an id, and whose list and messages are hostile. */
function hostileCampaign(origin: string): StoredCampaign {
  const { campaign, rows } = springCampaign(origin, anyId);
  const devices = campaign.devices.map((device) => ({ ...device, name: bookedName }));
  const hostileRow = { cells: [bookedName, bookedName], because: bookedName, text: bookedName };
  return {
    campaign: { ...campaign, devices, message: bookedName },
    rows: rows.map((row) => ({ ...row, ...hostileRow })),
  };
}

/**
 * Returns the first example, with ids in place of names. A list has no options except files, because a filter would
 * leave no rows.
 */
function wordsFor(walked: Walked): readonly string[] {
  const nowhere = { variables: { URL: '', ID: '' } };
  const given = walked.values(nowhere);
  if (walked.command.output.kind === 'list' && walked.command.effect === 'reads') {
    const positional = given.filter(({ label }) => label.startsWith('<'));
    const required = given.filter(({ label }) => label === '--file' || label === '--out');
    const options = required.flatMap(({ label, value }) => [label, value]);
    return [
      ...walked.path.split(' '),
      ...positional.map(({ noun, value }) => (noun ? anyId : value)),
      ...options,
    ];
  }
  const values = new Map(given.map((value) => [value.at, value]));
  return walked.words(nowhere).map((word, at) => {
    const noun = values.get(at)?.noun;
    if (noun !== undefined && noun !== 'profile') return anyId;
    return word === 'menu.txt' ? fileName : word;
  });
}

/** Expects that a read succeeds; a change may be refused for the hostile data it received, but never crashes. */
function expectUnbroken({ path, command }: Walked, { exitCode, stderr }: Ran): void {
  // A plan that can't be carried out exits with 2. So does mcp on a terminal, because only programs use it.
  const codes = path === 'tenants plan' || path === 'mcp' ? [2] : [0, 11, 130];
  if (command.effect === 'reads') expect(codes, stderr).toContain(exitCode);
  else expect(exitCode, stderr).not.toBe(1);
}

function expectHarmless(text: string): void {
  const rest = withoutOwnSequences(text).replaceAll('\r', '');
  const at = rest.search(obeyed);
  expect(at < 0 ? '' : JSON.stringify(rest.slice(Math.max(at - 40, 0), at + 40))).toBe('');
}

/** Expects that every line of the result fits, except a single word that is copied whole. */
function expectFitting(stdout: string, columns: number): void {
  for (const line of withoutOwnSequences(stdout)
    .split('\n')
    .filter((one) => !copiedWhole.test(one)))
    expect(terminalWidth(line), line).toBeLessThanOrEqual(columns);
}

/** Expects that every column starts at the same place on every line, below its heading. */
function expectAligned(stdout: string, fields: Fields): void {
  const [heading = '', ...lines] = withoutOwnSequences(stdout).trimEnd().split('\n');
  const numbers = fields
    .filter(({ kind }) => kind === 'number' || kind === 'bytes')
    .map(({ name, heading: words }) => (words ?? name).replace(/[_.]/g, ' ').toUpperCase());
  for (const { 0: title, index } of heading.matchAll(/\S+(?: \S+)*/g)) {
    // Numbers are right-aligned to their heading.
    const start = numbers.includes(title) ? index + title.length + 2 : index;
    if (start < 2 || start > terminalWidth(heading)) continue;
    for (const line of lines) {
      if (terminalWidth(line) <= start) continue;
      expect(columnsOf(line).slice(start - 2, start), `${title} in ${line}`).toEqual([' ', ' ']);
    }
  }
}

/**
 * Returns the text that starts in each column; the second column of a wide character is empty. A combining mark without
 * its own letter belongs to the space before it.
 */
function columnsOf(line: string): readonly string[] {
  return [...new Intl.Segmenter().segment(line)].flatMap(({ segment }) => {
    const width = terminalWidth(segment);
    return width === 0 ? [] : [segment.charAt(0), ...Array.from({ length: width - 1 }, () => '')];
  });
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(Array.isArray(value) ? [] : [name]),
    ...stringsIn(inner),
  ]);
}

const isPrinted = ({ command: { output } }: Walked): boolean =>
  output.kind === 'list' || output.kind === 'record' || output.kind === 'events';

/** A status with which a command waits for a phone. */
const waits: Hostility['sane'] = {
  status: 'started',
  connected: false,
  logged_in: false,
  qr_code: dataUrl(drawCode('2@code,of,the=device')),
};
const sane = (path: string): Hostility => (waiting.includes(path) ? { sane: waits } : {});

describe('hostile text from the service', () => {
  it.each(callers)('reaches no terminal raw from $path', async (walked) => {
    const { path, command } = walked;
    const screens = [[0, 80] as const, [7, 40] as const];
    for (const [from, columns] of screens) {
      const service = await startHostileService({ from, ...sane(path) });
      const ran = await attempt(walked, service, [], { terminal: { columns, rows: 24 } });
      expectUnbroken(walked, ran);
      expectHarmless(ran.stdout);
      expectHarmless(ran.stderr);
      const { output } = command;
      // Preformatted texts, such as bodies, diffs and JSON, are not wrapped.
      if (
        output.kind === 'text' ||
        command.format ||
        (output.kind === 'list' && (output.draw || output.drawEach))
      )
        continue;
      expectFitting(ran.stdout, columns);
      if (output.kind === 'list') expectAligned(ran.stdout, output.fields);
    }
  });

  it.each(callers)('of a refusal reaches no terminal raw from $path', async (walked) => {
    const service = await startHostileService({ refuses: true });
    for (const more of [[], ['--debug'], ['-o', 'json']]) {
      const ran = await attempt(walked, service, more, { terminal: { columns: 80, rows: 24 } });
      expectHarmless(ran.stdout);
      expectHarmless(ran.stderr);
      if (more.includes('json') && ran.exitCode !== 0) {
        const { error } = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '');
        // The code is shown unchanged; other texts are shown whole or in a sentence.
        expect(error).toMatchObject({ exit: ran.exitCode });
      }
    }
  });

  const printed = callers.filter((walked) => isPrinted(walked) && !(walked.path in terminalOnly));
  it.each(printed)(
    'stays complete in JSON and YAML, and in its cell in CSV and TSV, from $path',
    async (walked) => {
      const { path, command } = walked;
      const inFormat = async (format: string) => {
        const service = await startHostileService(sane(path));
        const ran = await attempt(walked, service, ['-o', format]);
        expectUnbroken(walked, ran);
        expectHarmless(ran.stdout);
        expectHarmless(ran.stderr);
        return { service, stdout: ran.exitCode === 0 || ran.exitCode === 11 ? ran.stdout : undefined };
      };
      const json = await inFormat('json');
      // Refused for the data it received, so there is no JSON.
      if (json.stdout === undefined) return;
      const values = [JSON.parse(json.stdout)];
      const strange = stringsIn(values).filter((text) => texts.includes(text) && text !== bookedName);
      for (const text of strange) expect([...json.service.told]).toContain(text);
      const isAsServed = /^(?:teams|bots|docs|keys) (?:get|list)$/.test(path);
      if (isAsServed) expect(values[0]).toEqual(rowsOf(json.service.lastData));
      if (command.output.kind === 'events') return;

      // This machine has not recorded any device state yet.
      if (path === 'device history') return;

      for (const format of ['yaml', 'csv', 'tsv'] as const) {
        const { service, stdout = '' } = await inFormat(format);
        if (format === 'csv') expectTable(csvTable(stdout));
        else if (format === 'tsv') {
          const cells = tsvTable(stdout);
          if (command.output.kind === 'list') expectTable(cells);
        } else {
          const parsed: unknown = parse(stdout);
          if (isAsServed) expect(parsed).toEqual(rowsOf(service.lastData));
        }
      }
    },
  );

  it('reaches no terminal raw from the device book', async () => {
    const list = commands.find(({ path }) => path === 'device list');
    if (!list) throw new Error('there is no device list');
    const service = await startHostileService();
    for (const columns of [40, 80]) {
      const ran = await attempt(list, service, [], { terminal: { columns, rows: 24 } });
      expect(ran.exitCode, ran.stderr).toBe(0);
      expectHarmless(ran.stdout);
      expectFitting(ran.stdout, columns);
    }
  });
});

function rowsOf(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'bots' in data ? data.bots : data;
}

describe('any text', () => {
  const fields: Fields = [
    { name: 'id', kind: 'id', importance: 9 },
    { name: 'name', importance: 8 },
    { name: 'state', kind: 'state' },
    { name: 'size', kind: 'bytes' },
    { name: 'at', kind: 'time', importance: 2 },
  ];
  const row = fc.record({
    id: anyText,
    name: anyText,
    state: anyText,
    size: fc.oneof(fc.nat(), anyText),
    at: anyText,
  });
  const many = { numRuns: 60 };

  it('stays in its column of a table, without control sequences', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 30, max: 120 }),
        async (rows, columns) => {
          const { text } = await presented(rows, { kind: 'list', fields }, { columns });
          expectHarmless(text);
          expectFitting(text, columns);
          expectAligned(text, fields);
        },
      ),
      many,
    );
  });

  it('stays in its place on a card, without control sequences', async () => {
    await fc.assert(
      fc.asyncProperty(row, fc.integer({ min: 30, max: 120 }), async (one, columns) => {
        const { text } = await presented(one, { kind: 'record', fields }, { columns });
        expectHarmless(text);
        expectFitting(text, columns);
      }),
      many,
    );
  });

  it('stays complete in JSON and YAML, and in its cell in CSV and TSV', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async (rows) => {
        const inFormat = async (output: 'json' | 'yaml' | 'csv' | 'tsv') => {
          const { text } = await presented(rows, { kind: 'list', fields }, { output });
          expectHarmless(text);
          return text;
        };
        expect(JSON.parse(await inFormat('json'))).toEqual(rows);
        expect(parse(await inFormat('yaml'))).toEqual(rows);
        const csv = csvTable(await inFormat('csv'));
        expect(csv).toHaveLength(rows.length + 1);
        expectTable(csv);
        const tsv = tsvTable(await inFormat('tsv'));
        expect(tsv).toHaveLength(rows.length);
        expectTable(tsv);
      }),
      many,
    );
  });
});
