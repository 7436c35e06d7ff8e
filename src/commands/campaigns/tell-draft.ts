import type { DraftNotes } from '../../campaigns/draft.ts';
import type { RecipientList } from '../../campaigns/read-list.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { counted } from '../../lib/text/numbers.ts';

/** Says what a person has to know of the rows that were made of a list. */
export function tellDraft(
  { reporter }: { readonly reporter: Reporter },
  { dialled, warnings, skips, known, left }: DraftNotes,
  { recipients, file, toColumn }: RecipientList,
): void {
  if (recipients.guessed !== undefined)
    reporter.warn(
      `${file} is not in UTF-8; it was read as ${recipients.guessed}. Look at names with accents.`,
    );
  reporter.note(`Numbers are those of column ${toColumn}.`);
  if (dialled.count > 0) reporter.note(`Read as they are dialled in the region: ${dialled.words}.`);
  for (const warning of warnings) reporter.warn(warning);
  for (const told of skips.first) reporter.note(told);
  if (skips.count > skips.first.length)
    reporter.note(`${skips.count - skips.first.length} more are skipped.`);
  if (known > 0) reporter.note(`In the campaign already: ${counted(known, 'row')}.`);
  if (left > 0) reporter.note(`--limit leaves ${counted(left, 'row')} at the end of ${file} for later.`);
}
