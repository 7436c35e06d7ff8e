import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Command } from '../cli/command.ts';
import { longFlag } from '../cli/options.ts';
import { usageFailure } from '../lib/errors.ts';
import { ownMember } from '../lib/json-object.ts';
import type { Tool } from './tools.ts';

/** The arguments of a call. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** A tool with the command that it runs. */
export interface LoadedTool extends Tool {
  readonly declaration: Command;
}

const maxItems = 50;
const maxPageSize = 100;
const defaultPageSize = 20;

const text = z.string();

/**
 * Returns the schema of a tool's input, made from the declaration of its command. Any other member is refused.
 */
export function inputSchema(tool: LoadedTool): z.ZodObject {
  const { declaration, options, numbers = [], inputs = {}, required = [] } = tool;
  const hasRows = declaration.output.kind === 'list';
  const shape = new Map<string, z.ZodType>();
  for (const [name, { summary, optional, variadic, each }] of Object.entries(declaration.arguments)) {
    const type = variadic && !each && hasRows ? z.array(text).min(1).max(maxItems) : text;
    const described = type.describe(ownMember(inputs, name) ?? summary.replace(/; - reads .*$/, ''));
    shape.set(name, optional && hasRows ? described.optional() : described);
  }
  for (const name of options) {
    const option = ownMember(declaration.options, name);
    if (!option) throw new TypeError(`${tool.command} has no option ${name}`);
    const { kind, summary, choices } = option;
    const one = choices ? z.enum(choices) : numbers.includes(name) ? z.number() : text;
    const isSwitch = kind === 'flag' || kind === 'switch';
    const type = isSwitch ? z.boolean() : kind === 'many' ? z.array(one).max(maxItems) : one;
    const described = type.describe(ownMember(inputs, name) ?? summary);
    shape.set(name, option.required || required.includes(name) ? described : described.optional());
  }
  if (isPaged(tool)) {
    shape.set('limit', z.int().min(1).max(maxPageSize).default(defaultPageSize).describe('rows of a page'));
    shape.set('cursor', text.optional().describe('next_cursor of the previous page'));
  }
  return z.strictObject(Object.fromEntries(shape));
}

/** True if the result is a list that is returned in pages. */
export function isPaged({ declaration, writes }: LoadedTool): boolean {
  return declaration.output.kind === 'list' && writes === undefined && 'limit' in declaration.options;
}

/** Returns the annotations of a tool. They are hints for the client's dialogs, and protect nothing. */
export function annotationsOf({ declaration: { effect, summary } }: LoadedTool) {
  return {
    title: summary,
    readOnlyHint: effect === 'reads',
    destructiveHint: effect !== 'reads' && effect !== 'creates',
    idempotentHint: effect === 'reads',
    openWorldHint: true,
  };
}

/** The rows of a list that a call requests. */
export interface PageRequest {
  readonly limit: number;
  /** Rows before the page. A multiple of `limit`. */
  readonly skipped: number;
  /** Distinguishes one search from another. */
  readonly search: string;
}

/**
 * Returns the rows that a call requests. A cursor contains the size of its page.
 * @throws Failure `usage` if the cursor belongs to another search
 */
export function pageOf(tool: LoadedTool, input: ToolInput): PageRequest {
  const { limit = defaultPageSize, cursor, ...filters } = input;
  const search = createHash('sha256')
    .update(JSON.stringify([tool.name, filters]))
    .digest('hex')
    .slice(0, 8);
  if (cursor === undefined) return { limit: Number(limit), skipped: 0, search };
  const [, size, skipped, asked] = /^(\d{1,3})-(\d{1,9})-([0-9a-f]{8})$/.exec(String(cursor)) ?? [];
  const page = { limit: Number(size), skipped: Number(skipped), search };
  if (asked === search && page.limit >= 1 && page.limit <= maxPageSize && page.skipped % page.limit === 0)
    return page;
  throw usageFailure(['cursor must be the next_cursor of the page before, with the same search.']);
}

/** Returns the cursor of the next page. @param count the rows shown of this page; `limit` for a whole page */
export function cursorAfter({ limit, skipped, search }: PageRequest, count = limit): string {
  return `${count}-${skipped + count}-${search}`;
}

/** Returns the command line of a call. @param isWhole true to read from the first row, instead of by page number */
export function lineOf(
  tool: LoadedTool,
  input: ToolInput,
  page?: PageRequest,
  isWhole = true,
): readonly string[] {
  const json = ['-o', 'ndjson', '--no-input', '--no-color'];
  const paging = page === undefined ? [] : pageWords(page, isWhole);
  return commandOf(tool, input, [...(tool.adds ?? []), ...paging, ...json]);
}

function pageWords({ limit, skipped }: PageRequest, isWhole: boolean): readonly string[] {
  // One more row shows whether there is another page.
  if (isWhole) return [`--limit=${skipped + limit + 1}`];
  return [`--page=${skipped / limit + 1}`, `--limit=${limit}`];
}

/**
 * Returns the command that does the same in a terminal. Every value is joined to its option or follows `--`, so that
 * none is parsed as an option.
 */
export function commandOf(
  tool: LoadedTool,
  input: ToolInput,
  more: readonly string[] = [],
): readonly string[] {
  const { declaration, options, command } = tool;
  const words = command.split(' ');
  for (const name of options) {
    const option = ownMember(declaration.options, name);
    const value = ownMember(input, name);
    if (!option || value === undefined) continue;
    const flag = longFlag(option);
    if (typeof value !== 'boolean') for (const one of [value].flat()) words.push(`${flag}=${String(one)}`);
    else if (value) words.push(flag);
    else if (option.kind === 'switch') words.push(flag.replace('--', '--no-'));
  }
  words.push(...more);
  const operands = Object.keys(declaration.arguments).flatMap((name) =>
    [ownMember(input, name) ?? []].flat().map(String),
  );
  return operands.length > 0 ? [...words, '--', ...operands] : words;
}

/** True if the service sends the list page by page. */
export function isPagedByService({ declaration }: LoadedTool): boolean {
  return 'page' in declaration.options;
}
