import { shellWord } from '../../text/shell-word.ts';

/** A stretch of time in words: `48 s`, `2 min 40 s`. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest > 0 ? ` ${rest} s` : ''}`;
}

/** A phone number of the API as `+` and digits; undefined where there is none. */
export function phoneOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  if (text === '') return undefined;
  return /^[1-9]\d{6,14}$/.test(text) ? `+${text}` : text;
}

/** A device as it is typed in a command that is told. */
export function typedAs({
  label,
  ambiguous,
  id,
}: {
  readonly label: string;
  readonly id?: string;
  readonly ambiguous?: boolean;
}): string {
  return shellWord((ambiguous ? id : undefined) ?? label);
}
