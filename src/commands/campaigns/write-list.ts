import type { DraftNotes } from '../../campaigns/draft.ts';
import type { RowPlan } from '../../campaigns/draft-list.ts';
import type { RecipientList } from '../../campaigns/read-list.ts';
import type { RowSummary } from '../../campaigns/row-summary.ts';
import type { CampaignStore } from '../../campaigns/store/campaign-store.ts';
import type { CampaignDraft } from '../../campaigns/store.ts';
import type { IdentityContext } from '../../cli/context.ts';
import { regionOf } from '../../cli/region.ts';
import { Failure } from '../../lib/errors.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import type { FirstFew } from '../../lib/text/sentence.ts';

/** A list, and the draft for its rows. */
interface Writing {
  readonly store: CampaignStore;
  readonly draft: CampaignDraft;
  readonly list: RecipientList;
  readonly plan: RowPlan;
  readonly input: {
    readonly skipInvalid: boolean;
    readonly limit: number | undefined;
    readonly dryRun: boolean;
  };
}

/**
 * Writes the rows of a list into a draft, reports on them, and publishes the draft unless it is a dry run or has no
 * rows.
 * @throws Failure `invalidInput` with all problems of the list; the draft is then deleted
 */
export async function writeList(
  session: IdentityContext,
  { store, draft, list, plan, input }: Writing,
): Promise<{ readonly summary: RowSummary; readonly notes: DraftNotes }> {
  const { draftList, completeDraft } = await import('../../campaigns/draft-list.ts');
  const { reporter, signal } = session;
  const optOuts = store.optOuts(session.identity.baseUrl);
  const options = { ...input, region: regionOf(session) };
  const made = await draftList({ draft, optOuts, signal }, list, options, plan);
  await completeDraft(draft, async () => {
    await made.write().catch((thrown: unknown) => {
      const { problems, dropped } = made.notes();
      // All problems are reported at once, so that the list can be corrected in one pass.
      if (thrown instanceof Failure && thrown.kind === 'invalidInput' && problems.count > 0)
        reportSkips(reporter, dropped);
      throw thrown;
    });
    reportDraft(reporter, made.notes(), list);
    return !input.dryRun && (plan.earlier === 0 || made.summary.counts.rows > 0);
  });
  return { summary: made.summary, notes: made.notes() };
}

/** Reports on the rows of a list. */
function reportDraft(
  reporter: Reporter,
  { dialled, warnings, skips, existing, beyondLimit }: DraftNotes,
  { recipients, file, toColumn }: RecipientList,
): void {
  if (recipients.guessedEncoding !== undefined)
    reporter.warn(
      `${file} is not UTF-8, so it was read as ${recipients.guessedEncoding}. Check names with accents.`,
    );
  reporter.note(`Phone numbers are read from column ${toColumn}.`);
  if (dialled.count > 0) reporter.note(`Read as national numbers of the region: ${dialled.words}.`);
  for (const warning of warnings) reporter.warn(warning);
  reportSkips(reporter, skips);
  if (existing > 0) reporter.note(`Already in the campaign: ${pluralize(existing, 'row')}.`);
  if (beyondLimit > 0)
    reporter.note(`--limit left out ${pluralize(beyondLimit, 'row')} at the end of ${file}.`);
}

function reportSkips(reporter: Reporter, { first, count }: FirstFew): void {
  for (const told of first) reporter.note(told);
  if (count > first.length) reporter.note(`${count - first.length} more skipped.`);
}
