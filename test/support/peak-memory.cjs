/**
 * Loaded before a program whose memory is measured (`NODE_OPTIONS=--require`): when that ends, the most that it had at once
 * is in the file `PEAK_FILE`, in bytes.
 */
const { readFileSync, writeFileSync } = require('node:fs');

const file = process.env.PEAK_FILE;
process.once('exit', () => {
  // Linux counts what a process had before it became this program into `maxRSS`, but not into VmHWM.
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const peak = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  if (file) writeFileSync(file, String(Number(peak) * 1024));
});
