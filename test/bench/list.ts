import { lines } from './lines.ts';
import { type Comparison, compare, inTurns, type Sample } from './measure.ts';
import { binary, bundled, mebibyte, type Setting, signedIn } from './setting.ts';

const rows = 100_000;

/** Compares the list of all bots as lines of JSON through a pipe with a loop written by hand that stores nothing. */
export async function list(setting: Setting): Promise<readonly Comparison[]> {
  const origin = `${setting.origin}/${rows}`;
  const ours = (): Promise<Sample> =>
    lines(rows, [binary, 'bots', 'list', '--all', '-o', 'ndjson'], signedIn(setting, origin));
  const loop = (): Promise<Sample> => lines(rows, [bundled('bots-loop'), origin], setting.env);
  // Fills the token cache that every later run uses, and the pages in the service's memory.
  await ours();
  const pairs = await inTurns(setting.rounds, ours, loop);
  const perSecond = ({ milliseconds }: Sample): number => rows / (milliseconds / 1000);
  return [
    compare(`${rows} bots, --all -o ndjson ÷ undici loop`, 'rows/s', pairs, perSecond, {
      is: 'at least',
      value: 0.8,
    }),
    compare('  peak of memory', 'MiB', pairs, ({ peakBytes }) => peakBytes / mebibyte, {
      is: 'at most',
      value: 1.1,
    }),
  ];
}
