import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { protectedProfileQuestion, removeProfile } from '../../cli/profile-changes.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { findProfile } from '../../settings/identity.ts';

export const remove = defineCommand({
  name: 'remove',
  summary: 'Remove a profile from this machine',
  description:
    'Removes its secret and its access token too. The key itself stays valid until "botctl keys delete".',
  arguments: { name: argument('name of the profile', nameOf('profile')) },
  examples: [
    { line: 'botctl profiles remove sandbox', does: 'Remove a profile' },
    { line: 'botctl profiles remove sandbox --yes', does: 'Remove a profile in a script' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: {
    kind: 'record',
    fields: [
      { name: 'name' },
      { name: 'base_url', heading: 'Base address' },
      { name: 'key_id', heading: 'Key id', kind: 'id' },
      { name: 'removed', kind: 'flag' },
    ],
  },
  async prepare({ askWhich, settings: { profiles } }, { name }) {
    const profile = await findProfile(name, profiles, askWhich);
    return { profile, isCurrent: profiles.current() === profile.name };
  },
  async confirm(_context, _input, { profile }) {
    if (profile.settings?.protected) return protectedProfileQuestion(profile);
    const { name, baseUrl } = profile;
    return {
      level: 'yes',
      statement: `This removes profile ${name} with its key for ${baseUrl}. The service doesn't show the secret again.`,
    };
  },
  async run({ settings, terminal }, _input, { profile, isCurrent }) {
    await removeProfile(settings, profile);
    terminal.done(`Removed profile ${profile.name} with its key and token.`);
    terminal.note(`Key ${profile.keyId} itself is still valid at ${profile.baseUrl}.`);
    const others = settings.profiles.list().map(({ name }) => name);
    if (isCurrent && others.length > 0)
      terminal.note(
        remark`No profile is the current one now. Choose one: ${command('profiles', 'use', placeholder(others.join('|')))}`,
      );
    return { name: profile.name, base_url: profile.baseUrl, key_id: profile.keyId, removed: true };
  },
});
