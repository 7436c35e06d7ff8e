import * as z from 'zod/mini';
import { isObject } from '../../lib/json-object.ts';
import type { Campaign, CampaignRow } from '../campaign.ts';
import { frozenMembers, outcomeMembers, rowSchema, whole } from '../kept-form.ts';
import { padded } from '../named.ts';
import { type RowState, rowStates } from '../row-state.ts';
import type { NewCampaign } from '../store.ts';
import type { IndexedRow } from './row-index.ts';

const headSchema = z.strictObject({ version: z.literal(1), ...frozenMembers });

const endSchema = z.strictObject({ end: whole });

/** What became of a row: a line behind the end of the rows. */
const outcomeSchema = z.strictObject({ row: whole, ...outcomeMembers });

/** What became of a row, as a line has it. */
export type RowOutcome = z.infer<typeof outcomeSchema>;

/** Characters that are written at a time: so few that V8 doesn't take them for what stays. */
const pieceChars = 16 * 1024;

/** Returns the first line of a campaign's file: what is frozen. @throws ZodError for what could not be read again: nobody could delete it either */
export function headLine(campaign: Campaign): string {
  return `${JSON.stringify(z.parse(headSchema, { version: 1, ...campaign }))}\n`;
}

/** Returns the line of a row. */
export function rowLine(row: CampaignRow): string {
  return `${JSON.stringify(row)}\n`;
}

/** Returns the line behind the rows: how many they are. */
export function endLine(end: number): string {
  return `${JSON.stringify({ end })}\n`;
}

/** Yields the text of a new campaign's file: what is frozen, its rows, how many they are. */
export async function* campaignPieces({ campaign, rows }: NewCampaign): AsyncGenerator<string, void> {
  let piece = headLine(campaign);
  let count = 0;
  for await (const row of rows) {
    count += 1;
    piece += rowLine(row);
    if (piece.length < pieceChars) continue;
    yield piece;
    piece = '';
  }
  yield piece + endLine(count);
}

/** Returns what is frozen of a campaign, of its line; undefined if that is none. */
export function campaignIn(value: unknown): Campaign | undefined {
  const { success, data } = z.safeParse(headSchema, value);
  if (!success) return undefined;
  const { version: _, ...campaign } = data;
  return campaign;
}

/** Returns how many rows there are, of the line that says so; undefined if that is none. */
export function endIn(value: unknown): number | undefined {
  const { success, data } = z.safeParse(endSchema, value);
  return success ? data.end : undefined;
}

/** Returns how a row stands, of its line or of one that says what became of it; undefined if that is none. The rest of it is looked at with `rowIn`. */
export function standingIn(value: unknown): IndexedRow | undefined {
  if (!isObject(value)) return undefined;
  const { row, state, device, attempts, reason } = value;
  if (!isWhole(row) || !isRowState(state) || !isWholeOrNone(device) || !isWholeOrNone(attempts))
    return undefined;
  if (reason !== undefined && typeof reason !== 'string') return undefined;
  return { row, state, device, attempts, reason };
}

/** Returns what became of a row, of its line; undefined if that is none. */
export function outcomeIn(value: unknown): RowOutcome | undefined {
  return z.safeParse(outcomeSchema, value).data;
}

/**
 * Returns a row as it stands: reason and words are those of its last change.
 * @param value its line
 * @param change the line of its last change, or undefined where nothing has changed
 * @param columns how many cells it has: rows of earlier lists lack the columns that a later one brings
 * @returns undefined if a line is none of a row
 */
export function rowIn(value: unknown, change: unknown, columns: number): CampaignRow | undefined {
  const made = z.safeParse(rowSchema, value);
  if (!made.success) return undefined;
  const row = padded(made.data, columns);
  if (change === undefined) return row;
  const outcome = outcomeIn(change);
  if (!outcome) return undefined;
  const { state, at, attempts, reason, because } = outcome;
  return { ...row, state, at, attempts, reason, because };
}

function isRowState(value: unknown): value is RowState {
  return rowStates.some((state) => state === value);
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isWholeOrNone(value: unknown): value is number | undefined {
  return value === undefined || isWhole(value);
}
