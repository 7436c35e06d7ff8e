import { hostname, userInfo } from 'node:os';
import type { Io } from '../lib/io.ts';
import { oneLine } from '../lib/text/sentence.ts';
import type { Identity } from '../settings/settings.ts';

/** The person and the machine that act, as others see them. Names are not authenticated. */
export interface Actor {
  /** The operator that the profile names, else `user@host`. */
  readonly by: string;
  readonly host: string;
}

/** The maximum number of characters of a stored name. */
const maxName = 64;

/** The maximum number of characters of a program's name. It leaves room for the person's name. */
const maxProgramName = 24;

/**
 * Returns the actor of this process. A program that acts for a person is named too: `Claude for Ana`.
 * @param redact masks secrets: names go to a database
 */
export function actorOf({
  io,
  identity,
  redact,
}: {
  readonly io: Pick<Io, 'assistant'>;
  readonly identity: Partial<Pick<Identity, 'settings'>>;
  redact(text: string): string;
}): Actor {
  const host = oneLine(redact(hostname()), maxName) || 'unknown';
  const { operator } = identity.settings ?? {};
  const person = operator ?? `${userName()}@${host}`;
  const program = oneLine(io.assistant?.name ?? '', maxProgramName);
  const by = program === '' ? person : `${program} for ${person}`;
  return { by: oneLine(redact(by), maxName), host };
}

/**
 * Returns an actor as others see it: `Ana (front-2)`. Both names are chosen on that machine, so they are cut to one
 * line.
 * @returns undefined if the name is unknown
 */
export function actorText(by: string | undefined, from: string | undefined): string | undefined {
  const [name, host] = [by, from].map((text) => oneLine(text ?? '', maxName));
  if (!name) return undefined;
  // Without a configured operator, the name is `user@host`.
  return !host || name.endsWith(`@${host}`) ? name : `${name} (${host})`;
}

/** A container may run with a user id that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
