import { hostname, userInfo } from 'node:os';
import { oneLine } from '../lib/text/sentence.ts';
import type { Identity } from '../settings/settings.ts';

/** The person and the machine that act, as others see them. A name is no proof of identity. */
export interface Actor {
  /** The operator that the profile names, else `user@host`. */
  readonly by: string;
  readonly host: string;
}

/** Characters of a name that are stored. */
const maxName = 64;

/** Returns the actor of this process. @param redact masks secrets: names go to a database */
export function actorOf({
  identity,
  redact,
}: {
  readonly identity: Partial<Pick<Identity, 'settings'>>;
  redact(text: string): string;
}): Actor {
  const host = oneLine(redact(hostname()), maxName) || 'unknown';
  const { operator } = identity.settings ?? {};
  return { by: oneLine(redact(operator ?? `${userName()}@${host}`), maxName), host };
}

/**
 * Returns an actor as others see it: `Ana (front-2)`. Both are words of that machine, so they are cut to one line.
 * @returns undefined if the name is unknown
 */
export function actorText(by: string | undefined, from: string | undefined): string | undefined {
  const [name, host] = [by, from].map((text) => oneLine(text ?? '', maxName));
  if (!name) return undefined;
  // The name of a person without one is `user@host`.
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
