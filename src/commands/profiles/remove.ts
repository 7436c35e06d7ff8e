import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { protectedProfileQuestion, removeProfile } from '../../cli/profile-changes.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { findProfile } from '../../settings/identity.ts';

export const remove = defineCommand({
  name: 'remove',
  summary: 'Remove a profile from this machine',
  description:
    'Its secret and its access token go with it. The key itself lives on at the service until botctl keys ' +
    'delete ends it.',
  arguments: { name: argument('name of the profile', nameOf('profile')) },
  examples: [
    { line: 'botctl profiles remove sandbox', does: 'Remove a profile after a question' },
    { line: 'botctl profiles remove sandbox --yes', does: 'Remove it in a script' },
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
      statement: `This removes profile ${name} and its key for ${baseUrl}. The secret can't be read again.`,
    };
  },
  async run({ settings, terminal }, _input, { profile, isCurrent }) {
    await removeProfile(settings, profile);
    terminal.done(`Removed profile ${profile.name} with its key and token.`);
    terminal.note(`The key itself (${profile.keyId}) lives on at ${profile.baseUrl}.`);
    const others = settings.profiles.list().map(({ name }) => name);
    if (isCurrent && others.length > 0)
      terminal.note(
        remark`No profile is current now. Choose one: ${command('profiles', 'use', placeholder(others.join('|')))}`,
      );
    return { name: profile.name, base_url: profile.baseUrl, key_id: profile.keyId, removed: true };
  },
});
