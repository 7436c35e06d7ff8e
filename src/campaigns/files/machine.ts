import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { Failure } from '../../lib/errors.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { Campaign } from '../campaign.ts';

/** A place where processes see each other: a machine, and the namespace of its processes where it has such. */
export interface Machine {
  readonly host: string;
  readonly pid_namespace?: string | undefined;
}

/** Returns where this process runs. */
export function thisMachine(): Machine {
  try {
    return { host: hostname(), pid_namespace: readlinkSync('/proc/self/ns/pid') };
  } catch {
    // Only Linux has them.
    return { host: hostname() };
  }
}

/** True if processes of both places see each other. */
export function isSameMachine(one: Machine, other: Machine): boolean {
  return one.host === other.host && one.pid_namespace === other.pid_namespace;
}

/**
 * Returns the failure for what another machine keeps: a process there may be sending, and nobody here could tell.
 * @param what the beginning of a sentence: `Campaign spring`
 * @param names the campaigns of the line
 */
export function ofOtherMachine(what: string, { host }: Machine, names: readonly string[]): Failure {
  const place = host === hostname() ? `a container of ${host}, or the machine itself` : host;
  return new Failure('invalidInput', `${what} belongs to ${place}, whose processes are not seen here.`, {
    hint: remark`Once none of them sends any more, move it here: ${command('campaigns', 'run', ...names, '--move-here')}`,
  });
}

/**
 * Checks that a campaign belongs to this machine: its lock says nothing to processes that don't see each other.
 * @throws Failure `invalidInput` where it doesn't
 */
export function checkMachine({ name, made_on }: Pick<Campaign, 'name' | 'made_on'>): void {
  if (isSameMachine(made_on, thisMachine())) return;
  throw ofOtherMachine(`Campaign ${inSentence(name)}`, made_on, [name]);
}
