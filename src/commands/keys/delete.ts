import { defineCommand } from '../../command.ts';
import { Failure } from '../../errors.ts';
import { argument, someText } from '../../options.ts';
import { originOf } from '../../settings/base-url.ts';
import type { Settings } from '../../settings/settings.ts';
import { findKey, keyLabel } from './find.ts';

export const remove = defineCommand({
  name: 'delete',
  summary: 'Delete an API key for good',
  description:
    'Whatever still uses the key loses its access. The key that makes the call cannot be deleted by it: ' +
    'sign in with another one first.',
  arguments: { key: argument('the key, by id or exact name', someText) },
  examples: [
    { line: 'botctl keys delete "ci deploy"', does: 'Delete a key after typing its name' },
    { line: 'botctl keys delete "ci deploy" --confirm "ci deploy"', does: 'Delete it in a script' },
  ],
  needs: 'session',
  effect: 'destroys',
  output: { kind: 'nothing' },
  async prepare({ api, settings }, { key }) {
    const found = await findKey(api, key, { for: 'write' });
    if (found.key_id === settings.identity().keyId) throw keyInUse(found.key_id);
    return found;
  },
  async confirm({ api, settings }, _input, key) {
    const { key_id: keyId, name } = key;
    const profiles = profilesWith(settings, api.baseUrl, keyId);
    const consequences = [
      `This deletes key ${keyLabel(key)} for good.`,
      profiles.length > 0 && `Here it is the key of profile ${profiles.join(', ')}.`,
    ];
    return {
      level: 'name',
      question: consequences.filter(Boolean).join(' '),
      names: [...(typeof name === 'string' && name !== '' ? [name] : []), keyId],
    };
  },
  async run({ api, terminal }, _input, key) {
    await api.call('deleteKey', { path: { keyId: key.key_id } });
    terminal.done(`Deleted key ${keyLabel(key)}.`);
  },
});

/** The API refuses this too (api.md, Authentication 6), but doesn't know the way out. */
function keyInUse(keyId: string): Failure {
  return new Failure(
    'rejected',
    `Key ${keyId} is the one that you are using, and a key can't delete itself.`,
    {
      hint:
        'Create another (botctl keys create --name NAME --secret-file FILE), sign in with it ' +
        `(botctl login --key-id ID --key-secret-file FILE), then run: botctl keys delete ${keyId}`,
    },
  );
}

function profilesWith(settings: Settings, baseUrl: string, keyId: string): readonly string[] {
  return settings.profiles
    .list()
    .filter((profile) => profile.keyId === keyId && originOf(profile.baseUrl) === originOf(baseUrl))
    .map(({ name }) => name);
}
