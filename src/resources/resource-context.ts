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
 * The context of the functions of this layer; each takes the part that it needs. A command's session has all of it,
 * and so may anything else that acts on the service.
 */
export interface ResourceContext {
  readonly api: Api;
  /** The caller's identity, and where it was configured. */
  readonly identity: Identity;
  readonly settings: Settings;
  /** The device book of the service. */
  readonly devices: DeviceBook;
  /** What was seen of its devices. */
  readonly history: DeviceHistory;
  readonly clock: Clock;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
  /** Asks a person which thing a name means; see `AskWhich`. */
  readonly askWhich: AskWhich;
  readonly io: Pick<Io, 'stdin'>;
  /** Returns a secret that is the result of the command; see `Context`. */
  reveal(secret: Secret): string;
  /** Masks every secret known by now in a text that goes to a file. */
  redact(text: string): string;
}
