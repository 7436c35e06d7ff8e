import type { Sample } from './measure.ts';
import { peakBytes } from './peak.ts';

/** Runs some work, and returns its cost to this process. */
export async function timed(work: () => Promise<unknown>): Promise<Sample> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const milliseconds = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { milliseconds, cpuMilliseconds: (user + system) / 1000, peakBytes: peakBytes() };
}
