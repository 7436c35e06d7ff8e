import { defineCommand } from '../../cli/command.ts';
import { eachOf, nameOf } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { remark } from '../../lib/text/remark.ts';
import { findKey, profilesWith } from '../../resources/keys/find-key.ts';
import { rotateLine } from '../../resources/keys/rotate-line.ts';
import type { Identity } from '../../settings/settings.ts';

export const remove = defineCommand({
  name: 'delete',
  summary: 'Delete an API key',
  description:
    "Everything that still uses the key loses access. The key in use can't delete itself: replace it with " +
    '"botctl keys rotate".',
  arguments: { key: eachOf('id or exact name of the key', nameOf('key')) },
  examples: [
    { line: 'botctl keys delete ci', does: 'Delete a key; you type its name to confirm' },
    { line: 'botctl keys delete ci --confirm ci', does: 'Delete it in a script' },
    {
      line: 'botctl keys delete ci staging --confirm ci --confirm staging',
      does: 'Delete two keys in a script',
    },
  ],
  needs: 'api',
  effect: 'destroys',
  output: {
    kind: 'record',
    fields: [
      { name: 'key_id', heading: 'Key id', kind: 'id' },
      { name: 'name' },
      { name: 'deleted', kind: 'flag' },
    ],
  },
  async prepare({ api, askWhich, identity }, { key }) {
    const found = await findKey(api, key, askWhich);
    if (found.id === identity.keyId) throw keyInUse(identity);
    return found;
  },
  idOf: ({ id }) => id,
  async confirm({ api, settings }, _input, key) {
    const { id, name, label } = key;
    const profiles = profilesWith(settings, api.baseUrl, id);
    const consequences = [
      `This deletes key ${label} permanently.`,
      profiles.length > 0 && `On this machine profile ${profiles.join(', ')} uses it.`,
    ];
    return {
      level: 'name',
      statement: consequences.filter(Boolean).join(' '),
      names: name === undefined ? [id] : [name, id],
    };
  },
  async run({ api, terminal }, _input, key) {
    await api.call('deleteKey', { path: { keyId: key.id } });
    terminal.done(`Deleted key ${key.label}.`);
    return { key_id: key.id, name: key.raw.name ?? null, deleted: true };
  },
});

/** The API refuses this too (specification, Authentication 6), but does not suggest an alternative. */
function keyInUse(identity: Identity): Failure {
  return new Failure('rejected', `Key ${identity.keyId} is in use, and a key can't delete itself.`, {
    hint: remark`To delete it, sign in with another key. To replace it, run: ${rotateLine(identity)}`,
  });
}
