import type { RefusalReason } from '../../documents/refusal.ts';
import type { Failure } from '../../lib/errors.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import { joinRemarks, type RemarkText, remark } from '../../lib/text/remark.ts';

/** A file that is not counted or sent, with the reason in a word and what to tell a person. */
export interface RefusedFile {
  readonly path: string;
  /** `name`: no document can be sent under its name. */
  readonly reason: RefusalReason | 'unreadable' | 'name';
  readonly failure: Failure;
}

/** More hints than these help nobody. */
const maxHints = 5;

/** Returns how many files there are for each reason: `unsupported 1, empty 2`. */
export function reasonsText(refused: readonly RefusedFile[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of refused) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${reason} ${count}`).join(', ');
}

/**
 * Returns what helps, or undefined if nothing is known to. Where that differs between the files, it says which of them it
 * is about; two of one reason may differ too, as --as-text does by the name.
 */
export function refusedHint(refused: readonly RefusedFile[]): RemarkText | undefined {
  const groups = new Map<string, { readonly hint: RemarkText; readonly paths: string[] }>();
  for (const { path, failure } of refused) {
    const { hint } = failure;
    if (hint === undefined) continue;
    const group = groups.get(String(hint));
    if (group) group.paths.push(path);
    else groups.set(String(hint), { hint, paths: [path] });
  }
  const [first, ...others] = groups.values();
  if (others.length === 0) return first?.hint;
  const shown = [...groups.values()].slice(0, maxHints);
  return joinRemarks(shown.map(({ hint, paths }) => remark`${pathsText(paths)}: ${asRemark(hint)}`));
}

function asRemark(hint: RemarkText) {
  return typeof hint === 'string' ? remark`${hint}` : hint;
}

/** Returns a few paths, and how many more there are: `a.txt, b.txt and 7 more`. */
export function pathsText(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map(inSentence);
  if (paths.length > 3) return `${shown.join(', ')} and ${paths.length - 3} more`;
  return [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter((part) => part !== '').join(' and ');
}
