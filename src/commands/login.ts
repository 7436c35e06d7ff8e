import { join, resolve } from 'node:path';
import { defineCommand } from '../cli/command.ts';
import type { Context } from '../cli/context.ts';
import { option, path } from '../cli/options.ts';
import { Failure, usageFailure } from '../lib/errors.ts';
import { readStdin } from '../lib/files/text-input.ts';
import { nonEmptyText, type Parse, ValueError } from '../lib/parse.ts';
import { command, joinRemarks, placeholder, remark } from '../lib/text/remark.ts';
import type { Secret } from '../secrets/secret.ts';
import { checkTransport, parseBaseUrl } from '../settings/base-url.ts';
import { baseUrlOverride } from '../settings/identity.ts';
import type { Profile } from '../settings/profile.ts';
import { checkProfileName, settingsAt } from '../settings/profiles.ts';
import { parseSecret, readSecretFile } from '../settings/secret-file.ts';

/** The profile that is written without `--profile`. */
const defaultName = 'default';

/** The time limit for trying an address, in milliseconds. */
const maxTryMs = 10_000;

/**
 * Users try to pass the secret as an option, but it would be in the shell's history and in the process list of all
 * users.
 */
const refusedSecret: Parse<never> = () => {
  throw new ValueError(
    'is not accepted: other users of this machine can read the command line. Use --key-secret-file, and treat this secret as leaked',
  );
};

export const login = defineCommand({
  name: 'login',
  summary: 'Save an API key as a profile',
  description:
    'Checks the key with the service before saving it. Asks for missing values on a terminal. A script needs ' +
    '--key-id, --key-secret-file and --base-url URL, the address of the service. --profile or BOTCTL_PROFILE names the profile ' +
    `(default: "${defaultName}"), which becomes the current profile.`,
  options: {
    keyId: option('--key-id <id>', 'id of the key', nonEmptyText),
    keySecretFile: option('--key-secret-file <file>', 'file with the secret of the key; - for stdin', path),
    keySecret: { ...option('--key-secret <secret>', 'not accepted', refusedSecret), hidden: true },
  },
  examples: [
    {
      line: 'botctl login --base-url "$URL" --key-id "$ID" --key-secret-file key.secret',
      does: 'Sign in with a secret from a file',
    },
    { line: 'botctl login', does: 'Sign in interactively' },
    {
      line: 'botctl login --base-url https://api.example.com --key-id "$ID" --key-secret-file - < secret.txt',
      does: 'Sign in from a script',
    },
    { line: 'botctl login --profile staging', does: 'Save a second service as profile staging' },
  ],
  needs: 'nothing',
  effect: 'changes',
  output: {
    kind: 'record',
    fields: [
      { name: 'profile' },
      { name: 'base_url', heading: 'Base address' },
      { name: 'key_id', heading: 'Key id', kind: 'id' },
      { name: 'key_name', heading: 'Key name' },
      { name: 'file' },
    ],
  },
  async run(context, input) {
    const { io, options, settings, terminal } = context;
    const name = options.profile ?? (io.env.BOTCTL_PROFILE || defaultName);
    checkProfileName(name);
    checkAnswers(context, input);
    const earlier = settings.profiles.get(name);
    const { profile, keyName } = await askUntilAccepted(context, { ...input, name, earlier });
    // Another login may have written the profile meanwhile, and the question was not about its key.
    const isUnchanged = (stored: Profile | undefined): boolean =>
      options.yes || [earlier ?? profile, profile].some((seen) => !isReplaced(stored, seen));
    await settings.profiles.save(profile, { use: true, isUnchanged });
    const { baseUrl, keyId } = profile;
    if (earlier && earlier.keyId !== keyId) {
      await settings.tokens.remove({ profile: name, baseUrl: earlier.baseUrl, keyId: earlier.keyId });
    }
    const file = join(settings.paths.config, 'config.json');
    terminal.done(`Signed in to ${baseUrl}. Saved the key as profile ${name} in ${file}.`);
    if (isReplaced(earlier, profile))
      terminal.note(`It replaces key ${earlier.keyId} for ${earlier.baseUrl}.`);
    const { caFile } = options;
    if (caFile !== undefined && profile.settings?.caFile !== resolve(caFile)) {
      terminal.note(
        remark`To always trust ${caFile}, run: ${command('profiles', 'set', name, '--ca-file', caFile)}`,
      );
    }
    if (io.env.BOTCTL_KEY_ID) {
      terminal.warn(
        'BOTCTL_KEY_ID is set in the environment and overrides the profile. Unset it, or add --profile.',
      );
    }
    return { profile: name, base_url: baseUrl, key_id: keyId, key_name: keyName ?? null, file };
  },
});

