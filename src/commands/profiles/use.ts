import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { argument, nameOf } from '../../cli/options.ts';
import { findProfile } from '../../settings/identity.ts';

export const use = defineCommand({
  name: 'use',
  summary: 'Make a profile the current one',
  description:
    'Commands use the current profile where neither --profile nor the environment names who calls.',
  arguments: { name: argument('name of the profile', nameOf('profile')) },
  examples: [{ line: 'botctl profiles use sandbox', does: 'Call as profile sandbox from now on' }],
  needs: 'nothing',
  effect: 'changes',
  output: { kind: 'nothing' },
  async run(context, { name: typed }) {
    const { askWhich, settings, terminal } = context;
    const { name, baseUrl } = await findProfile(typed, settings.profiles, askWhich);
    await settings.profiles.use(name);
    terminal.done(`Profile ${name} (${baseUrl}) is the current one.`);
    const stronger = strongerThanCurrent(context, name);
    if (stronger) terminal.warn(`${stronger} is set in the environment and goes before it.`);
  },
});

/** The variable that keeps the current profile from being used. */
function strongerThanCurrent({ io: { env } }: Context, name: string): string | undefined {
  if (env.BOTCTL_KEY_ID) return 'BOTCTL_KEY_ID';
  return env.BOTCTL_PROFILE && env.BOTCTL_PROFILE !== name ? 'BOTCTL_PROFILE' : undefined;
}
