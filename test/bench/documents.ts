import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { madeDocx, paragraph } from '../documents/made-docx.ts';
import { madePdf, shown } from '../documents/made-pdf.ts';
import { type Comparison, compare, inTurns, type Sample } from './measure.ts';
import { sentence, writeSamples } from './sample-files.ts';
import { binary, bundled, mebibyte, run, type Setting, sampleForm } from './setting.ts';

/** From the issue: counting takes little more than reading. Of text, reading is decoding alone, which looks at no character. */
const countingAim = { is: 'at least', value: 0.91 } as const;

/** From the issue: many files take little more than a loop written by hand. */
const uploadAim = { is: 'at most', value: 1.25 } as const;

/** Pairs at most: each takes a second or two. */
const mostRounds = 5;

/** From the issue: a sync in which nothing has changed takes little more than knowing that. */
const unchangedAim = { is: 'at most', value: 2 } as const;

const [files, concurrency] = [200, 8];

const syncedFiles = 1000;

/** A document of so many parts. */
function documentOf(kind: string, parts: number): string | Uint8Array {
  const lines = Array.from({ length: 40 }, () => sentence);
  if (kind === 'txt') return sentence.repeat(parts * 1000);
  if (kind === 'docx') return madeDocx(paragraph(sentence).repeat(parts * 300));
  return madePdf(Array.from({ length: parts * 3 }, () => shown(...lines)));
}

/** Runs a program that prints so many lines. */
type Lines = (expected: number, args: readonly string[], env: Setting['env']) => Promise<Sample>;

const team = '00000000-0000-4000-8000-000000000000';

/** Counting beside the library that reads the format, and uploads of many files beside a loop written by hand. */
export async function documents(
  setting: Setting,
  env: Setting['env'],
  lines: Lines,
): Promise<readonly Comparison[]> {
  const rounds = Math.min(setting.rounds, mostRounds);
  const comparisons: Comparison[] = [];
  for (const [kind, parts] of [
    ['txt', 600],
    ['pdf', 80],
    ['docx', 600],
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
  writeSamples(folder, files);
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
    compare('  peak of memory', 'MiB', uploads, ({ peakBytes }) => peakBytes / mebibyte),
  );
  comparisons.push(...(await unchangedSync(setting, env, rounds, lines)));
  const uploadOf = (size: number) => (): Promise<Sample> =>
    lines(1, [binary, 'docs', 'upload', textOf(setting, size), '--team', team, '-o', 'ndjson'], env);
  const peaks = await inTurns(rounds, uploadOf(256), uploadOf(1));
  const title = 'peak of memory, docs upload of 256 MiB ÷ 1 MiB';
  comparisons.push(compare(title, 'MiB', peaks, ({ peakBytes }) => peakBytes / mebibyte));
  return comparisons;
}

/** Writes a text of so many MiB, where that isn't done yet. Returns its path. */
function textOf({ directory }: Setting, size: number): string {
  const path = join(directory, `text-${size}.txt`);
  if (existsSync(path)) return path;
  const piece = sentence.repeat(mebibyte / sentence.length + 1).slice(0, mebibyte);
  for (let written = 0; written < size; written += 1) appendFileSync(path, piece);
  return path;
}

/**
 * A sync of files that are as they were, beside a script that takes their hashes: where botctl has not seen them before, as
 * after a checkout, and where it has.
 */
async function unchangedSync(
  setting: Setting,
  env: Setting['env'],
  rounds: number,
  lines: Lines,
): Promise<readonly Comparison[]> {
  const folder = join(setting.directory, 'synced');
  writeSamples(folder, syncedFiles);
  const service = { ...env, BOTCTL_BASE_URL: `${setting.origin}/${syncedFiles}` };
  const sync = [binary, 'docs', 'sync', folder, '--team', team, '-o', 'ndjson'];
  // Finds a document for each file, and leaves the ledger.
  await lines(syncedFiles, sync, service);
  const hashing = () => lines(syncedFiles, [bundled('hash-files'), folder], setting.env);
  const hashes = join(setting.directory, 'cache', 'hashes');
  const first = await inTurns(
    rounds,
    () => {
      rmSync(hashes, { recursive: true, force: true });
      return lines(syncedFiles, sync, service);
    },
    hashing,
  );
  // Of what has just changed no hash is kept.
  await setTimeout(2500);
  await lines(syncedFiles, sync, service);
  const next = await inTurns(rounds, () => lines(syncedFiles, sync, service), hashing);
  const title = `sync of ${syncedFiles} unchanged files of 100 kB ÷ hashing them`;
  return [
    compare(title, 'ms', next, ({ milliseconds }) => milliseconds, unchangedAim),
    compare('  CPU', 'ms', next, ({ cpuMilliseconds }) => cpuMilliseconds),
    compare('  of files that botctl has not seen before', 'ms', first, ({ milliseconds }) => milliseconds),
    compare('  CPU', 'ms', first, ({ cpuMilliseconds }) => cpuMilliseconds),
  ];
}
