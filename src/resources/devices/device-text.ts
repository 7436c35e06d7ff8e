/** A stretch of time in words: `48 s`, `2 min 40 s`. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest > 0 ? ` ${rest} s` : ''}`;
}

/** Returns a device as a word of a command line: its name, or its id if another device has the same name. */
export function deviceWord({
  label,
  ambiguous,
  id,
}: {
  readonly label: string;
  readonly id?: string;
  readonly ambiguous?: boolean;
}): string {
  return (ambiguous ? id : undefined) ?? label;
}
