import { type Gap, maxSteps, type Pace } from '../../campaigns/pace.ts';
import { type SendWindow, sendWindow } from '../../campaigns/window.ts';
import { canonicalZone, dayMs, machineZone } from '../../campaigns/zones.ts';
import { flag, manyOptions, option, path, requiredOption } from '../../cli/options.ts';
import { duration, integer, nonEmptyText, type Parse, ValueError } from '../../lib/parse.ts';
import { didYouMean, mostSimilar } from '../../lib/text/similar.ts';

/** Parses the name of a new campaign, which is used in commands and sentences. */
export const newName: Parse<string> = (typed) => {
  const name = typed.trim();
  if (/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,79}$/u.test(name)) return name;
  throw new ValueError(
    `must be up to 80 letters, digits, spaces, dots, hyphens and underscores, and start with a letter or digit, not "${typed}"`,
  );
};

/** Parses a pause, or a range from which pauses are drawn: `10s`, `6s..15s`. */
const gap: Parse<Gap> = (typed) => {
  const [first = '', last = first, ...more] = typed.split('..');
  if (more.length > 0) throw new ValueError(`must be a duration or a range such as 6s..15s, not "${typed}"`);
  const [shortest, longest] = [duration(first), duration(last)];
  if (Math.max(shortest, longest) > dayMs) throw new ValueError(`must be at most a day, not "${typed}"`);
  if (shortest > longest) throw new ValueError(`must start with the shorter pause, not "${typed}"`);
  return { shortest, longest };
};

/**
 * Parses a daily limit, or limits of the first days, the last of which applies from then on: `200`, `20,50,100,200`.
 */
const steps: Parse<readonly number[]> = (typed) => {
  const limits = typed.split(',').map((one) => one.trim());
  if (!limits.every((one) => /^[1-9]\d{0,8}$/.test(one)))
    throw new ValueError(
      `must be a whole number of at least 1, or several such as 20,50,100,200, not "${typed}"`,
    );
  if (limits.length > maxSteps) throw new ValueError(`must have at most ${maxSteps} values`);
  return limits.map(Number);
};

/** Parses the IANA name of a time zone. */
const zone: Parse<string> = (typed) => {
  const name = canonicalZone(typed.trim());
  if (name !== undefined) return name;
  const question = didYouMean(mostSimilar(typed, Intl.supportedValuesOf('timeZone')));
  const meant = question === undefined ? '' : `. ${question}`;
  throw new ValueError(`must be a time zone such as America/Sao_Paulo, not "${typed}"${meant}`);
};

/** How fast and when the messages of a campaign may be sent. */
export const paceOptions = {
  gap: option('--gap <range>', 'pause between two messages of a device (default: 6s..15s)', gap),
  daily: option(
    '--daily <numbers>',
    'most messages of a device in a day; 20,50,100 means 20 on the first day, 50 on the second, then 100',
    steps,
  ),
  windows: manyOptions(
    '--window <window>',
    'time in which to send, such as "mon-fri 09:00-18:00"',
    sendWindow,
  ),
  tz: option(
    '--tz <zone>',
    'time zone of --window and --daily, such as America/Sao_Paulo (default: that of the machine)',
    zone,
  ),
};

/** Returns the problems of the pace options. */
export function problemsOfPace({ daily, windows, tz }: Partial<PaceInput>): readonly string[] {
  const needsZone = daily !== undefined || (windows ?? []).length > 0;
  const isMissing = needsZone && (tz ?? machineZone()) === undefined;
  return isMissing ? ['--tz is missing, and this machine has no time zone set.'] : [];
}

interface PaceInput {
  readonly gap: Gap | undefined;
  readonly daily: readonly number[] | undefined;
  readonly windows: readonly SendWindow[];
  readonly tz: string | undefined;
}

/** The default pause. */
const usualGap: Gap = { shortest: 6_000, longest: 15_000 };

/** Returns a pace as it is stored with the campaign. */
export function paceOf({ gap = usualGap, daily = [], windows, tz = machineZone() }: PaceInput): Pace {
  const limits = daily.length > 1 ? { warm_up: daily } : { daily: daily[0] };
  return { gap, ...limits, windows: windows.length > 0 ? windows : undefined, tz };
}

/** Options for reading a list of recipients, of every command that has one. */
export const listOptions = {
  recipients: requiredOption(
    '--recipients <file>',
    'CSV or NDJSON file with a row per recipient; - reads stdin',
    path,
  ),
  toColumn: option(
    '--to-column <column>',
    'column with the phone numbers (default: guessed from its name)',
    nonEmptyText,
  ),
  skipInvalid: flag('--skip-invalid', 'skip invalid rows and list them'),
  limit: option('--limit <number>', 'use at most this many new rows of the list', integer({ min: 1 })),
  dryRun: flag('--dry-run', 'check everything and save nothing'),
};

/** The timeout of a request in milliseconds, which also applies after a signal. */
export const longestAnswerMs = 30_000;
