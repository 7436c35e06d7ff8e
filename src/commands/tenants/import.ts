import { defineCommand } from '../../cli/command.ts';
import { argument } from '../../cli/options.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { lockOption } from './options.ts';

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Link an address to an existing object',
  description:
    'Writes the id of the object into the state file, and changes nothing else. Use it if several objects have the name, if ' +
    'the object has a different name than in the files, or for a device whose creation was interrupted. The next plan shows ' +
    'how the object differs from the files.',
  arguments: {
    address: argument('address of a tenant or object, such as aurora/bots/front-desk', nonEmptyText),
    object: argument('the team, bot, document or device, by name or id', nonEmptyText),
  },
  options: { lock: lockOption },
  examples: [
    { line: 'botctl tenants import aurora "Aurora Coffee"', does: 'Link a tenant to an existing team' },
    { line: 'botctl tenants import aurora/devices/reception "$ID"', does: 'Link a device by its id' },
  ],
  needs: 'api',
  effect: 'creates',
  output: {
    kind: 'record',
    fields: [{ name: 'address', importance: 9 }, { name: 'name' }, { name: 'id', kind: 'id' }],
  },
  async run(session, { address, object, lock: named }) {
    const [{ importObject }, { statePathFor }, { readState }, { changeLocked }] = await Promise.all([
      import('../../tenants/import-object.ts'),
      import('../../tenants/make-plan.ts'),
      import('../../tenants/state-file.ts'),
      import('../../tenants/apply-lock.ts'),
    ]);
    const { baseUrl } = session.api;
    const path = named ?? statePathFor([]);
    const { id, name, into } = await importObject(session, readState(path, baseUrl), address, object);
    await changeLocked(session, path, baseUrl, into);
    session.terminal.done(`Linked ${address} to ${name ?? id} in ${path}.`);
    return { address, name: name ?? null, id };
  },
});
