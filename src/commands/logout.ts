import { defineCommand } from '../cli/command.ts';
import type { Context } from '../cli/context.ts';
import { protectedProfileQuestion, removeProfile } from '../cli/profile-changes.ts';
import { command, remark } from '../lib/text/remark.ts';
import { profilesWith } from '../resources/keys/find-key.ts';
import { selectedProfile } from '../settings/identity.ts';

export const logout = defineCommand({
  name: 'logout',
  summary: 'Remove a profile from this machine',
  description:
    'Removes the profile with its secret and access token from this machine. The key itself stays valid until ' +
    '"botctl keys delete". If the profile holds the only copy of a secret that "keys rotate" created, logout asks ' +
    'first (--yes skips that).',
  examples: [
    { line: 'botctl logout', does: 'Remove the current profile' },
    { line: 'botctl logout --profile staging', does: 'Remove another profile' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'nothing' },
  prepare: async ({ io, options, settings }) => selectedProfile(io.env, options, settings.profiles),
  async confirm({ settings }, _input, profile) {
    if (profile?.settings?.protected) return protectedProfileQuestion(profile);
    if (!profile?.onlyHere) return undefined;
    const { name, baseUrl, keyId } = profile;
    // Another profile may use the same key.
    if (profilesWith(settings, baseUrl, keyId).length > 1) return undefined;
    return {
      level: 'yes',
      statement: `Profile ${name} has the only copy of the secret of key ${keyId}, which "keys rotate" created. Without it the key can't be used again.`,
      question: 'Sign out anyway?',
    };
  },
  async run(context, _input, profile) {
    const { settings, terminal } = context;
    if (profile) {
      const { name, baseUrl, keyId } = profile;
      await removeProfile(settings, profile);
      terminal.done(`Signed out of ${baseUrl}. Removed profile ${name} and its token from this machine.`);
      terminal.note(
        remark`Key ${keyId} itself is still valid. To delete it, sign in with another key and run: ${command('keys', 'delete', keyId)}`,
      );
    } else {
      terminal.note('No profile is signed in. Nothing was removed.');
    }
    noteOthers(context);
  },
});

/** Reports remaining credentials, so that users do not believe that they are signed out. */
function noteOthers({ io, settings, terminal }: Context): void {
  if (io.env.BOTCTL_KEY_ID)
    terminal.note('BOTCTL_KEY_ID is still set in the environment, so botctl still uses that key.');
  const others = settings.profiles.list().map(({ name }) => name);
  if (others.length > 0)
    terminal.note(`Other profiles on this machine: ${others.join(', ')}. Choose one with --profile.`);
}
