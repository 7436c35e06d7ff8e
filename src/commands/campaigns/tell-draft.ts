import type { Draft } from '../../campaigns/draft.ts';
import { type RecipientList, toldSkips } from '../../campaigns/read-list.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { firstFew } from '../../lib/text/first-few.ts';
import { counted } from '../../lib/text/numbers.ts';

/** Rows that are skipped and told one by one. */
const mostTold = 10;

/** Says what a person has to know of the rows that were made of a list. */
export function tellDraft(
  { reporter }: { readonly reporter: Reporter },
  draft: Draft,
  { recipients, file, toColumn }: RecipientList,
): void {
  if (recipients.guessed !== undefined)
    reporter.warn(
      `${file} is not in UTF-8; it was read as ${recipients.guessed}. Look at names with accents.`,
    );
  reporter.note(`Numbers are those of column ${toColumn}.`);
  if (draft.dialled.length > 0)
    reporter.note(`Read as they are dialled in the region: ${firstFew(draft.dialled, mostTold)}.`);
  for (const warning of draft.warnings) reporter.warn(warning);
  for (const told of toldSkips(draft, mostTold)) reporter.note(told);
  if (draft.known > 0) reporter.note(`In the campaign already: ${counted(draft.known, 'row')}.`);
  if (draft.left > 0)
    reporter.note(`--limit leaves ${counted(draft.left, 'row')} at the end of ${file} for later.`);
}
