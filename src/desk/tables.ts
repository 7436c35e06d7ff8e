import type { ColumnType, Generated } from 'kysely';

/** A column that a row is inserted with, and that never changes. */
type Constant<T> = ColumnType<T, T, never>;

/** A column that the database sets, and that never changes. */
type Assigned<T> = ColumnType<T, never, never>;

// Anyone with write access may have stored anything, so rows are parsed when they are read.

/** The desk itself, in one row. */
export interface DeskTable {
  /** A UUID. A desk that is created again at the same address has another one. */
  readonly id: Assigned<string>;
  /** Always true, and unique: there is no second row. */
  readonly is_only: Assigned<boolean>;
  /** How long the history is kept, in milliseconds. Inserts remove older rows, at most 100 each. */
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
  /** The user who connected with the database (`session_user`). */
  readonly db_user: Assigned<string>;
}

/**
 * A record of the device book, as in `devices.ndjson`. Places grow in the order of the commits: an insert acquires the advisory lock
 * `bookLock`.
 */
export interface BookRecordTable extends AuthoredTable {
  /** A JSON object; inserted as text. PostgreSQL refuses the character 0 in it. */
  readonly record: ColumnType<unknown, string, never>;
  /** When it was inserted. */
  readonly at: Assigned<Date>;
}

/** An event of a device. Places are not in the order of the commits. */
export interface HistoryTable extends AuthoredTable {
  /** The id of the device. */
  readonly device: Constant<string>;
  /** Such as `paired` or `lost`: see `DeviceEvent`. */
  readonly event: Constant<string>;
  /** Why, in the service's words. */
  readonly reason: Constant<string | null>;
  /** When the service says that the device was disconnected last. */
  readonly lost_at: Constant<Date | null>;
  readonly phone_number: Constant<string | null>;
  /** When it happened, never after `recorded_at`: the time of the insert unless the writer says an earlier one. */
  readonly at: ColumnType<Date, Date | undefined, never>;
  /** When it was inserted. */
  readonly recorded_at: Assigned<Date>;
}

/** The last reading of a device by a watcher, and which watcher reads it next. */
export interface ReadingTable extends ServiceTable {
  /** A UUID for the API keys that see the same devices: see `ServiceKeyTable`. */
  readonly account: Constant<string>;
  /** The id of the device. */
  readonly device: Constant<string>;
  /** The status as the service answered it, without secrets; null before the first reading. Written as text. */
  readonly status: ColumnType<unknown, string | null, string | null>;
  readonly read_at: Date | null;
  /** A UUID of the last change; hooks run once for it. */
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

/** An API key, and the account that it belongs to. */
export interface ServiceKeyTable extends ServiceTable {
  /** The id of the key, which is no secret. */
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
