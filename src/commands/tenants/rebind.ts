import { defineCommand } from '../../cli/command.ts';
import { lockOption } from './options.ts';

export const rebind = defineCommand({
  name: 'rebind',
  summary: 'Use the lock with another address of its service',
  description:
    'A lock is of one address (scheme, host and port), and no command takes it to another by accident. If the service ' +
    'itself has moved, give its new address with --profile or --base-url: this reads every team of the lock there, and ' +
    'writes the address into the lock if all of them are found by their ids.',
  options: { lock: lockOption },
  examples: [
    {
      line: 'botctl tenants rebind --lock old.lock.json',
      does: 'Bind a lock to the address of the current profile',
    },
  ],
  needs: 'api',
  effect: 'changes',
  output: {
    kind: 'record',
    fields: [
      { name: 'lock', importance: 9 },
      { name: 'before' },
      { name: 'origin', importance: 8 },
      { name: 'teams', kind: 'number' },
    ],
  },
  async prepare(session, { lock: named }) {
    const { checkRebind } = await import('../../tenants/rebind.ts');
    return checkRebind(session, named);
  },
  async confirm(_session, _input, { path, before, origin, teams }) {
    if (before === origin) return undefined;
    const statement = `${path} is of ${before}. At ${origin} there ${teams === 1 ? 'is its team' : `are all ${teams} of its teams`} too.`;
    return { level: 'yes', statement, question: 'Use it there from now on?' };
  },
  async run(session, _input, { path, before, origin, teams }) {
    const { rebindLock } = await import('../../tenants/rebind.ts');
    if (before === origin) session.terminal.note(`${path} is of ${origin} already.`);
    else {
      await rebindLock(session, path, { before, origin });
      session.terminal.done(`${path} is of ${origin} now. Commit it.`);
    }
    return { lock: path, before, origin, teams };
  },
});
