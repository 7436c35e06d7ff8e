import { readFileSync } from 'node:fs';

/**
 * The most memory that this process had at once. Linux counts what a process had before it became this
 * program into `maxRSS`, but not into VmHWM.
 */
export function peakBytes(): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const peak = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1];
  return (peak === undefined ? process.resourceUsage().maxRSS : Number(peak)) * 1024;
}
