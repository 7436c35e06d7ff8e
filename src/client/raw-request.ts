import type { Failure } from '../lib/errors.ts';
import type { UploadFile } from './upload.ts';

/** A call of any path, declared in the contract or not. */
export interface RawRequest {
  /** Upper case. */
  readonly method: string;
  /** Path at the origin of the base address, its prefix included, and query; percent-encoded. */
  readonly path: string;
  /** A JSON body, sent as it is. */
  readonly json?: string | undefined;
  /** A file to send as a multipart form, with text fields beside it. */
  readonly upload?:
    | { readonly file: UploadFile; readonly fields: Readonly<Record<string, string>> }
    | undefined;
}

/** The answer of a raw call, whatever its status. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; secrets masked. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as it came, secrets and all. */
  readonly bytes: Uint8Array;
  /** The data in the envelope of a success, if the body has one. */
  readonly data: unknown;
  /** Why the answer is no success. */
  readonly failure: Failure | undefined;
  /** The refusal shows that an attempt before, whose answer was lost, has done the work. */
  readonly settled: boolean;
}
