import { defineCommand } from '../cli/command.ts';
import type { Context } from '../cli/context.ts';
import { protectedProfileQuestion, removeProfile } from '../cli/profile-changes.ts';
import { command, remark } from '../lib/text/remark.ts';
import { selectedProfile } from '../settings/identity.ts';

export const logout = defineCommand({
  name: 'logout',
  summary: 'Forget the API key of a profile',
  description:
    'Removes the secret and the access token from this machine. The key itself lives on at the service ' +
    'until botctl keys delete ends it. A secret that keys rotate has made is lost with the profile, unless it was also ' +
    'written elsewhere.',
  examples: [
    { line: 'botctl logout', does: 'Forget the key of the current profile' },
    { line: 'botctl logout --profile staging', does: 'Forget the key of another profile' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'nothing' },
  prepare: async ({ io, options, settings }) => selectedProfile(io.env, options, settings.profiles),
  confirm: async (_context, _input, profile) =>
    profile?.settings?.protected ? protectedProfileQuestion(profile) : undefined,
  async run(context, _input, profile) {
    const { settings, terminal } = context;
    if (profile) {
      const { name, baseUrl, keyId } = profile;
      await removeProfile(settings, profile);
      terminal.done(`Signed out of ${baseUrl}: profile ${name} and its token are gone from this machine.`);
      terminal.note(
        remark`The key itself (${keyId}) lives on. To end it, sign in with another key and run: ${command('keys', 'delete', keyId)}`,
      );
    } else {
      terminal.note('No profile is signed in. Nothing was removed.');
    }
    noteOthers(context);
  },
});

/** Says what still gives access, so that nobody takes themselves for signed out. */
function noteOthers({ io, settings, terminal }: Context): void {
  if (io.env.BOTCTL_KEY_ID)
    terminal.note('BOTCTL_KEY_ID is still set in the environment, and botctl goes on using it.');
  const others = settings.profiles.list().map(({ name }) => name);
  if (others.length > 0)
    terminal.note(`Other profiles are still stored: ${others.join(', ')}. Use one with --profile.`);
}
