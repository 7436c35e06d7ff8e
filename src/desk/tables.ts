import type { ColumnType, Generated } from 'kysely';

/** A column that is set when a row is inserted and never changes. */
type Constant<T> = ColumnType<T, T, never>;

/** A column that the database sets and that never changes. */
type Assigned<T> = ColumnType<T, never, never>;

// Anyone with write access can store anything, so rows are parsed when they are read.

/** The desk itself, as a single row. */
export interface DeskTable {
  /** A UUID. A desk that is created again at the same address has a new one. */
  readonly id: Assigned<string>;
  /** Always true and unique, so that there is only one row. */
  readonly is_only: Assigned<boolean>;
  /** How long the history is kept, in milliseconds. Each insert removes at most 100 older rows. */
  readonly keep_ms: Generated<number>;
  /** The version of botctl that migrated the database last. An older one may not know its tables. */
  readonly botctl_version: Generated<string>;
}

/** A row about a service. */
interface ServiceTable {
  /** Scheme, host and port of the service. */
  readonly origin: Constant<string>;
}

/** A row that is only inserted, with its author. */
interface AuthoredTable extends ServiceTable {
  /** Increases with each row, and orders rows of the same time. */
  readonly place: Assigned<number>;
  /** A UUID that the writer chose, so that a row is not inserted twice. */
  readonly id: Constant<string>;
  /** The operator of the profile, else `user@host`: see `Actor`. */
  readonly actor: Constant<string>;
  /** The host name of the machine. */
  readonly host: Constant<string>;
  /** The user of the connection (`session_user`). */
  readonly db_user: Assigned<string>;
}

/**
 * A record of the device book, as in `devices.ndjson`. Places follow the order of commits: an insert acquires the
 * advisory lock `bookLock`.
 */
export interface BookRecordTable extends AuthoredTable {
  /** A JSON object, inserted as text. PostgreSQL does not accept the character 0 in it. */
  readonly record: ColumnType<unknown, string, never>;
  /** When it was inserted. */
  readonly at: Assigned<Date>;
}

/** An event of a device. Places do not follow the order of commits. */
export interface HistoryTable extends AuthoredTable {
  /** The id of the device. */
  readonly device: Constant<string>;
  /** Such as `paired` or `lost`: see `DeviceEvent`. */
  readonly event: Constant<string>;
  /** The reason in the service's words. */
  readonly reason: Constant<string | null>;
  /** The time of the last disconnect, according to the service. */
  readonly lost_at: Constant<Date | null>;
  readonly phone_number: Constant<string | null>;
  /**
   * When it happened, never after `recorded_at`. It is the time of the insert unless the writer sets an earlier one.
   */
  readonly at: ColumnType<Date, Date | undefined, never>;
  /** When it was inserted. */
  readonly recorded_at: Assigned<Date>;
}

/** The last reading of a device, and the watcher that reads the device next. */
export interface ReadingTable extends ServiceTable {
  /** A UUID for the API keys that see the same devices: see `ServiceKeyTable`. */
  readonly account: Constant<string>;
  /** The id of the device. */
  readonly device: Constant<string>;
  /** The status as the service returned it, without secrets; null before the first reading. Written as text. */
  readonly status: ColumnType<unknown, string | null, string | null>;
  readonly read_at: Date | null;
  /** A UUID of the last change. Hooks run once for each. */
  readonly change: string | null;
  /** Whether a second reading confirmed the last change. */
  readonly confirmed: boolean | null;
  /** The operator of the watcher that read it, else `user@host`. */
  readonly observer: string | null;
  /** The host name of that watcher. */
  readonly host: string | null;
  /** When the next reading is due. */
  readonly due_at: Date | null;
  /** A UUID of the watcher that reads it now. */
  readonly lease: string | null;
  /** The interval of that watcher, in milliseconds. */
  readonly interval_ms: number | null;
}

/** An API key and its account. */
export interface ServiceKeyTable extends ServiceTable {
  /** The id of the key, which is not a secret. */
  readonly key_id: Constant<string>;
  /** A UUID, the same for all keys that see the same devices. */
  readonly account: string;
}

/** A run of a hook for a change of a device. Old ones are removed with the history. */
export interface HookRunTable extends ServiceTable {
  /** A UUID: see `ServiceKeyTable`. */
  readonly account: Constant<string>;
  /** The name of the hook. */
  readonly hook: Constant<string>;
  /** The id of the device. */
  readonly device: Constant<string>;
  /** The UUID of the change: see `ReadingTable`. */
  readonly change: Constant<string>;
  readonly claimed_at: Generated<Date>;
}

/** The tables of a desk. */
export interface DeskTables {
  readonly desk: DeskTable;
  readonly book_records: BookRecordTable;
  readonly history: HistoryTable;
  readonly readings: ReadingTable;
  readonly service_keys: ServiceKeyTable;
  readonly hook_runs: HookRunTable;
}
