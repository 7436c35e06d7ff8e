import type { BinaryKind } from '../kind.ts';
import type { Counting } from './characters.ts';
import type { RefusalReason } from './not-counted.ts';
import type { ReadOptions } from './readers/reader.ts';

/** A file for the process that reads it. */
export interface ExtractRequest extends ReadOptions, Counting {
  readonly id: number;
  readonly kind: BinaryKind;
}

/** The number of characters of a file. */
export interface Extracted {
  readonly chars: number;
  /** Of each page by itself; absent where the format has none. White space between two pages is of neither. */
  readonly pages?: readonly number[] | undefined;
  /** The hash of its text, where it was asked for. */
  readonly digest?: string | undefined;
}

/** Its answer to a file. */
export type ExtractReply = { readonly id: number } & (
  | ({ readonly kind: 'counted' } & Extracted)
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly says?: string | undefined }
  /** The file system's code: the file was there a moment ago. */
  | { readonly kind: 'unreadable'; readonly code: string }
);
