import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { damagedLinesOf, fileLog } from '../../desk/device-book.ts';
import { errorCode, Failure } from '../../lib/errors.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { shellWord } from '../../lib/text/quote.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import { damageRemedy } from '../../resources/devices/book-damage.ts';
import { finishLine, rotateOf } from '../../resources/keys/rotate-line.ts';
import { readConfig } from '../../settings/config-file.ts';
import { createRotationJournal } from '../../settings/rotation-journal.ts';
import type { Paths } from '../../settings/settings.ts';
import { ignoreErrors } from '../../settings/small-files.ts';
import { type Answer, type Check, ok, orFailure, type Subject, warning } from './check.ts';

/** The permission bits of the group and of others. */
const others = 0o077;
const othersWrite = 0o022;
/** The sticky bit, which shared directories such as /tmp have. */
const sticky = 0o1000;

/** The checks of local files. */
export const fileChecks: readonly Check[] = [
  { name: 'config directory', run: ifWritable('config', "Profiles can't be saved", directoryAnswer) },
  { name: 'config file', run: configAnswer },
  { name: 'token cache', run: ifWritable('cache', 'Every command requests a new token', tokensAnswer) },
  { name: 'device book', run: ifWritable('data', "Devices can't be recorded", bookAnswer) },
  { name: 'key rotations', needs: ['config file'], run: rotationsAnswer },
];

/** Returns why a directory is not writable, or undefined if it is. The directory need not exist. */
export function unwritableReason(directory: string): string | undefined {
  let path = directory;
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  if (!ignoreErrors(() => statSync(path))?.isDirectory()) return `${path} is not a directory`;
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return errorCode(error) === 'EROFS'
      ? 'the disk is read-only'
      : `you have no permission to write to ${path}`;
  }
}

/** Returns a check of a directory that only warns if it is not writable. */
function ifWritable(
  place: keyof Paths,
  outcome: string,
  look: (directory: string, subject: Subject) => Answer,
): Check['run'] {
  return (subject) => {
    const directory = subject.context.settings.paths[place];
    const reason = unwritableReason(directory);
    return reason === undefined
      ? look(directory, subject)
      : warning(
          `${outcome}: ${directory} is not writable (${reason}).`,
          'Set BOTCTL_CONFIG_DIR to a writable directory.',
        );
  };
}

function directoryAnswer(config: string): Answer {
  const mode = modeOf(config);
  if (mode === undefined) return ok(`${config} does not exist yet. It is created when something is saved.`);
  const words = `${config} (mode ${octal(mode)})`;
  const hint = `chmod 700 ${shellWord(config)}`;
  if ((mode & sticky) !== 0)
    return warning(
      `${words} is shared with other users.`,
      'Set BOTCTL_CONFIG_DIR to a directory of your own.',
    );
  if ((mode & othersWrite) !== 0)
    throw new Failure('invalidInput', `Other users can write to ${words}.`, { hint });
  if ((mode & others) !== 0) return warning(`Other users can list ${words}.`, hint);
  return ok(`Only you can access ${config}.`);
}

