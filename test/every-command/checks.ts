import { expect } from 'vitest';
import { parse } from 'yaml';
import { allCommands } from '../../src/commands/branches.ts';
import type { OutputShape } from '../../src/output/shape.ts';
import type { Ran } from '../support/botctl.ts';
import { checkSuggested } from './line.ts';

const commands = await allCommands();

export const scripted: Situation = { name: 'with -o json', terminal: false, more: ['-o', 'json'] };

/** The environments in which each command must keep the same contract. */
export const situations: readonly Situation[] = [
  { name: 'on a terminal', terminal: { columns: 80, rows: 24 }, more: [] },
  { name: 'in a pipe', terminal: false, more: [] },
  scripted,
];

/** The environment of a command. */
export interface Situation {
  readonly name: string;
  readonly terminal: false | { readonly columns: number; readonly rows: number };
  /** The arguments added to the command. */
  readonly more: readonly string[];
}

const anyEscape = /[\x1b\x9b]/;

/** Escape sequences for colours and text styles. */
const style = /\x1b\[[0-9;]*m/g;

/**
 * Escape sequences of progress and screens on a terminal's stderr: move, erase, hide and show the cursor, switch to the
 * alternate screen and back, and query the terminal's type.
 */
const movement = /\x1b\[(?:\d*[A-HJKST]|\d*;?\d*H|\?(?:7|25|1049|2026)[lh]|>q|c)|\x1b[78]/g;

/** Returns the text without botctl's own escape sequences. */
export function withoutOwnSequences(text: string): string {
  return text.replace(style, '').replace(movement, '');
}

/** A line of a stack trace, or the error name that starts one. */
const trace = /^\s+at .+(?:\(|:\d+)|^\w*Error\b.*:|\bnode:internal\b/m;

/** Checks that apply to every command, for any result. */
export function expectClean({ stdout, stderr }: Ran, { terminal }: Pick<Situation, 'terminal'>): void {
  expect(`${stdout}\n${stderr}`).not.toMatch(trace);
  if (!terminal) {
    expect(stdout).not.toMatch(anyEscape);
    expect(stderr).not.toMatch(anyEscape);
    // Every question begins with one of these.
    expect(stderr).not.toMatch(/^[?›] /m);
    return;
  }
  expect(stdout.replace(style, '')).not.toMatch(anyEscape);
  expect(withoutOwnSequences(stderr)).not.toMatch(anyEscape);
}

/** Expects an exit code; a failure shows the command and its stderr. */
export function expectExit(ran: Ran, exit: number, line: string): void {
  expect(ran.exitCode, `${line}\n${ran.stderr}`).toBe(exit);
}

/** Expects no colours on either stream. */
export function expectColourless({ stdout, stderr }: Ran): void {
  expect(stdout).not.toMatch(anyEscape);
  expect(stderr.match(style) ?? []).toEqual([]);
}

/** Checks a failure: nothing on stdout, a sentence on stderr, and with `-o json` one line of JSON. */
export function expectFailure(ran: Ran, exit: number, { more }: Pick<Situation, 'more'>): void {
  expect(ran.stdout).toBe('');
  expectTold(ran, exit, { more });
}

/** Expects a failure report on stderr, as JSON if requested. */
export function expectTold({ stderr, exitCode }: Ran, exit: number, { more }: Pick<Situation, 'more'>): void {
  expect(exitCode, stderr).toBe(exit);
  const lines = stderr.trimEnd().split('\n');
  if (more.length === 0) {
    expect(stderr.replace(style, '')).toMatch(/^✗ \S/m);
    return;
  }
  const told: unknown = JSON.parse(lines.at(-1) ?? '');
  expect(told).toEqual({ error: expect.anything() });
  const { error } = told as { error: Record<string, unknown> };
  const { details: _, ...members } = error;
  expect(Object.keys(members)).toEqual(['code', 'message', 'hint', 'next', 'status', 'exit']);
  expect(members).toMatchObject({
    code: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.stringMatching(/\S/),
    exit,
  });
  const next: readonly unknown[] = Array.isArray(error.next) ? error.next : [[]];
  for (const [program, ...words] of next.map((line) => (Array.isArray(line) ? line.map(String) : []))) {
    expect(program).toBe('botctl');
    checkSuggested(words, commands);
  }
  expect(lines.filter((line) => line.startsWith('{"error"'))).toHaveLength(1);
}

/** Checks the output of `-o json` against the declared kind, and returns its rows; a record is one row. */
export function jsonRows(stdout: string, shape: OutputShape): readonly object[] {
  if (shape.kind === 'nothing') {
    expect(stdout).toBe('');
    return [];
  }
  if (shape.kind === 'text') {
    expect(stdout.trim()).not.toBe('');
    return [];
  }
  const whole: unknown = JSON.parse(stdout);
  // If the command had nothing to wait for, it prints its one event without a list.
  const values: readonly unknown[] = shape.kind === 'events' ? [whole].flat() : [whole];
  if (shape.kind !== 'list') return values.map(asObject);
  const [list] = values;
  if (!Array.isArray(list)) throw new Error(`a list printed ${stdout.slice(0, 200)}`);
  return list.map(asObject);
}

function asObject(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`not an object: ${JSON.stringify(value)}`);
  return value;
}

/** Checks the stdout of a success against the declared kind of output. */
export function expectResult({ stdout }: Ran, shape: OutputShape, { terminal, more }: Situation): void {
  if (more.length > 0) {
    jsonRows(stdout, shape);
    return;
  }
  if (shape.kind === 'nothing') expect(stdout).toBe('');
  else expect(stdout.trim()).not.toBe('');
  if (terminal || shape.kind === 'nothing' || shape.kind === 'text') return;
  expect(stdout.endsWith('\n')).toBe(true);
  if (shape.kind === 'list') expectTable(tsvTable(stdout));
  else if (shape.kind === 'record') {
    for (const cells of tsvTable(stdout)) expect(cells).toHaveLength(2);
  } else if (stdout.startsWith('{')) for (const line of stdout.trimEnd().split('\n')) jsonRows(line, shape);
  else for (const cells of tsvTable(stdout)) expect(cells).toHaveLength(2);
}

/** Parses TSV into cells. */
export function tsvTable(text: string): readonly (readonly string[])[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => line.split('\t'));
}

/** Expects as many cells in each row as in the first, and at least one. */
export function expectTable(table: readonly (readonly string[])[]): void {
  const [first] = table;
  expect(first?.length ?? 0).toBeGreaterThan(0);
  expect(new Set(table.map((cells) => cells.length)).size).toBe(1);
}

/** Parses CSV strictly by RFC 4180. */
export function csvTable(text: string): readonly (readonly string[])[] {
  const table: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const found = cell.exec(text);
    if (!found) throw new Error(`no CSV from here on: ${text.slice(at, at + 80)}`);
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] !== ',') {
      table.push(row);
      row = [];
    }
  }
  expect(row).toEqual([]);
  return table;
}

export function yamlValue(text: string): unknown {
  return parse(text);
}
