import { defineCommand } from '../../cli/command.ts';
import { argument } from '../../cli/options.ts';
import { someText } from '../../lib/parse.ts';
import { lockOption } from './options.ts';

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Say which object of the service an address is',
  description:
    'Writes its id into the lock, and changes nothing else: for what several have the name of, for what has another ' +
    'name than the files say, and for a device whose create was cut off. The next plan shows what differs from the files.',
  arguments: {
    address: argument('address of a tenant, or of one object: aurora/bots/front-desk', someText),
    object: argument('the team, bot, document or device, by name or id', someText),
  },
  options: { lock: lockOption },
  examples: [
    { line: 'botctl tenants import aurora "Aurora Coffee"', does: 'Take a team that is there for a tenant' },
    { line: 'botctl tenants import aurora/devices/reception "$ID"', does: 'Say which device it is' },
  ],
  needs: 'api',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [{ name: 'address', importance: 9 }, { name: 'name' }, { name: 'id', kind: 'id' }],
  },
  async run(session, { address, object, lock: named }) {
    const [{ importObject }, { lockBeside }, { readState }, { changeInTurn }] = await Promise.all([
      import('../../tenants/import-object.ts'),
      import('../../tenants/make-plan.ts'),
      import('../../tenants/state-file.ts'),
      import('../../tenants/apply-lock.ts'),
    ]);
    const { baseUrl } = session.api;
    const path = named ?? lockBeside([]);
    const { id, name, into } = await importObject(session, readState(path, baseUrl), address, object);
    await changeInTurn(session, path, baseUrl, into);
    session.terminal.done(`${address} is ${name ?? id}, by ${path}.`);
    return { address, name: name ?? null, id };
  },
});
