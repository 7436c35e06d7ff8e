/**
 * One case of the group `frame`, in a process of its own: from the answer of a status read to the frame that
 * shows its code, or to what the code says alone. Prints a `Sample` as JSON; its time is that of one answer.
 *
 *     frame-case.cjs frame|decode READS ANSWER...
 *
 * The answers, files of JSON, come in turns. Of one read everything is measured, with the modules that it
 * loads; of more the first one is not: it draws the frame, and no other one may draw anything.
 */
import { readFileSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { openPairingScreen } from '../../src/commands/device/pairing/screen.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import type { Io } from '../../src/lib/io.ts';
import { type DeviceStatus, deviceStatus } from '../../src/resources/devices/device-status.ts';
import { watchPairing } from '../../src/resources/devices/pairing/watch-pairing.ts';
import { createTerminal } from '../../src/terminal/terminal.ts';
import type { Sample } from './measure.ts';
import { peakBytes } from './peak.ts';

/** A terminal that keeps count of what is written to it. */
class Glass extends Writable {
  readonly isTTY = true;
  readonly columns = 100;
  readonly rows = 40;
  written = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written += chunk.toString();
    done();
  }
}

function read(answer: string): DeviceStatus {
  return deviceStatus(JSON.parse(answer).data);
}

class Stopwatch {
  #cpu = process.cpuUsage();
  #start = performance.now();

  restart(): void {
    this.#cpu = process.cpuUsage();
    this.#start = performance.now();
  }

  sample(reads: number): Sample {
    const milliseconds = (performance.now() - this.#start) / reads;
    const { user, system } = process.cpuUsage(this.#cpu);
    return { milliseconds, cpuMilliseconds: (user + system) / 1000 / reads, peakBytes: peakBytes() };
  }
}

const noMore = new Error('there are no more answers');

/** As `device connect` does it, without the network. */
async function frame(reads: number, answerAt: (read: number) => string): Promise<Sample> {
  const stderr = new Glass();
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const env = { LANG: 'C.UTF-8', TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' };
  const io: Io = { stdin, stdout: stderr, stderr, env, signal: new AbortController().signal };
  const start = Date.now();
  // Time stands still, so that no countdown is drawn either.
  const clock: Clock = {
    ...systemClock,
    now: () => start,
    sleep: async () => undefined,
    every: () => () => undefined,
  };
  const place = { io, clock, terminal: createTerminal(io, { color: true }) };
  const device = { id: 'bench', label: 'Reception', word: 'Reception', name: 'Reception' };
  const wish = { style: 'auto', invert: false } as const;
  const view = await openPairingScreen(place, device, { drawing: wish, actions: {}, file: undefined });

  let done = 0;
  const watch = new Stopwatch();
  const options = {
    read: async () => {
      if (done === reads) throw noMore;
      if (done === 1 && reads > 1) watch.restart();
      done += 1;
      return read(answerAt(done - 1));
    },
    clock,
    signal: io.signal,
    timeout: undefined,
    justConnected: true,
    startTimeoutMs: 10_000,
  };
  stderr.written = '';
  try {
    for await (const event of watchPairing(options)) await view.show(event);
  } catch (error) {
    if (error !== noMore) throw error;
  }
  const sample = watch.sample(Math.max(1, reads - 1));
  // Each line of a code sets its colours.
  const lines = stderr.written.split('38;5;231;48;5;16m').length - 1;
  view.close();
  if (lines < 30 || lines > stderr.rows) throw new Error(`drew ${lines} lines of codes instead of one code`);
  return sample;
}

/** What reading the picture takes, once the answer is there. */
async function decode(reads: number, answerAt: (read: number) => string): Promise<Sample> {
  const watch = new Stopwatch();
  for (let done = 0; done < reads; done += 1) {
    if (done === 1) watch.restart();
    const [{ readDataUrl }, { decodePng }] = await Promise.all([
      import('../../src/qr/data-url.ts'),
      import('../../src/qr/decode.ts'),
    ]);
    decodePng(readDataUrl(read(answerAt(done)).qrCode ?? ''));
  }
  return watch.sample(Math.max(1, reads - 1));
}

async function measure([side, reads, ...files]: readonly string[]): Promise<Sample> {
  const answers = files.map((file) => readFileSync(file, 'utf8'));
  const answerAt = (number: number): string => answers[number % answers.length] ?? '';
  return side === 'frame' ? frame(Number(reads), answerAt) : decode(Number(reads), answerAt);
}

measure(process.argv.slice(2)).then(
  (sample) => process.stdout.write(`${JSON.stringify(sample)}\n`, () => process.exit()),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exit(1);
  },
);