interface LoginInput {
  readonly keyId?: string | undefined;
  readonly keySecretFile?: string | undefined;
}

/** Checks for missing or contradictory options before the first question. */
function checkAnswers({ io, options, prompts }: Context, input: LoginInput): void {
  const { keyId, keySecretFile } = input;
  if (keySecretFile === '-' && io.stdin.isTTY) {
    throw new Failure('usage', '--key-secret-file - reads stdin, but stdin is a terminal.', {
      hint: 'Leave it out to type the secret, or redirect a file: … --key-secret-file - < FILE',
    });
  }
  const missing = [
    baseUrlOverride(io.env, options) === undefined && '--base-url is missing.',
    keyId === undefined && '--key-id is missing.',
    keySecretFile === undefined && '--key-secret-file is missing.',
  ].filter((problem) => problem !== false);
  if (missing.length > 0 && !prompts.available) {
    throw usageFailure(
      missing,
      remark`Without a terminal nothing can be asked. Run: ${command('login', '--base-url', placeholder('URL'), '--key-id', placeholder('ID'), '--key-secret-file', placeholder('FILE'))}`,
    );
  }
}

/** How often the user may try a key. */
const maxKeyAttempts = 3;

/** The answers, and the profile to write. */
interface NamedInput extends LoginInput {
  readonly name: string;
  /** The existing profile with that name. */
  readonly earlier: Profile | undefined;
}

/**
 * Asks for missing values and checks them. If a typed secret is rejected, both the id and the secret are asked for
 * again, because either may be mistyped.
 */
async function askUntilAccepted(
  context: Context,
  input: NamedInput,
): Promise<{ readonly profile: Profile; readonly keyName: unknown }> {
  const { name, earlier, keySecretFile } = input;
  const baseUrl = await askBaseUrl(context, input);
  let keyId = input.keyId?.trim() ?? (await askKeyId(context));
  let isAgreed = false;
  for (let attempt = 1; ; attempt += 1) {
    if (!isAgreed) await confirmReplacing(context, earlier, { baseUrl, keyId });
    isAgreed = isReplaced(earlier, { baseUrl, keyId });
    const note = attempt === 1 ? '' : ` (attempt ${attempt} of ${maxKeyAttempts})`;
    const keySecret = await readSecret(context, input, note);
    const profile = { name, baseUrl, keyId, keySecret, settings: settingsAt(baseUrl, earlier) };
    try {
      return { profile, keyName: await verify(context, profile) };
    } catch (thrown) {
      const isRefused = thrown instanceof Failure && thrown.kind === 'authentication';
      if (!isRefused || keySecretFile !== undefined || attempt === maxKeyAttempts) throw thrown;
      context.terminal.warn(thrown.message);
      keyId = await askKeyId(context, keyId);
    }
  }
}

/** @param fallback the answer if only Enter is pressed */
async function askKeyId({ prompts }: Context, fallback?: string): Promise<string> {
  const validate = (answer: string) => answer.trim() !== '' || 'The key id must not be empty.';
  const question = { message: 'Key id:', option: '--key-id', validate };
  return (await prompts.text(fallback === undefined ? question : { ...question, fallback })).trim();
}

/** Returns the base address. It is checked before any other question, so that a mistake shows early. */
async function askBaseUrl(context: Context, input: NamedInput): Promise<string> {
  const { io, options, prompts } = context;
  const { earlier } = input;
  const given = baseUrlOverride(io.env, options)?.baseUrl;
  if (given !== undefined) {
    checkTransport(given, options.insecureHttp);
    const isComplete = input.keyId !== undefined && input.keySecretFile !== undefined;
    if (!isComplete) await tryAddress(context, given, earlier);
    return given;
  }
  const question = {
    message: 'Base address of the service:',
    option: '--base-url',
    validate: (answer: string) => problemWith(context, answer, earlier),
    ...(earlier && { fallback: earlier.baseUrl }),
  };
  return parseBaseUrl(await prompts.text(question));
}

