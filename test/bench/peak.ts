import { readFileSync } from 'node:fs';

/**
 * Returns the peak memory of this process. On Linux, `maxRSS` includes the memory that the process used before it
 * executed this program, and VmHWM does not.
 */
export function peakBytes(): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const peak = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1];
  return (peak === undefined ? process.resourceUsage().maxRSS : Number(peak)) * 1024;
}
