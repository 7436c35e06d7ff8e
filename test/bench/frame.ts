import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawnCode, payloadOf } from '../qr/codes.ts';
import { writePng } from '../qr/write-png.ts';
import { type Comparison, compare, inTurns } from './measure.ts';
import { bundled, run, type Setting, sampleForm } from './setting.ts';

/** Reads of a status that are measured as one. */
const repeats = 200;

/** From the answer of a status read to the drawn code, beside reading the picture alone. */
export async function frame(setting: Setting): Promise<readonly Comparison[]> {
  // Two pictures of the same code: some services draw it anew for each caller.
  const picture = answerWithCode(setting, 1);
  const other = answerWithCode(setting, 2);
  const runOf =
    (side: 'frame' | 'decode', reads: number, ...answers: string[]) =>
    async () => {
      const args = [bundled('frame-case'), side, String(reads), ...answers];
      const { stdout } = await run(process.execPath, args, { env: setting.env });
      return sampleForm.parse(JSON.parse(stdout));
    };
  const cases: [title: string, reads: number, answers: string[]][] = [
    ['first frame ÷ decode', 1, [picture]],
    ['the same picture again ÷ decode', repeats, [picture]],
    ['another picture of the same code ÷ decode', repeats, [picture, other]],
  ];
  const comparisons: Comparison[] = [];
  for (const [title, reads, answers] of cases) {
    const pairs = await inTurns(
      setting.rounds,
      runOf('frame', reads, ...answers),
      runOf('decode', reads, ...answers),
    );
    comparisons.push(compare(title, 'ms CPU', pairs, (sample) => sample.cpuMilliseconds));
  }
  return comparisons;
}

/** A file with the answer of a status read that carries a code, as long as those of pairing are. */
function answerWithCode({ directory }: Setting, margin: number): string {
  const png = writePng(drawnCode(payloadOf(281), { margin }), { colourType: 2, depth: 8 });
  const qrCode = `data:image/png;base64,${png.toString('base64')}`;
  const data = {
    device_id: randomUUID(),
    status: 'started',
    connected: false,
    logged_in: false,
    qr_code: qrCode,
  };
  const file = join(directory, `status-${margin}.json`);
  writeFileSync(file, JSON.stringify({ success: true, data }));
  return file;
}
