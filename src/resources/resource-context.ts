import type { Api } from '../client/api.ts';
import type { DeviceBook } from '../desk/device-book.ts';
import type { DeviceHistory } from '../desk/device-history.ts';
import type { Clock } from '../lib/clock.ts';
import type { Io } from '../lib/io.ts';
import type { AskWhich } from '../lib/match-name.ts';
import type { Reporter } from '../lib/reporter.ts';
import type { Secret } from '../secrets/secret.ts';
import type { Identity, Settings } from '../settings/settings.ts';

/**
 * The dependencies of the functions of this layer; each takes the part that it needs. A command's session has all of
 * them.
 */
export interface ResourceContext {
  readonly api: Api;
  /** The caller's identity, and where it was configured. */
  readonly identity: Identity;
  readonly settings: Settings;
  /** The device book of the service. */
  readonly devices: DeviceBook;
  /** The history of its devices. */
  readonly history: DeviceHistory;
  readonly clock: Clock;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
  /** Asks the user which object a name means; see `AskWhich`. */
  readonly askWhich: AskWhich;
  readonly io: Pick<Io, 'stdin'>;
  /** Returns a secret that is the result of the command; see `Context`. */
  reveal(secret: Secret): string;
  /** Masks all known secrets in a text for a file. */
  redact(text: string): string;
}
