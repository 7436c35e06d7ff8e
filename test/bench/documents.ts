import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { madeDocx, paragraph } from '../documents/count/made-docx.ts';
import { madePdf, shown } from '../documents/count/made-pdf.ts';
import { lines } from './lines.ts';
import { type Comparison, compare, inTurns, type Sample } from './measure.ts';
import { sentence, writeSamples } from './sample-files.ts';
import { binary, bundled, run, type Setting, sampleForm, signedIn } from './setting.ts';

/** Maximum number of pairs, because each takes a second or two. */
const mostRounds = 5;

const [files, concurrency] = [200, 8];

const team = '00000000-0000-4000-8000-000000000000';

/** Compares counting a document with the library that reads its format. */
export async function count(setting: Setting): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const [kind, make] of [
    ['pdf', (parts: number) => madePdf(Array.from({ length: parts * 3 }, page))],
    ['docx', (parts: number) => madeDocx(paragraph(sentence).repeat(parts * 2250))],
  ] as const) {
    const [small, large] = [1, 80].map((parts) => {
      const path = join(setting.directory, `${parts}.${kind}`);
      writeFileSync(path, make(parts));
      return path;
    });
    const side = (name: 'ours' | 'library') => async (): Promise<Sample> => {
      const args = [bundled('documents-case'), name, small ?? '', large ?? ''];
      return sampleForm.parse(JSON.parse((await run(process.execPath, args, { env: setting.env })).stdout));
    };
    const pairs = await inTurns(Math.min(setting.rounds, mostRounds), side('ours'), side('library'));
    const perSecond = ({ milliseconds }: Sample): number => 1000 / milliseconds;
    comparisons.push(
      compare(`counting a ${kind} ÷ its library`, '/s', pairs, perSecond, { is: 'at least', value: 0.91 }),
    );
  }
  return comparisons;
}

const page = (): string => shown(...Array.from({ length: 40 }, () => sentence));

/** Compares an upload of many files with a loop written by hand. */
export async function upload(setting: Setting): Promise<readonly Comparison[]> {
  const folder = join(setting.directory, 'documents');
  writeSamples(folder, files);
  const options = ['--team', team, '--concurrency', String(concurrency), '--max-new', String(files)];
  const ours = [binary, 'docs', 'upload', folder, ...options, '-o', 'ndjson'];
  const loop = [bundled('documents-loop'), setting.origin, folder, String(concurrency)];
  const pairs = await inTurns(
    Math.min(setting.rounds, mostRounds),
    () => lines(files, ours, signedIn(setting)),
    () => lines(files, loop, setting.env),
  );
  return [
    compare(
      `upload of ${files} files of 100 kB ÷ fetch loop`,
      'ms',
      pairs,
      ({ milliseconds }) => milliseconds,
      { is: 'at most', value: 1.25 },
    ),
  ];
}
