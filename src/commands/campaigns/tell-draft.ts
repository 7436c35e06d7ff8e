import type { DraftNotes } from '../../campaigns/draft.ts';
import type { RecipientList } from '../../campaigns/read-list.ts';
import { Failure } from '../../lib/errors.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { counted } from '../../lib/text/numbers.ts';
import type { FirstFew } from '../../lib/text/sentence.ts';

/** Who is told. */
interface Telling {
  readonly reporter: Reporter;
}

/** Says what a person has to know of the rows that were made of a list. */
function tellDraft(
  { reporter }: Telling,
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
  tellSkips({ reporter }, skips);
  if (known > 0) reporter.note(`In the campaign already: ${counted(known, 'row')}.`);
  if (left > 0) reporter.note(`--limit leaves ${counted(left, 'row')} at the end of ${file} for later.`);
}

function tellSkips({ reporter }: Telling, { first, count }: FirstFew): void {
  for (const told of first) reporter.note(told);
  if (count > first.length) reporter.note(`${count - first.length} more are skipped.`);
}

/**
 * Does what makes the rows of a list, and says what there is to say of them, and who is skipped also where something is wrong with
 * others, which keeps the list from being taken: who corrects it wants all of it at once.
 * @throws as `make`
 */
export async function tellingDraft<T>(
  telling: Telling,
  draft: { notes(): DraftNotes },
  list: RecipientList,
  make: () => Promise<T>,
): Promise<T> {
  const made = await make().catch((thrown: unknown) => {
    const { problems, dropped } = draft.notes();
    if (thrown instanceof Failure && thrown.kind === 'invalidInput' && problems.count > 0)
      tellSkips(telling, dropped);
    throw thrown;
  });
  tellDraft(telling, draft.notes(), list);
  return made;
}
