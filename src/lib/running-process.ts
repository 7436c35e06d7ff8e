import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from './errors.ts';

/** A process, as others of its machine recognize it. */
export interface RunningProcess {
  readonly pid: number;
  /** Start time of the process in the system's own unit, or undefined if it can't be read. */
  readonly started: string | undefined;
  /** Where it runs: see `processView`. */
  readonly view: string;
}

/** Start time of this process, once it was read. */
let ownStartTime: string | undefined;

/** Returns this process, for others to test it with `hasEnded`. */
export function thisProcess(): RunningProcess {
  ownStartTime ??= readProcessState(process.pid)?.started;
  return { pid: process.pid, started: ownStartTime, view: processView() };
}

/** Returns whether a process has ended for certain: it ran here, and no process or another one has its number. */
export function hasEnded({ pid, started, view }: RunningProcess): boolean {
  return view === processView() && isGone(pid, started);
}

let ownView: string | undefined;

/**
 * Returns where this process runs: processes of the same place see each other, and no others. On Linux that is a PID namespace
 * since one start of the machine; the first namespace has the same number on every machine.
 */
export function processView(): string {
  ownView ??= readView();
  return ownView;
}

function readView(): string {
  const boot = bootId();
  try {
    if (boot !== undefined) return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // The name of a system without namespaces.
  }
  return `${process.platform} ${hostname()}`;
}

/** Returns whether a process has ended: no process has its number, or one that started at another time. */
export function isGone(pid: number, started: string | undefined): boolean {
  if (!isAlive(pid)) return true;
  const now = readProcessState(pid);
  if (now === undefined) return false;
  // Another process has the number now. In a container the first process always has the same one.
  return now.isDead || (started !== undefined && now.started !== started);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be signalled, but it lives.
    return errorCode(error) !== 'ESRCH';
  }
}

/** Returns the state and start time that Linux gives of a process, or undefined elsewhere, and if they may not be read. */
export function readProcessState(pid: number): { started: string; isDead: boolean } | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // proc(5): what follows the name, which may hold anything, begins with field 3, the state; 22 is the start.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = bootId();
    if (boot === undefined) return undefined;
    // A zombie has ended, and its parent hasn't read its exit status.
    return { started: `${boot}/${fields[19]}`, isDead: ['Z', 'X'].includes(fields[0] ?? '') };
  } catch {
    return undefined;
  }
}

/** Returns the id of this start of the machine, or undefined if the system has none. */
function bootId(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