/** Returns the permission bits of a file. On Windows, which has none for the group and others, those are removed. */
function modeOf(path: string): number | undefined {
  const mode = ignoreErrors(() => statSync(path).mode & 0o7777);
  return mode !== undefined && process.platform === 'win32' ? 0o700 : mode;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/**
 * Checks the config file. If the key comes from the environment, no profile is needed, and a file of another user is
 * not a problem.
 */
async function configAnswer({ context: { io, options, settings } }: Subject): Promise<Answer> {
  const found = await orFailure(() => storedAnswer(settings.paths.config));
  if (!(found instanceof Failure)) return found;
  if (options.profile !== undefined || !io.env.BOTCTL_KEY_ID) throw found;
  return warning(`${found.message} It is not needed: the key is from the environment.`, found.hint);
}

function storedAnswer(directory: string): Answer {
  const file = join(directory, 'config.json');
  const { profiles, current } = readConfig(directory);
  if (!existsSync(file)) return ok(`No profiles: ${file} does not exist.`);
  checkPrivate([file]);
  const copies = namesIn(directory).filter((name) => name.startsWith('config.json.corrupt-'));
  if (copies.length > 0)
    return warning(
      `${file} is valid. Next to it ${copies.length === 1 ? 'is a damaged copy' : `are ${copies.length} damaged copies`} with keys.`,
      `rm ${copies.map((name) => shellWord(join(directory, name))).join(' ')}`,
    );
  const words = `${file} has ${pluralize(profiles.size, 'profile')}`;
  if (current === undefined) return ok(`${words}.`);
  if (profiles.has(current)) return ok(`${words}; the current one is ${current}.`);
  return warning(
    `${words}, but not the current one, "${current}".`,
    remark`Choose another one: ${command('profiles', 'use', placeholder('NAME'))}`,
  );
}

/** @throws Failure `invalidInput` if other users can access files with secrets */
function checkPrivate(files: readonly string[]): void {
  const open = files.filter((file) => ((modeOf(file) ?? 0) & others) !== 0);
  if (open.length === 0) return;
  const shown = open.map((file) => `${file} (mode ${octal(modeOf(file) ?? 0)})`);
  const message = `Other users of this machine can read secrets in ${firstFew(shown, 1)}.`;
  throw new Failure('invalidInput', message, { hint: `chmod 600 ${open.map(shellWord).join(' ')}` });
}

function namesIn(directory: string): readonly string[] {
  return ignoreErrors(() => readdirSync(directory)) ?? [];
}

function tokensAnswer(cache: string): Answer {
  const directory = join(cache, 'tokens');
  const tokens = namesIn(directory).filter((name) => name.endsWith('.json'));
  checkPrivate(tokens.map((name) => join(directory, name)));
  return ok(`${pluralize(tokens.length, 'access token')} in ${directory}.`);
}

function bookAnswer(_directory: string, { context: { settings } }: Subject): Answer {
  const log = fileLog(settings.paths.data);
  if (!existsSync(log.file)) return ok(`No device book in ${settings.paths.data}.`);
  const broken = damagedLinesOf(log).length;
  return broken === 0
    ? ok(`${log.file} is valid.`)
    : warning(`${pluralize(broken, 'line')} in ${log.file} can't be read. The rest is used.`, damageRemedy);
}

function rotationsAnswer({ context: { settings } }: Subject): Answer {
  const [first, ...rest] = createRotationJournal(settings.paths.config).list();
  if (!first) return ok('No unfinished key rotation.');
  const { origin, old_key_id: oldId } = first;
  const newId = first.state === 'planned' ? undefined : first.key_id;
  const profiles = settings.profiles.list();
  // The next rotation with either key continues the interrupted one.
  const holder = profiles.find(({ keyId }) => keyId === oldId || keyId === newId);
  const caller = { source: '--profile', profile: holder?.name } as const;
  const where = holder ? '' : ', with that key in BOTCTL_KEY_ID and BOTCTL_KEY_SECRET';
  const more = `(${first.started_at})${rest.length === 0 ? '' : `, and ${rest.length} more`}.`;
  if (!first.keeps_old || first.state !== 'stored')
    return warning(
      `The rotation of key ${oldId} at ${origin} is unfinished ${more}`,
      remark`Finish it, unless it is still running: ${command(...rotateOf(caller))}${where}`,
    );
  const isSecretStored = first.handed_over || first.secret_file !== undefined;
  const needsFile = !isSecretStored && !profiles.some(({ keyId }) => keyId === newId);
  return warning(
    `Key ${oldId} at ${origin} was kept when ${newId} replaced it ${more}`,
    remark`When nothing uses it any more, delete it: ${finishLine(caller, needsFile)}${where}`,
  );
}
