import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { madeDocx, paragraph } from '../documents/made-docx.ts';
import { madePdf, shown } from '../documents/made-pdf.ts';
import { type Comparison, compare, inTurns, type Sample } from './measure.ts';
import { binary, bundled, run, type Setting, sampleForm } from './setting.ts';

/** From the issue: counting takes little more than reading. Of text, reading is decoding alone, which looks at no character. */
const countingAim = { is: 'at least', value: 0.91 } as const;

/** From the issue: many files take little more than a loop written by hand. */
const uploadAim = { is: 'at most', value: 1.25 } as const;

/** Pairs at most: each takes a second or two. */
const mostRounds = 5;

const [files, concurrency] = [200, 8];

const sentence = 'The kitchen closes at ten, and at eleven on the days before a holiday. ';

/** A document of so many parts. */
function documentOf(kind: string, parts: number): string | Uint8Array {
  const lines = Array.from({ length: 40 }, () => sentence);
  if (kind === 'txt') return sentence.repeat(parts * 1000);
  if (kind === 'docx') return madeDocx(paragraph(sentence).repeat(parts * 300));
  return madePdf(Array.from({ length: parts * 3 }, () => shown(...lines)));
}

/** Counting beside the library that reads the format, and uploads of many files beside a loop written by hand. */
export async function documents(
  setting: Setting,
  env: Setting['env'],
  lines: (expected: number, args: readonly string[], env: Setting['env']) => Promise<Sample>,
): Promise<readonly Comparison[]> {
  const rounds = Math.min(setting.rounds, mostRounds);
  const comparisons: Comparison[] = [];
  for (const [kind, parts] of [
    ['txt', 600],
    ['pdf', 80],
    ['docx', 150],
  ] as const) {
    const [small, large] = [1, parts].map((count) => {
      const path = join(setting.directory, `${count}.${kind}`);
      writeFileSync(path, documentOf(kind, count));
      return path;
    });
    const side = (name: 'ours' | 'library') => async (): Promise<Sample> => {
      const args = [bundled('documents-case'), name, small ?? '', large ?? ''];
      return sampleForm.parse(JSON.parse((await run(process.execPath, args, { env: setting.env })).stdout));
    };
    const pairs = await inTurns(rounds, side('ours'), side('library'));
    comparisons.push(
      compare(
        `counting a ${kind} ÷ its library`,
        '/s',
        pairs,
        ({ milliseconds }) => 1000 / milliseconds,
        countingAim,
      ),
    );
  }
  const folder = join(setting.directory, 'documents');
  mkdirSync(folder);
  for (let index = 0; index < files; index += 1)
    writeFileSync(join(folder, `${index}.txt`), `${index} ${sentence.repeat(1400)}`);
  const team = '00000000-0000-4000-8000-000000000000';
  const options = ['--team', team, '--concurrency', String(concurrency), '--max-new', String(files)];
  const ours = [binary, 'docs', 'upload', folder, ...options, '-o', 'ndjson'];
  const loop = [bundled('documents-loop'), setting.origin, folder, String(concurrency)];
  const uploads = await inTurns(
    rounds,
    () => lines(files, ours, env),
    () => lines(files, loop, setting.env),
  );
  comparisons.push(
    compare(
      `upload of ${files} files of 100 kB ÷ undici loop`,
      'ms',
      uploads,
      ({ milliseconds }) => milliseconds,
      uploadAim,
    ),
    compare('  CPU', 'ms', uploads, ({ cpuMilliseconds }) => cpuMilliseconds),
    compare('  peak of memory', 'MiB', uploads, ({ peakBytes }) => peakBytes / 1024 ** 2),
  );
  return comparisons;
}
