import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely';
import type { Database } from '../../database/open.ts';

/** The store's tables as typed for Kysely. The schema itself is in `schema.ts`. */
export interface Tables {
  api_keys: ApiKeysTable;
  teams: TeamsTable;
  users: UsersTable;
  documents: DocumentsTable;
  bots: BotsTable;
  bot_documents: BotDocumentsTable;
  devices: DevicesTable;
  messages: MessagesTable;
  state: StateTable;
  first_keys: FirstKeysTable;
  service: ServiceTable;
}

type Time = ColumnType<Date, Date, Date>;
type OptionalTime = ColumnType<Date | null, Date | null | undefined, Date | null>;

export interface ApiKeysTable {
  key_id: string;
  /** SHA-256 of the secret. */
  secret_hash: Uint8Array;
  name: string;
  scope: string;
  is_active: boolean;
  expires_at: OptionalTime;
  last_used: OptionalTime;
  created_at: Time;
}

export interface TeamsTable {
  id: string;
  name: string;
  /** As `foldForSearch` returns it. */
  name_folded: string;
  plan_name: string;
  paying: boolean;
  banned: boolean;
  quota_bots: number;
  quota_accounts: number;
  quota_characters: number;
  quota_documents: number;
  quota_members: number;
  quota_credits: number;
  created_at: Time;
  updated_at: Time;
}

export interface UsersTable {
  id: string;
  team_id: string;
  name: string;
  email: string;
  /** The address as `foldForSearch` returns it, which is unique; null if teams might share addresses when it was stored. */
  email_key: string | null;
  phone: string;
  created_at: Time;
}

export interface DocumentsTable {
  id: string;
  team_id: string;
  name: string;
  name_folded: string;
  type: string;
  size: number;
  provider_id: string;
  /** Without the dot; part of `file_url` and of the file's name on disk. */
  extension: string;
  chars: number;
  created_at: Time;
  updated_at: Time;
}

export interface BotsTable {
  id: string;
  team_id: string;
  name: string;
  name_folded: string;
  role: string;
  description: string;
  provider_id: string;
  vector_id: string | null;
  instructions: string;
  temperature: number;
  published: boolean;
  allow_human: boolean;
  identification_name: string | null;
  use_audio_responses: boolean;
  allow_user_audio_requests: boolean;
  capture_payments: boolean;
  break_lines: boolean;
  questions: JSONColumnType<{ question: string; answer: string }[]>;
  actions: JSONColumnType<Record<string, unknown>[]>;
  created_at: Time;
  updated_at: Time;
}

export interface BotDocumentsTable {
  bot_id: string;
  document_id: string;
  position: number;
}

export interface DevicesTable {
  id: string;
  team_id: string;
  bot_id: string;
  name: string;
  status: string;
  connected: boolean;
  logged_in: boolean;
  blocked: boolean;
  phone_number: string | null;
  token: string;
  last_disconnect_reason: string | null;
  last_disconnect_at: OptionalTime;
  /** Number of its connections: each connection has its own codes. */
  connection: Generated<number>;
  /** The start of the first code of the current connection; the times of its codes are relative to this. */
  codes_from: OptionalTime;
  /** The time when a code of the current connection was first returned to a status caller. */
  shown_at: OptionalTime;
  /** The reason that a paired device isn't connected; null while it is, and while it isn't paired. */
  outage: ColumnType<Outage | null, Outage | null | undefined, Outage | null>;
  created_at: Time;
  updated_at: Time;
}

/** The reason that the session of a paired device is down. */
export type Outage =
  /** The phone can't be reached. */
  | 'offline'
  /** The user has not confirmed the scan on the phone. */
  | 'unconfirmed'
  /** Another session has replaced it. */
  | 'replaced'
  /** The messaging app blocks the number. */
  | 'blocked';

/** A sent message, as accepted by the messaging network. */
export interface MessagesTable {
  id: string;
  device_id: string;
  destination_number: string;
  message: string | null;
  send_as_audio: boolean;
  ai_generates_message: boolean;
  image_url: string | null;
  image_mime_type: string | null;
  created_at: Time;
  /** Grows with each message. */
  number: Generated<number>;
  /** The id of the request that sent it; null for messages from before such ids were stored. */
  request_id: string | null;
}

/** Single values of the sandbox itself, such as the clock's setting. */
export interface StateTable {
  name: string;
  value: JSONColumnType<Record<string, unknown>>;
}

/** First keys of data directories; a reset by another process with the database preserves them. */
export interface FirstKeysTable {
  key_id: string;
}

/** The service in a database, in a single row, which stays when the service is emptied. */
export interface ServiceTable {
  only_row: Generated<boolean>;
  /** Distinguishes databases. */
  id: string;
  /** Access tokens and pairing codes are derived from it. */
  signing_key: Uint8Array;
  /**
   * Whether several teams may have an administrator with the same e-mail address; null until the first start decides.
   */
  shares_emails: Generated<boolean | null>;
}

/** A row of the table of devices. */
export type Device = Selectable<DevicesTable>;

/** The sandbox's durable part: a database, and a directory for uploaded files. */
export interface Store extends Database<Tables> {
  /** Directory of the uploaded files. */
  readonly files: string;
  /** True if other processes may serve the same rows and files. */
  readonly isShared: boolean;
  /** Access tokens and pairing codes are derived from it. */
  readonly signingKey: Uint8Array;
}
