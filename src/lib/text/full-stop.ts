/** Returns the full stop that a sentence lacks, or an empty text if it has an end. */
export function fullStop(text: string): string {
  return /[.!?…]$/.test(text) ? '' : '.';
}
