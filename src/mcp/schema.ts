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
  const { declaration, options, numbers = [] } = tool;
  const hasRows = declaration.output.kind === 'list';
  const shape = new Map<string, z.ZodType>();
  for (const [name, { summary, optional, variadic, each }] of Object.entries(declaration.arguments)) {
    const type = variadic && !each && hasRows ? z.array(text).min(1).max(maxItems) : text;
    const described = type.describe(summary.replace(/; - reads .*$/, ''));
    shape.set(name, optional && hasRows ? described.optional() : described);
  }
  for (const name of options) {
    const option = ownMember(declaration.options, name);
    if (!option) throw new TypeError(`${tool.command} has no option ${name}`);
    const { kind, summary, choices, required } = option;
    const one = choices ? z.enum(choices) : numbers.includes(name) ? z.number() : text;
    const isSwitch = kind === 'flag' || kind === 'switch';
    const type = isSwitch ? z.boolean() : kind === 'many' ? z.array(one).max(maxItems) : one;
    shape.set(name, required ? type.describe(summary) : type.describe(summary).optional());
  }
  if (isPaged(tool)) {
    shape.set('limit', z.int().min(1).max(maxPageSize).default(defaultPageSize).describe('rows of a page'));
    shape.set('cursor', text.optional().describe('next_cursor of the previous page'));
  }
  return z.strictObject(Object.fromEntries(shape));
}

/** True if the result is a list that comes in pages. */
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

/** The rows of a list that a call asks for. */
export interface PageRequest {
  readonly limit: number;
  /** Rows before the page. */
  readonly skipped: number;
}

/**
 * Returns which rows a call asks for. The size of the first page holds for those after it.
 * @throws Failure `usage` if the cursor is not one of this server's
 */
export function pageOf({ limit = defaultPageSize, cursor }: ToolInput): PageRequest {
  if (cursor === undefined) return { limit: Number(limit), skipped: 0 };
  const [, size, skipped] = /^(\d{1,3})-(\d{1,9})$/.exec(String(cursor)) ?? [];
  const page = { limit: Number(size), skipped: Number(skipped) };
  if (page.limit >= 1 && page.limit <= maxPageSize && page.skipped % page.limit === 0) return page;
  throw usageFailure(['cursor must be the next_cursor of the previous page.']);
}

/** Returns the cursor of the page after one. */
export function cursorAfter({ limit, skipped }: PageRequest): string {
  return `${limit}-${skipped + limit}`;
}

/**
 * Returns the command line of a call. Every value is joined to its option or follows `--`, so that none is read as an option.
 */
export function lineOf(tool: LoadedTool, input: ToolInput): readonly string[] {
  const { declaration, options, adds = [], command } = tool;
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
  words.push(...adds, ...pageWords(tool, input));
  words.push('-o', 'ndjson', '--no-input', '--no-color');
  const operands = Object.keys(declaration.arguments).flatMap((name) =>
    [ownMember(input, name) ?? []].flat().map(String),
  );
  return operands.length > 0 ? [...words, '--', ...operands] : words;
}

/** A list that the service pages reads one page. Of any other, the rows before the page are read and dropped. */
function pageWords(tool: LoadedTool, input: ToolInput): readonly string[] {
  if (!isPaged(tool)) return [];
  const { limit, skipped } = pageOf(input);
  if (!isPagedByService(tool)) return [`--limit=${skipped + limit + 1}`];
  return [`--page=${Math.floor(skipped / limit) + 1}`, `--limit=${limit}`];
}

/** True if the service sends the list page by page. */
export function isPagedByService({ declaration }: LoadedTool): boolean {
  return 'page' in declaration.options;
}
