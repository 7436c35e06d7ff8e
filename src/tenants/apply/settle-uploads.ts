import type { ResourceRow } from '../../client/api.ts';
import { withEarlier } from '../../documents/sync/ledger-text.ts';
import { cutOff, settleLeft } from '../../documents/upload/send-document.ts';
import { findUpload } from '../../documents/upload/send-once.ts';
import { ShownSizes } from '../../documents/upload/shown-size.ts';
import { Failure } from '../../lib/errors.ts';
import type { DeclaredTenant } from '../declared-documents.ts';
import { isSentAsKept } from '../document-lines.ts';
import type { Settling } from './create-settled.ts';
import type { Journals } from './journals.ts';

/**
 * Finds out what became of the uploads that earlier runs were cut off at and whose files hold again what the lock has: their
 * documents are earlier ones of those files. Of a file that is to be sent that is found out when it is.
 * @param waitsFrom from when on they are waited for, in milliseconds since 1970 by this machine's clock; undefined to look at
 *   once alone, and leave the others
 * @throws Failure of a signal, and as `updateState`
 */
export async function settleUploads(
  { context, settleMs, keep, entryOf, lockedIds }: Settling,
  journals: Journals,
  { address: team, documents }: DeclaredTenant,
  waitsFrom: number | undefined,
): Promise<void> {
  const teamId = entryOf(team)?.id;
  const left = teamId === undefined ? [] : journals.leftTo(teamId);
  const once = {
    ...{ journal: journals.uploads, isAlone: true, settleMs, sizes: new ShownSizes() },
    ...{ names: new Set(documents.map(({ name }) => name)), retriesUnknown: false, onEnded: () => undefined },
    ...(waitsFrom !== undefined && { waitsFrom }),
    othersThan() {
      const ids = lockedIds();
      return (id: string) => ids.has(id.toLowerCase());
    },
  };
  for (const intent of left) {
    const one = documents.find(({ name }) => name === intent.details.name);
    const entry = one && entryOf(one.address);
    if (!one?.file || entry?.id === undefined || entry.sha256 !== one.file.sha256) continue;
    if (isSentAsKept(intent.details, entry)) continue;
    try {
      let found: ResourceRow | undefined;
      if (waitsFrom === undefined) {
        context.reporter.note(`An earlier run was cut off at ${one.address}; looking for it.`);
        found = await findUpload(context, intent, once, cutOff(intent));
        if (!found) continue;
      } else found = await settleLeft(context, intent, once);
      const earlier = found && withEarlier([...(entry.earlier ?? []), found.id], entry.id);
      if (earlier) await keep(one.address, { ...entry, ...earlier });
      journals.uploads.end(intent);
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !thrown.isUncertain || thrown.isInterruption) throw thrown;
      // The next run looks for it again.
      if (waitsFrom !== undefined) context.reporter.warn(`${one.address}: ${thrown.message}`);
    }
  }
}
