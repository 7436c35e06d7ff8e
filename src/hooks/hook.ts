import { createHash } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Io } from '../lib/io.ts';
import type { Reporter } from '../lib/reporter.ts';
import { oneLine } from '../lib/text/sentence.ts';
import type { RedactedStream } from '../secrets/redactor.ts';

/** The context of hooks. A command's session has all of it. */
export interface HookContext {
  readonly clock: Clock;
  /** Shows warnings and the output of children on stderr, sanitised and with secrets masked. */
  readonly reporter: Pick<Reporter, 'note' | 'warn'>;
  /** Masks every secret known by now. */
  redact(text: string): string;
  /** Returns a stream that masks text that arrives in pieces. */
  redactStream(): RedactedStream;
  readonly io: Pick<Io, 'env'>;
}

/** The input of a hook for one change. */
export interface Delivery {
  /** UUID, the same for each attempt. */
  readonly id: string;
  /** The event as JSON, in one line. */
  readonly body: string;
  /** The name of the device in a sentence. */
  readonly device: string;
}

/** A command or an address that receives each change. */
export interface Hook {
  readonly kind: 'exec' | 'webhook';
  /** The name that identifies the hook to other watchers of the same devices. */
  readonly name: string;
  /** Its name in messages: `./notify.sh`, `night (hooks.example.com)`. */
  readonly label: string;
  /**
   * Delivers a change. Returns the problem as a clause, or undefined if it succeeded; never throws.
   * @param signal ends the delivery early
   */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<string | undefined>;
  /** Releases its connections. */
  close(): Promise<void>;
}

/** Returns the name of an unnamed hook: the same for the same words on every machine. */
export function digestName(kind: Hook['kind'], words: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(words)).digest('hex');
  return `${kind}-${digest.slice(0, 12)}`;
}

/**
 * Returns the name of a hook in messages.
 * @param name as the user gave it
 * @param target its command or its host
 */
export function hookLabel(
  name: string | undefined,
  target: string,
  { redact }: Pick<HookContext, 'redact'>,
): string {
  return name === undefined ? target : `${oneLine(redact(name), 80)} (${target})`;
}
