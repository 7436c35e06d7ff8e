import { capitalised } from '../../lib/text/sentence.ts';
import { listWords } from '../../settings/profile-settings.ts';
import type { Identity } from '../../settings/settings.ts';
import { type Answer, type Check, ok, type Subject, skipped, warning } from './check.ts';

/** The checks of the caller and of the source of its credentials. */
export const credentialChecks: readonly Check[] = [
  {
    name: 'credentials',
    run({ identity }) {
      return ok(`Key ${identity.keyId} for ${identity.baseUrl}, from ${sourceOf(identity)}.`);
    },
  },
  { name: 'other credentials', run: shadowedAnswer },
  {
    name: 'profile',
    run({ identity: { profile, settings = {} } }) {
      if (profile === undefined) return skipped('No profile is in use: the key comes from the environment.');
      const protection = settings.protected ? 'protected (changes ask for its name)' : 'not protected';
      const certificates = settings.caFile === undefined ? [] : [`certificates in ${settings.caFile}`];
      return ok(`${profile}: ${[protection, ...listWords(settings), ...certificates].join(', ')}.`);
    },
  },
];

function sourceOf({ source, profile }: Identity): string {
  if (profile === undefined) return 'BOTCTL_KEY_ID and its secret in the environment';
  return source === 'current profile'
    ? `profile ${profile}, the current one`
    : `profile ${profile} (${source})`;
}

/** Reports credentials that are set but not used, because others take precedence. */
function shadowedAnswer({ context, identity }: Subject): Answer {
  const { env } = context.io;
  const { source } = identity;
  const current = currentProfile(context);
  const shadowed: string[] = [];
  if (source !== 'environment' && env.BOTCTL_KEY_ID) shadowed.push('BOTCTL_KEY_ID and its secret');
  if (['--profile', 'environment'].includes(source) && env.BOTCTL_PROFILE)
    shadowed.push(`BOTCTL_PROFILE=${env.BOTCTL_PROFILE}`);
  if (source !== 'current profile' && current !== undefined && current !== identity.profile)
    shadowed.push(`profile ${current}, the current one`);
  if (shadowed.length === 0) return ok('No other credentials are set.');
  const isEnvironment = source === 'environment';
  const words = capitalised(
    `${sourceOf(identity)} ${isEnvironment ? 'override' : 'overrides'} ${shadowed.join(' and ')}.`,
  );
  // With --profile, the user has chosen on purpose.
  if (source === '--profile') return ok(words);
  const variables = isEnvironment
    ? 'BOTCTL_KEY_ID BOTCTL_KEY_SECRET BOTCTL_KEY_SECRET_FILE'
    : 'BOTCTL_PROFILE';
  return warning(words, `To use another key, add --profile NAME or run: unset ${variables}`);
}

/** Another check reports a config file that can't be read. */
function currentProfile({ settings }: Subject['context']): string | undefined {
  try {
    const name = settings.profiles.current();
    return name !== undefined && settings.profiles.get(name) ? name : undefined;
  } catch {
    return undefined;
  }
}
