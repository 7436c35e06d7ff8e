import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { renameProfile } from '../../cli/profile-changes.ts';
import { nonEmptyText } from '../../lib/parse.ts';
import { findProfile } from '../../settings/identity.ts';

export const rename = defineCommand({
  name: 'rename',
  summary: 'Rename a profile',
  description: 'Its settings and its access token are kept. If it is the current profile, it stays current.',
  arguments: {
    name: argument('name of the profile', nameOf('profile')),
    newName: argument('new name', nonEmptyText),
  },
  examples: [
    { line: 'botctl profiles rename sandbox rehearsal', does: 'Rename profile sandbox to rehearsal' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'nothing' },
  async run({ io, askWhich, settings, terminal }, { name: typed, newName }) {
    const profile = await findProfile(typed, settings.profiles, askWhich);
    const { name } = profile;
    await renameProfile(settings, profile, newName);
    terminal.done(`Renamed profile ${name} to ${newName}.`);
    if (io.env.BOTCTL_PROFILE === name)
      terminal.warn(`BOTCTL_PROFILE is still ${name}. Set it to ${newName}.`);
  },
});
