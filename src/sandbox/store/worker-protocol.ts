/** What the worker is given at its start. */
export interface WorkerStart {
  /** The path of its cluster. */
  readonly cluster: string;
  readonly module: WebAssembly.Module;
}

/** A statement for the worker. */
export interface WorkerQuery {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Whether a transaction begins with it. */
  readonly begins: boolean;
}

/** Requests to the worker. */
export type WorkerRequest = WorkerQuery | 'close';

/** The outcome of a statement. */
export interface WorkerResult {
  /** `INSERT`, `BEGIN` and so on. */
  readonly command: string;
  readonly rowCount: number;
  readonly rows: unknown[];
}

/** An error of the database, without the rest of what PGlite puts into it. */
export interface PlainError {
  /** SQLSTATE where PostgreSQL spoke. */
  readonly code: string | undefined;
  readonly message: string;
}

/** Messages of the worker. */
export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly result: WorkerResult }
  | { readonly kind: 'error'; readonly id: number; readonly error: PlainError }
  /** The database can't go on; the worker ends. */
  | { readonly kind: 'failed'; readonly error: PlainError };
