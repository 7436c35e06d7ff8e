import { defineCommand } from '../../cli/command.ts';
import { nameOf, optionalArgument } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { findProfile, selectedProfile } from '../../settings/identity.ts';
import { profileFields, profileRow } from './fields.ts';

export const show = defineCommand({
  name: 'show',
  summary: 'Show a profile with its settings',
  description:
    'Without a name it shows the profile in use: that of --profile, BOTCTL_PROFILE or the current one. ' +
    'Never shows a secret.',
  arguments: { name: optionalArgument('name of the profile', nameOf('profile')) },
  examples: [
    { line: 'botctl profiles show', does: 'Show the current profile' },
    { line: 'botctl profiles show staging -o json', does: 'Print another profile for a script' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'record', fields: profileFields },
  async run({ io, askWhich, options, settings: { profiles } }, { name }) {
    const profile =
      name === undefined
        ? selectedProfile(io.env, options, profiles)
        : await findProfile(name, profiles, askWhich);
    if (!profile) {
      throw new Failure('notFound', 'No profile is selected.', {
        hint: remark`Choose one: ${command('profiles', 'use', placeholder('NAME'))}. List them: ${command('profiles', 'list')}`,
      });
    }
    return profileRow(profile, profiles.current());
  },
});
