import { defineCommand } from '../../cli/command.ts';
import { argument } from '../../cli/options.ts';
import { deskAt } from '../../desk/open-desk.ts';
import { Failure } from '../../lib/errors.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { didYouMean, mostSimilar } from '../../lib/text/similar.ts';
import { isWithin, tenantKeyOf } from '../../tenants/desired.ts';
import type { State, StateEntry } from '../../tenants/state-file.ts';
import { lockOption } from './options.ts';

export const forget = defineCommand({
  name: 'forget',
  summary: 'Remove an object from the state file',
  description:
    'The object stays in the service. The next plan looks for a team, a bot or a document by its name, as for a new one. A ' +
    "device can't be found again, so apply would create another one. If you forget a tenant, everything in it is forgotten " +
    'too.',
  arguments: {
    address: argument('address of a tenant or object, such as aurora/bots/front-desk', nonEmptyText),
  },
  options: { lock: lockOption },
  examples: [
    {
      line: 'botctl tenants forget aurora/devices/reception --lock staging.lock.json',
      does: 'Let the next plan create a device again',
    },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: {
    kind: 'list',
    fields: [
      { name: 'address', importance: 9 },
      { name: 'id', kind: 'id' },
    ],
  },
  async confirm(_context, { address, lock: named }) {
    const [{ readKnownState }, { readCreates }] = await Promise.all([
      import('../../tenants/make-plan.ts'),
      import('../../tenants/apply/intent-logs.ts'),
    ]);
    const { path, state } = readKnownState(named);
    const entries = entriesAt(address, state.entries);
    const isCutOff = readCreates(path).some((known) => isWithin(known, address));
    if (entries.size === 0 && !isCutOff) throw unknownAddress(address, path, state.entries);
    const { size } = entries;
    const statement = isCutOff
      ? `It is not known whether ${address} was created. If you forget it, apply creates it again.`
      : size === 1
        ? `${address} stays in the service. Its id is removed from the state file.`
        : `${address} and everything in it (${size} objects) stay in the service. Their ids are removed from the state file.`;
    return { level: 'yes', statement, question: size > 1 ? 'Forget them?' : 'Forget it?' };
  },
  async run(context, { address, lock: named }) {
    const { signal, reporter, redact } = context;
    const [{ readKnownState }, { changeLocked }, { endCreates }] = await Promise.all([
      import('../../tenants/make-plan.ts'),
      import('../../tenants/apply-lock.ts'),
      import('../../tenants/apply/intent-logs.ts'),
    ]);
    const { path, state: found } = readKnownState(named);
    let [before, cutOff]: [State, readonly string[]] = [found, []];
    await changeLocked({ signal, reporter }, path, undefined, (lock) => {
      before = lock;
      cutOff = endCreates(path, (known) => isWithin(known, address));
      const left = [...lock.entries].filter(([known]) => !isWithin(known, address));
      return left.length === lock.entries.size ? lock : { ...lock, entries: new Map(left) };
    });
    const gone = entriesAt(address, before.entries);
    // If the create of a device was interrupted, its intent is settled too, so that another device may be created.
    for (const [known, entry] of gone) {
      if ('path' in entry || entry.unknown_since === undefined) continue;
      const teamId = before.entries.get(tenantKeyOf(known))?.id ?? '';
      const { devices } = await deskAt(context, before.origin);
      const { intents } = await devices.namesakes(redact(String(entry.applied.name)), teamId);
      for (const { key } of intents) await devices.settle(key);
    }
    const others = cutOff.filter((known) => !gone.has(known));
    return [
      ...[...gone].map(([known, { id = null }]) => ({ address: known, id })),
      ...others.map((known) => ({ address: known, id: null })),
    ];
  },
});

/** Returns the entries at and below an address. */
function entriesAt(
  address: string,
  entries: ReadonlyMap<string, StateEntry>,
): ReadonlyMap<string, StateEntry> {
  return new Map([...entries].filter(([known]) => isWithin(known, address)));
}

function unknownAddress(address: string, path: string, entries: ReadonlyMap<string, StateEntry>): Failure {
  return new Failure('notFound', `${address} is not in ${path}.`, {
    hint:
      didYouMean(mostSimilar(address, entries.keys())) ??
      remark`List its addresses: ${command('tenants', 'show', '--lock', path)}`,
  });
}
