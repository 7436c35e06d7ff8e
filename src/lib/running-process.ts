import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from './errors.ts';

/** The identity of a process, for other processes on its machine. */
export interface RunningProcess {
  readonly pid: number;
  /** Start time of the process in the system's own unit, or undefined if it can't be read. */
  readonly started: string | undefined;
  /** The namespace that it runs in: see `processView`. */
  readonly view: string;
}

/** Start time of this process, cached. */
let ownStartTime: string | undefined;

/** Returns the identity of this process, for others to check with `hasEnded`. */
export function thisProcess(): RunningProcess {
  ownStartTime ??= readProcessState(process.pid)?.started;
  return { pid: process.pid, started: ownStartTime, view: processView() };
}

/**
 * Returns whether a process has certainly ended: it ran in this namespace, and its pid is unused or belongs to another
 * process.
 */
export function hasEnded({ pid, started, view }: RunningProcess): boolean {
  return view === processView() && isGone(pid, started);
}

let ownView: string | undefined;

/**
 * Returns the namespace of this process: processes in the same one can see each other. On Linux it combines a PID
 * namespace with the boot id, because the first namespace has the same number on every machine.
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
    // The system has no namespaces.
  }
  return `${process.platform} ${hostname()}`;
}

/** Returns whether a process has ended: its pid is unused, or belongs to a process with another start time. */
export function isGone(pid: number, started: string | undefined): boolean {
  if (!isAlive(pid)) return true;
  const now = readProcessState(pid);
  if (now === undefined) return false;
  // Another process has the pid now. In a container the first process always has the same pid.
  return now.isDead || (started !== undefined && now.started !== started);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user can't be signalled, but it is running.
    return errorCode(error) !== 'ESRCH';
  }
}

/** Returns the state and start time of a process on Linux; undefined on other systems, and if they can't be read. */
export function readProcessState(pid: number): { started: string; isDead: boolean } | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // See proc(5): the fields after the name, which may contain anything, begin with field 3, the state; 22 is the
    // start time.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = bootId();
    if (boot === undefined) return undefined;
    // A zombie has ended, but its parent hasn't read its exit status.
    return { started: `${boot}/${fields[19]}`, isDead: ['Z', 'X'].includes(fields[0] ?? '') };
  } catch {
    return undefined;
  }
}

/** Returns the boot id of the machine, or undefined if the system has none. */
function bootId(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
