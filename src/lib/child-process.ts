import type { ChildProcess } from 'node:child_process';

/**
 * Returns whether a command that botctl runs is to lead a process group of its own, so that a signal to it is one to
 * all that it has started. At a terminal, whose Ctrl-C goes to all of them, it stays in the group of botctl: only that
 * may ask there.
 */
export function leadsGroup(hasTerminal: boolean): boolean {
  return process.platform !== 'win32' && !hasTerminal;
}

/** Sends a signal to a command, and where it leads a group to all of that. */
export function signalCommand(
  child: ChildProcess,
  isGroup: boolean,
  signal: NodeJS.Signals = 'SIGTERM',
): void {
  if (!isGroup || child.pid === undefined) {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // They have ended by themselves.
  }
}
