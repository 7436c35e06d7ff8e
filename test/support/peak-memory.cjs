/**
 * Preloaded into a program whose memory is measured (`NODE_OPTIONS=--require`): when the program ends, writes its peak
 * memory in bytes to the file `PEAK_FILE`.
 */
const { readFileSync, writeFileSync } = require('node:fs');

const file = process.env.PEAK_FILE;
process.once('exit', () => {
  // On Linux, `maxRSS` includes the memory that the process used before it executed this program, and VmHWM does not.
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const peak = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  if (file) writeFileSync(file, String(Number(peak) * 1024));
});
