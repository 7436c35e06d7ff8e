import type { CampaignRow } from '../../src/campaigns/campaign.ts';
import type { CampaignDraft } from '../../src/campaigns/store.ts';
import { canonicalForm } from '../../src/phone-numbers/number-forms.ts';

/**
 * Returns a draft that holds its rows in memory until they are all written at once, for stores without drafts of their
 * own.
 * @param earlier the rows that the campaign has already
 */
export function draftInMemory(
  earlier: readonly CampaignRow[],
  publish: (rows: readonly CampaignRow[]) => Promise<void>,
): CampaignDraft {
  const written: CampaignRow[] = [];
  const isDuplicate = ({ reason }: CampaignRow): boolean =>
    reason === 'duplicate' || reason === 'duplicate_key';
  return {
    async firstRows(numbers, keys) {
      const forms = new Set(numbers.map(canonicalForm));
      return [...earlier, ...written].flatMap((one) => {
        const { row, line, to, key } = one;
        if (to === undefined || isDuplicate(one)) return [];
        if (!forms.has(canonicalForm(to)) && (key === undefined || !keys.includes(key))) return [];
        return [{ row, line, to, key, isEarlier: row <= earlier.length }];
      });
    },
    async write(rows) {
      written.push(...rows);
    },
    publish: () => publish(written),
    discard: async () => undefined,
  };
}
