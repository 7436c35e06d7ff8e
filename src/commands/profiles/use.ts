import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { findProfile } from '../../settings/identity.ts';

export const use = defineCommand({
  name: 'use',
  summary: 'Choose the current profile',
  description: 'Commands use the current profile unless --profile or the environment names another key.',
  arguments: { name: argument('name of the profile', nameOf('profile')) },
  examples: [{ line: 'botctl profiles use sandbox', does: 'Use profile sandbox from now on' }],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'nothing' },
  async run(context, { name: typed }) {
    const { askWhich, settings, terminal } = context;
    const { name, baseUrl } = await findProfile(typed, settings.profiles, askWhich);
    await settings.profiles.use(name);
    terminal.done(`Profile ${name} (${baseUrl}) is now the current one.`);
    const stronger = strongerThanCurrent(context, name);
    if (stronger) terminal.warn(`${stronger} is set in the environment and overrides it.`);
  },
});

/** Returns the variable that overrides the current profile, if there is one. */
function strongerThanCurrent({ io: { env } }: Context, name: string): string | undefined {
  if (env.BOTCTL_KEY_ID) return 'BOTCTL_KEY_ID';
  return env.BOTCTL_PROFILE && env.BOTCTL_PROFILE !== name ? 'BOTCTL_PROFILE' : undefined;
}
