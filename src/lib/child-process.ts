import type { ChildProcess } from 'node:child_process';

/**
 * Returns whether a command started by botctl gets its own process group, so that a signal reaches all its descendants.
 * At a terminal it stays in the group of botctl: Ctrl-C reaches all of them anyway, and only the foreground group may
 * read from the terminal.
 */
export function leadsGroup(hasTerminal: boolean): boolean {
  return process.platform !== 'win32' && !hasTerminal;
}

/** Sends a signal to a command, or to its whole process group if it leads one. */
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
    // The processes have already ended.
  }
}