async function problemWith(
  context: Context,
  answer: string,
  earlier: Profile | undefined,
): Promise<string | true> {
  try {
    const baseUrl = parseBaseUrl(answer);
    checkTransport(baseUrl, context.options.insecureHttp);
    await tryAddress(context, baseUrl, earlier);
    return true;
  } catch (error) {
    if (error instanceof ValueError) return `The address ${error.message}.`;
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** @throws Failure if the address can't be reached */
async function tryAddress(
  { io, options, signal }: Context,
  baseUrl: string,
  earlier: Profile | undefined,
): Promise<void> {
  const { checkReach } = await import('../resources/check-reach.ts');
  await checkReach(baseUrl, {
    env: io.env,
    caFile: options.caFile ?? settingsAt(baseUrl, earlier)?.caFile,
    requestTimeout: options.requestTimeout ?? maxTryMs,
    insecureHttp: options.insecureHttp,
    signal,
  });
}

type ServiceKey = Pick<Profile, 'baseUrl' | 'keyId'>;

/** True if the new key differs from that of the existing profile. */
function isReplaced(earlier: Profile | undefined, { baseUrl, keyId }: ServiceKey): earlier is Profile {
  return earlier !== undefined && (earlier.baseUrl !== baseUrl || earlier.keyId !== keyId);
}

/** The secret of the old key can't be read again, so it must not be overwritten by mistake. */
async function confirmReplacing(
  { options, prompts, terminal }: Context,
  earlier: Profile | undefined,
  next: ServiceKey,
): Promise<void> {
  if (!isReplaced(earlier, next) || options.yes) return;
  const { name, keyId, baseUrl, writtenBy } = earlier;
  // The secret of a sandbox is also in its data directory, but commands that name the profile would use another
  // service.
  if (writtenBy && baseUrl === next.baseUrl) return;
  const loss = writtenBy
    ? `Commands with --profile ${name} will no longer use the sandbox.`
    : 'Its secret would be lost.';
  terminal.warn(`Profile ${name} holds key ${keyId} for ${baseUrl}. ${loss}`);
  const message = 'Replace it? (To keep both, sign in with --profile NAME)';
  if (!(await prompts.yes({ message, option: '--yes' }))) throw new Failure('declined', 'Nothing was saved.');
}

async function readSecret({ io, prompts }: Context, input: LoginInput, note = ''): Promise<Secret> {
  const option = '--key-secret-file';
  if (input.keySecretFile === '-') return parseSecret((await readStdin(io, `${option} -`)).trim(), 'stdin');
  if (input.keySecretFile !== undefined) return readSecretFile(input.keySecretFile, option, io.signal);
  const typed = await prompts.secret({ message: `Key secret${note}:`, option });
  // Text that is copied from a page or a chat often has surrounding spaces.
  return parseSecret(typed.trim(), 'The answer');
}

/** Requests a token and reads the key. Returns the name of the key, if the service returns it. */
async function verify(context: Context, profile: Profile): Promise<unknown> {
  const { name, baseUrl, keyId, keySecret } = profile;
  const owner = { profile: name, baseUrl, keyId };
  // A cached token would hide that the secret was never checked.
  await context.settings.tokens.remove(owner);
  const api = await context.openApi({ ...owner, keySecret, source: 'login', settings: profile.settings });
  let isTaken = false;
  try {
    await api.accessToken();
    isTaken = true;
    return (await api.call('getKey', { path: { keyId } })).data.name;
  } catch (thrown) {
    // The service accepted the key, but need not return it.
    if (isTaken && thrown instanceof Failure && thrown.code && ['notFound', 'rejected'].includes(thrown.kind))
      return undefined;
    await context.settings.tokens.remove(owner);
    throw await loginFailure(thrown, profile);
  } finally {
    await api.close();
  }
}

async function loginFailure(thrown: unknown, profile: Profile): Promise<unknown> {
  if (!(thrown instanceof Failure) || thrown.kind !== 'authentication') return thrown;
  const { quotesHint } = await import('../client/words/call-failure.ts');
  const check = 'Check the key id, the secret and the address. Nothing was saved.';
  return thrown.withHint(joinRemarks([quotesHint(profile), check], ' '));
}
