/**
 * Preloaded (`node --require`) into a program that is measured as a whole: when the program ends, writes its cost to
 * file descriptor 3 as a `Sample`.
 */
import { writeSync } from 'node:fs';
import { peakBytes } from './peak.ts';

process.once('exit', () => {
  const milliseconds = performance.now();
  const { user, system } = process.cpuUsage();
  const sample = { milliseconds, cpuMilliseconds: (user + system) / 1000, peakBytes: peakBytes() };
  writeSync(3, JSON.stringify(sample));
});
