import * as z from 'zod/mini';
import { count, timestamp } from '../../contract/schema.ts';
import { tables } from '../store/tables.ts';

/*
 * The file of an export, in lines of JSON: a head; the rows of all tables, each behind those that it refers to; the
 * bytes of the documents' files, in pieces; and an end that says how many lines there are before it, and their hash.
 */

export const formatName = 'botctl-sandbox';

export const formatVersion = 1;

/** Bytes of a file on one line, at most. */
export const pieceBytes = 192 * 1024;

/** The first line. */
export const head = z.strictObject({
  format: z.literal(formatName),
  version: z.literal(formatVersion),
  /** The last step of the database's schema. */
  schema: z.string(),
  /** By the machine's clock. */
  exported_at: timestamp,
  /** The sandbox's own clock at that moment. How it was set stands in its row of the table `state`. */
  clock: z.strictObject({ now: timestamp, frozen: z.boolean() }),
});

/** A row; times are written as text, bytes as base64. */
export const rowLine = z.strictObject({ table: z.enum(tables), row: z.unknown() });

/** A piece of the file of a document, which is named by its id. */
export const pieceLine = z.strictObject({ file: z.string(), data: z.base64() });

/** The last line. */
export const end = z.strictObject({ lines: count, sha256: z.string() });

export type Head = z.infer<typeof head>;
export type RowLine = z.infer<typeof rowLine>;
export type PieceLine = z.infer<typeof pieceLine>;
export type End = z.infer<typeof end>;
