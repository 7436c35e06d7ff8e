import { defineCommand } from '../../cli/command.ts';
import { argument } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { someText } from '../../lib/parse.ts';
import { mostSimilar } from '../../lib/text/similar.ts';
import type { LockEntry } from '../../provision/lock.ts';
import { lockOption } from './options.ts';

export const forget = defineCommand({
  name: 'forget',
  summary: 'Take an object out of the lock, and leave it in the service',
  description:
    'The next plan looks for it as for something new: a team, a bot or a document by its name. A device can not be ' +
    'found again, so another one would be made. With a tenant all that is in it is forgotten.',
  arguments: { address: argument('address of a tenant, or of one object: aurora/bots/front-desk', someText) },
  options: { lock: lockOption },
  examples: [
    {
      line: 'botctl tenants forget aurora/devices/reception --lock staging.lock.json',
      does: 'Let the next plan make a device again',
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
    const { readKnownLock } = await import('../../provision/make-plan.ts');
    const { path, lock } = readKnownLock(named);
    const { size } = entriesAt(address, path, lock.entries);
    const statement =
      size === 1
        ? `${address} stays in the service, and its id goes out of the lock.`
        : `${address} and what is in it, ${size} objects, stay in the service, and their ids go out of the lock.`;
    return { level: 'yes', statement, question: size === 1 ? 'Forget it?' : 'Forget them?' };
  },
  async run({ signal, reporter, settings, redact }, { address, lock: named }) {
    const [{ readKnownLock }, { changeInTurn }] = await Promise.all([
      import('../../provision/make-plan.ts'),
      import('../../provision/turn.ts'),
    ]);
    const { path, lock: found } = readKnownLock(named);
    let gone: ReadonlyMap<string, LockEntry> = new Map();
    let before = found;
    await changeInTurn({ signal, reporter }, path, undefined, (lock) => {
      before = lock;
      gone = entriesAt(address, path, lock.entries);
      return { ...lock, entries: new Map([...lock.entries].filter(([known]) => !gone.has(known))) };
    });
    // Another one may be made of a device whose create was cut off: so it says there too.
    for (const [known, { unknown_since, applied }] of gone) {
      if (unknown_since === undefined) continue;
      const teamId = before.entries.get(known.split('/')[0] ?? '')?.id ?? '';
      const { intents } = settings.devices.namesakes(before.origin, redact(String(applied.name)), teamId);
      for (const { key } of intents) await settings.devices.settle(before.origin, key);
    }
    return [...gone].map(([known, { id = null }]) => ({ address: known, id }));
  },
});

/**
 * Returns what a lock has at an address, and in it.
 * @throws Failure `notFound` where that is nothing
 */
function entriesAt(
  address: string,
  path: string,
  entries: ReadonlyMap<string, LockEntry>,
): ReadonlyMap<string, LockEntry> {
  const found = [...entries].filter(([known]) => known === address || known.startsWith(`${address}/`));
  if (found.length > 0) return new Map(found);
  const similar = mostSimilar(address, [...entries.keys()]);
  throw new Failure('notFound', `${path} knows no ${address}.`, {
    hint: similar === undefined ? undefined : `Did you mean ${similar}?`,
  });
}
