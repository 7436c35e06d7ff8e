import { defineCommand } from '../../command.ts';
import { Failure } from '../../errors.ts';
import { nameOf, optionalArgument } from '../../input/options.ts';
import { findProfile, selectedProfile } from '../../settings/identity.ts';
import { profileFields, profileRow } from './fields.ts';

export const show = defineCommand({
  name: 'show',
  summary: 'Show one profile with its settings',
  description:
    'Shows the profile that --profile, BOTCTL_PROFILE or the config file selects where none is named. ' +
    'Never shows a secret.',
  arguments: { name: optionalArgument('name of the profile', nameOf('profile')) },
  examples: [
    { line: 'botctl profiles show', does: 'Show the current profile' },
    { line: 'botctl profiles show staging -o json', does: 'Show another one, for a script' },
  ],
  needs: 'nothing',
  effect: 'reads',
  output: { kind: 'record', fields: profileFields },
  async run({ io, options, settings: { profiles } }, { name }) {
    const profile =
      name === undefined ? selectedProfile(io.env, options, profiles) : findProfile(name, profiles);
    if (!profile) {
      throw new Failure('notFound', 'No profile is selected.', {
        hint: 'Choose one: botctl profiles use NAME. See them all: botctl profiles list',
      });
    }
    return profileRow(profile, profiles);
  },
});
