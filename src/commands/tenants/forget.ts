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
  async run(_context, { address, lock: path }) {
    const [{ readKnownLock }, { writeLock }] = await Promise.all([
      import('../../provision/make-plan.ts'),
      import('../../provision/lock.ts'),
    ]);
    const { path: file, lock } = readKnownLock(path);
    const isIn = (known: string): boolean => known === address || known.startsWith(`${address}/`);
    const gone = [...lock.entries].filter(([known]) => isIn(known));
    if (gone.length === 0) {
      const similar = mostSimilar(address, [...lock.entries.keys()]);
      throw new Failure('notFound', `${file} knows no ${address}.`, {
        hint: similar === undefined ? undefined : `Did you mean ${similar}?`,
      });
    }
    writeLock(file, { ...lock, entries: new Map([...lock.entries].filter(([known]) => !isIn(known))) });
    return gone.map(([known, { id = null }]) => ({ address: known, id }));
  },
});
