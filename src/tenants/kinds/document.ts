import type { ResourceRow } from '../../client/api.ts';
import { endUploads } from '../../documents/sync/earlier-uploads.ts';
import { renameDocument, retireDocument } from '../../documents/sync/rename.ts';
import { sendFile } from '../../documents/sync/send-file.ts';
import { Failure } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import type { DeclaredDocument } from '../declared-documents.ts';
import type { DesiredBot } from '../desired.ts';
import { documentAt, knowsId } from '../state-file.ts';
import { shownDocuments } from './bot.ts';
import { checkTeam, foundRow, type Known } from './kind.ts';
import type { DeclaredObject, KindContext } from './kind-context.ts';
import { planDocument } from './plan-document.ts';

/** Returns the handler of a document. */
export function document(declared: DeclaredDocument): DeclaredObject {
  const { address, name, file } = declared;
  return {
    address,
    plan: (known) => planDocument(known, declared),

    async create(kindContext) {
      const { context, known } = kindContext;
      const planned = known.live.files.get(address)?.planned;
      if (!planned) throw new TypeError(`${address} is not to be sent`);
      const teamId = kindContext.idOf(known.tenant.address);
      const names = new Set(known.tenant.documents.map((one) => one.name));
      const { uploads: log, deadline, sizes } = kindContext;
      const listed = new Set(
        known.live.documents.get(known.tenant.address)?.map(({ id }) => id.toLowerCase()),
      );
      const once = {
        ...{ log, names, deadline, sizes, listed, retriesUnknown: false },
        known: () => knowsId(kindContext.state),
      };
      await sendFile(context, planned, once, {
        ...{ teamId, documents: kindContext.documents },
        keep: (line, onKept) => kindContext.state.set(address, line).then(onKept),
      });
      endUnfinished(kindContext, declared);
      // No bot has a document of an interrupted upload.
      const { id, earlier = [] } = planned.line ?? {};
      const found = (documentAt(kindContext.state, address)?.earlier ?? []).filter(
        (one) => ![id, ...earlier].includes(one),
      );
      await retire(
        kindContext,
        found.map((one) => ({ id: one, name })),
      );
    },

    async adopt(kindContext, { id }) {
      // The change for its tenant has already recorded it, unless it is only attached.
      if (!file) await kindContext.state.set(address, { path: address, id, name });
      endUnfinished(kindContext, declared);
    },

    async update(kindContext, fields) {
      if (!fields.includes('name')) return;
      const { context, known } = kindContext;
      const id = kindContext.idOf(address);
      const latest = (await context.api.call('getDocument', { path: { id } })).data;
      checkTeam(latest, kindContext.idOf(known.tenant.address));
      if (latest.name !== name) {
        if (latest.name !== foundRow(known, address)?.name)
          throw new Failure('rejected', 'Someone else has renamed it since the plan. Nothing was sent.');
        await renameDocument(kindContext.documents, context, id, name);
      }
      await kindContext.state.set(address, {
        ...documentAt(kindContext.state, address),
        path: address,
        id,
        name,
      });
    },

    retire: (kindContext, { retires }) => retire(kindContext, retires?.documents ?? []),
  };
}

/** Renames documents that were replaced. */
async function retire(
  { context, documents, known, idOf }: KindContext,
  before: readonly { readonly id: string; readonly name: string }[],
): Promise<void> {
  for (const { id, name } of before) {
    const check = (latest: ResourceRow) => checkTeam(latest, idOf(known.tenant.address));
    if (!(await retireDocument(context, documents, { id, name }, check))) continue;
    const having = known.tenant.bots.filter((bot) => !bot.documents && hasDocument(known, bot, id));
    if (having.length > 0)
      context.reporter.note(
        `Still attached to these bots, because the files don't list their documents: ${having.map(({ address: at }) => at).join(', ')}.`,
      );
  }
}

function hasDocument(known: Known, bot: DesiredBot, id: string): boolean {
  return shownDocuments(known, bot).some((one) => isSameId(one, id));
}

/** Ends the interrupted uploads of a document. For a document that is only attached, the files identify it. */
function endUnfinished(
  { uploads, known, idOf, state }: KindContext,
  { address, name, file }: DeclaredDocument,
): void {
  endUploads(uploads, { teamId: idOf(known.tenant.address), name }, file && documentAt(state, address));
}
