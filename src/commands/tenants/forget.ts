import { defineCommand } from '../../cli/command.ts';
import { argument } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { someText } from '../../lib/parse.ts';
import { mostSimilar } from '../../lib/text/similar.ts';
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
  async confirm(_context, { address }) {
    return {
      level: 'yes',
      statement: `${address} stays in the service, and its id goes out of the lock.`,
      question: 'Forget it?',
    };
  },
  async run({ signal, reporter, settings, redact }, { address, lock: named }) {
    const [{ readKnownLock }, { changeInTurn }] = await Promise.all([
      import('../../provision/make-plan.ts'),
      import('../../provision/turn.ts'),
    ]);
    const { path, lock: found } = readKnownLock(named);
    const isIn = ([known]: readonly [string, unknown]): boolean =>
      known === address || known.startsWith(`${address}/`);
    let gone: readonly { readonly address: string; readonly id: string | null }[] = [];
    let before = found;
    await changeInTurn({ signal, reporter }, path, undefined, (lock) => {
      before = lock;
      const entries = [...lock.entries];
      gone = entries.filter(isIn).map(([known, { id = null }]) => ({ address: known, id }));
      if (gone.length === 0) throw unknownAddress(address, path, [...lock.entries.keys()]);
      return { ...lock, entries: new Map(entries.filter((entry) => !isIn(entry))) };
    });
    // Another one may be made of a device whose create was cut off: so it says there too.
    for (const [known, { unknown_since, applied }] of before.entries) {
      if (unknown_since === undefined || !gone.some((one) => one.address === known)) continue;
      const teamId = before.entries.get(known.split('/')[0] ?? '')?.id ?? '';
      const { intents } = settings.devices.namesakes(before.origin, redact(String(applied.name)), teamId);
      for (const { key } of intents) await settings.devices.settle(before.origin, key);
    }
    return gone;
  },
});

function unknownAddress(address: string, path: string, known: readonly string[]): Failure {
  const similar = mostSimilar(address, known);
  return new Failure('notFound', `${path} knows no ${address}.`, {
    hint: similar === undefined ? undefined : `Did you mean ${similar}?`,
  });
}
