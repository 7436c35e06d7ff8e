import type { ResourceRow } from '../../client/api.ts';
import { isSentAsLine } from '../../documents/sync/earlier-uploads.ts';
import { withEarlier } from '../../documents/sync/ledger-text.ts';
import { ShownSizes } from '../../documents/upload/shown-size.ts';
import { interruptedUpload } from '../../documents/upload/upload-intent.ts';
import type { DeclaredTenant } from '../declared-documents.ts';
import type { InterruptedAt, Settling } from './create-settled.ts';
import type { IntentLogs } from './intent-logs.ts';

/**
 * Returns the interrupted uploads of earlier runs whose files hold again what the state file records: their documents are earlier
 * ones of those files. The upload of a file that is going to be sent is settled right before that.
 */
export function interruptedUploads(
  { context, settleMs, keep, entryOf, lineOf, lockedIds }: Settling,
  journals: IntentLogs,
  { address: team, documents }: DeclaredTenant,
): readonly InterruptedAt[] {
  const teamId = entryOf(team)?.id;
  const once = {
    ...{ journal: journals.uploads, settleMs, waitsFrom: 0, sizes: new ShownSizes(), retriesUnknown: false },
    names: new Set(documents.map(({ name }) => name)),
    othersThan: () => (id: string) => lockedIds().has(id.toLowerCase()),
  };
  return (teamId === undefined ? [] : journals.leftTo(teamId)).flatMap((intent) => {
    const one = documents.find(({ name }) => name === intent.details.name);
    const line = one && lineOf(one.address);
    if (!one?.file || line?.id === undefined || line.sha256 !== one.file.sha256) return [];
    if (isSentAsLine(intent.details, line)) return [];
    const { address } = one;
    const end = async (found: ResourceRow | undefined): Promise<void> => {
      const latest = lineOf(address) ?? line;
      const earlier = found && withEarlier([...(latest.earlier ?? []), found.id], latest.id);
      if (earlier) await keep(address, { ...latest, ...earlier });
      journals.uploads.end(intent);
    };
    return [{ ...interruptedUpload(context, intent, once), address, end }];
  });
}
