import { readFileSync } from 'node:fs';

/**
 * Returns what tells this start of the machine from every other one, or undefined where the system doesn't say so. What was
 * written since it began is there, whether or not it has come to the disk.
 */
export function bootId(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
