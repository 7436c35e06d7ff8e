import { defineCommand } from '../cli/command.ts';
import type { Context } from '../cli/context.ts';
import { protectedProfileQuestion, removeProfile } from '../cli/profile-changes.ts';
import { command, remark } from '../lib/text/remark.ts';
import { profilesWith } from '../resources/keys/find-key.ts';
import { selectedProfile } from '../settings/identity.ts';

export const logout = defineCommand({
  name: 'logout',
  summary: 'Delete the API key of a profile',
  description:
    'Removes the secret and the access token from this machine. The key itself lives on at the service ' +
    'until botctl keys delete ends it. Where keys rotate has made the secret and the profile is all that keeps it, a ' +
    'question comes first, which --yes answers.',
  examples: [
    { line: 'botctl logout', does: 'Forget the key of the current profile' },
    { line: 'botctl logout --profile staging', does: 'Forget the key of another profile' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'nothing' },
  prepare: async ({ io, options, settings }) => selectedProfile(io.env, options, settings.profiles),
  async confirm({ settings }, _input, profile) {
    if (profile?.settings?.protected) return protectedProfileQuestion(profile);
    if (!profile?.onlyHere) return undefined;
    const { name, baseUrl, keyId } = profile;
    // Another profile may hold the key, too.
    if (profilesWith(settings, baseUrl, keyId).length > 1) return undefined;
    return {
      level: 'yes',
      statement: `keys rotate has made the secret of key ${keyId}, and profile ${name} is all that keeps it. Without it nobody can sign in with that key again.`,
      question: 'Sign out all the same?',
    };
  },
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
