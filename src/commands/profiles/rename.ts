import { defineCommand } from '../../cli/command.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { renameProfile } from '../../cli/profile-changes.ts';
import { someText } from '../../lib/parse.ts';
import { findProfile } from '../../settings/identity.ts';

export const rename = defineCommand({
  name: 'rename',
  summary: 'Give a profile another name',
  description: 'Its settings and its access token move along; the current profile stays the current one.',
  arguments: {
    name: argument('name of the profile', nameOf('profile')),
    newName: argument('its new name', someText),
  },
  examples: [
    { line: 'botctl profiles rename sandbox rehearsal', does: 'Call profile sandbox rehearsal from now on' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'nothing' },
  async run({ io, askWhich, settings, terminal }, { name: typed, newName }) {
    const profile = await findProfile(typed, settings.profiles, askWhich);
    const { name } = profile;
    await renameProfile(settings, profile, newName);
    terminal.done(`Profile ${name} is called ${newName} now.`);
    if (io.env.BOTCTL_PROFILE === name)
      terminal.warn(`BOTCTL_PROFILE still names ${name}. Set it to ${newName}.`);
  },
});
