import { defineCommand } from '../../cli/command.ts';
import { lockOption } from './options.ts';

export const rebind = defineCommand({
  name: 'rebind',
  summary: 'Bind the state file to a new address',
  description:
    'A state file belongs to one address of a service (scheme, host and port), and other commands refuse it for another one. ' +
    'If the service has moved, give its new address with --profile or --base-url. This command reads every team of the state ' +
    'file there by its id. If all exist, it writes the new address into the state file.',
  options: { lock: lockOption },
  examples: [
    {
      line: 'botctl tenants rebind --lock old.lock.json',
      does: 'Bind a state file to the address of the current profile',
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
    const statement = `${path} belongs to ${before}. ${teams === 1 ? 'Its team also exists' : `All ${teams} of its teams also exist`} at ${origin}.`;
    return { level: 'yes', statement, question: 'Use it there from now on?' };
  },
  async run(session, _input, { path, before, origin, teams }) {
    const { rebindState } = await import('../../tenants/rebind.ts');
    if (before === origin) session.terminal.note(`${path} already belongs to ${origin}.`);
    else {
      await rebindState(session, path, { before, origin });
      session.terminal.done(`${path} now belongs to ${origin}. Commit it.`);
    }
    return { lock: path, before, origin, teams };
  },
});
