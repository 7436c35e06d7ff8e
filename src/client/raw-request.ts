import type { Failure } from '../lib/errors.ts';
import type { UploadFile } from './upload.ts';

/** A call of any path, declared in the contract or not. */
export interface RawRequest {
  /** Upper case. */
  readonly method: string;
  /** Path at the origin of the base address, including its prefix, and query; percent-encoded. */
  readonly path: string;
  /** A JSON body, sent unchanged. */
  readonly json?: string | undefined;
  /** A file to send as a multipart form, with text fields. */
  readonly upload?:
    | { readonly file: UploadFile; readonly fields: Readonly<Record<string, string>> }
    | undefined;
}

/** The response to a raw call, for every status. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; secrets masked. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as received, including secrets. */
  readonly bytes: Uint8Array;
  /** The data in the envelope of a success, if the body has one. */
  readonly data: unknown;
  /** The failure if the response is not a success. */
  readonly failure: Failure | undefined;
  /** True if the error shows that an earlier attempt, whose response was lost, did the work. */
  readonly settled: boolean;
}
