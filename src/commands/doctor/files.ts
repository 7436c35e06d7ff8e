import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, Failure } from '../../lib/errors.ts';
import { unreadable } from '../../lib/files/file-failure.ts';
import { counted } from '../../lib/text/numbers.ts';
import { shellWord } from '../../lib/text/quote.ts';
import { command, placeholder, type Remark, remark } from '../../lib/text/remark.ts';
import { firstFew } from '../../lib/text/sentence.ts';
import { damageRemedy } from '../../resources/devices/book-damage.ts';
import { readConfig } from '../../settings/config-file.ts';
import { createRotationJournal, type Rotation } from '../../settings/rotation-journal.ts';
import { unlessFailing } from '../../settings/small-files.ts';
import { type Answer, type Check, ok, type Subject, warning } from './check.ts';

/** Rights of the group and of everybody else, as bits of a mode. */
const others = 0o077;
const othersWrite = 0o022;
/** The bit of a directory that many share, such as /tmp. */
const sticky = 0o1000;

/** Checks of the files that stay on this machine. */
export const fileChecks: readonly Check[] = [
  { name: 'config directory', run: directoryAnswer },
  { name: 'config file', run: configAnswer },
  { name: 'token cache', run: tokensAnswer },
  { name: 'device book', run: bookAnswer },
  { name: 'key rotations', needs: ['config file'], run: rotationsAnswer },
];

/** Returns why nothing can be written to a directory, which needn't be there yet, or undefined if it can. */
export function unwritableReason(directory: string): string | undefined {
  let path = directory;
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  if (!unlessFailing(() => statSync(path))?.isDirectory()) return `${path} is no directory`;
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return errorCode(error) === 'EROFS' ? 'the disk is read-only' : `you may not write to ${path}`;
  }
}

/** Returns a warning if nothing can be written to a directory. */
function unwritableAnswer(directory: string, outcome: string): Answer | undefined {
  const reason = unwritableReason(directory);
  if (reason === undefined) return undefined;
  return warning(`${outcome}: ${reason}.`, 'Set BOTCTL_CONFIG_DIR to a directory that you may write.');
}

function directoryAnswer({ context }: Subject): Answer {
  const { config } = context.settings.paths;
  const unwritable = unwritableAnswer(config, `Nothing can be stored in ${config}`);
  if (unwritable) return unwritable;
  const mode = modeOf(config);
  if (mode === undefined) return ok(`${config} is not there yet; it is made when something is stored.`);
  const words = `${config} (mode ${octal(mode)})`;
  const hint = `chmod 700 ${shellWord(config)}`;
  if ((mode & sticky) !== 0)
    return warning(
      `${words} is shared with other users.`,
      'Set BOTCTL_CONFIG_DIR to a directory of your own.',
    );
  if ((mode & othersWrite) !== 0)
    throw new Failure('invalidInput', `Other users may write to ${words}.`, { hint });
  if ((mode & others) !== 0) return warning(`Other users may look into ${words}.`, hint);
  return ok(`${config} is yours alone.`);
}

/** The permission bits of what is there; Windows has none, so there nobody else has rights. */
function modeOf(path: string): number | undefined {
  const mode = unlessFailing(() => statSync(path).mode & 0o7777);
  return mode !== undefined && process.platform === 'win32' ? 0o700 : mode;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/**
 * Looks at the config file. Where the key comes from the environment no profile is needed, and a file that is mounted for
 * somebody else breaks nothing.
 */
function configAnswer({ context: { io, options, settings } }: Subject): Answer {
  try {
    return storedAnswer(settings.paths.config);
  } catch (error) {
    const isNeeded = options.profile !== undefined || !io.env.BOTCTL_KEY_ID;
    if (isNeeded || !(error instanceof Failure)) throw error;
    return warning(`${error.message} Nothing needs it: the key comes from the environment.`, error.hint);
  }
}

function storedAnswer(directory: string): Answer {
  const file = join(directory, 'config.json');
  const { profiles, current } = readConfig(directory);
  if (!existsSync(file)) return ok(`There is no ${file}: no profile is stored.`);
  checkPrivate([file]);
  const copies = namesIn(directory).filter((name) => name.startsWith('config.json.corrupt-'));
  if (copies.length > 0)
    return warning(
      `${file} is sound; broken copies with keys lie beside it: ${copies.length}.`,
      `rm ${copies.map((name) => shellWord(join(directory, name))).join(' ')}`,
    );
  const words = `${file} holds ${counted(profiles.size, 'profile')}`;
  if (current === undefined) return ok(`${words}.`);
  if (profiles.has(current)) return ok(`${words}; the current one is ${current}.`);
  return warning(
    `${words}, and the current one, "${current}", is not among them.`,
    remark`Choose another one: ${command('profiles', 'use', placeholder('NAME'))}`,
  );
}

/** @throws Failure `invalidInput` where other users have rights to files that hold secrets */
function checkPrivate(files: readonly string[]): void {
  const open = files.filter((file) => ((modeOf(file) ?? 0) & others) !== 0);
  if (open.length === 0) return;
  const shown = open.map((file) => `${file} (mode ${octal(modeOf(file) ?? 0)})`);
  const message = `Other users of this machine can read secrets in ${firstFew(shown, 1)}.`;
  throw new Failure('invalidInput', message, { hint: `chmod 600 ${open.map(shellWord).join(' ')}` });
}

function namesIn(directory: string): readonly string[] {
  return unlessFailing(() => readdirSync(directory)) ?? [];
}

function tokensAnswer({ context }: Subject): Answer {
  const directory = join(context.settings.paths.cache, 'tokens');
  const unwritable = unwritableAnswer(
    directory,
    'No access token can be kept, so every command exchanges a new one',
  );
  if (unwritable) return unwritable;
  const tokens = namesIn(directory).filter((name) => name.endsWith('.json'));
  checkPrivate(tokens.map((name) => join(directory, name)));
  return ok(`${counted(tokens.length, 'access token')} in ${directory}.`);
}

function bookAnswer({ context }: Subject): Answer {
  const { devices, paths } = context.settings;
  const unwritable = unwritableAnswer(
    paths.data,
    "No device can be remembered, and the API can't list devices",
  );
  if (unwritable) return unwritable;
  try {
    const broken = devices.damagedLines().length;
    return broken === 0
      ? ok(`${devices.file} is sound.`)
      : warning(
          `${counted(broken, 'line')} in ${devices.file} can't be read; the others count.`,
          damageRemedy,
        );
  } catch (error) {
    throw unreadable(devices.file, error);
  }
}

function rotationsAnswer({ context: { settings } }: Subject): Answer {
  const [first, ...rest] = createRotationJournal(settings.paths.config).list();
  if (!first) return ok('No key rotation was left unfinished.');
  const { origin, old_key_id: oldId } = first;
  const line = rotateLine(first, settings.profiles.list());
  const more = `(${first.started_at})${rest.length === 0 ? '' : `, and ${rest.length} more`}.`;
  return first.keeps_old && first.state === 'stored'
    ? warning(
        `Key ${oldId} at ${origin} was kept when ${first.key_id} took its place ${more}`,
        remark`Once nothing uses it any more, delete it: ${line}`,
      )
    : warning(
        `The rotation of key ${oldId} at ${origin} has not ended ${more}`,
        remark`Finish it, unless it is under way: ${line}`,
      );
}

/** The command that takes a rotation up again: with a profile that holds either of its keys. */
function rotateLine(
  rotation: Rotation,
  profiles: ReturnType<Subject['context']['settings']['profiles']['list']>,
): Remark {
  const newId = rotation.state === 'planned' ? undefined : rotation.key_id;
  const holder = profiles.find(({ keyId }) => keyId === rotation.old_key_id || keyId === newId);
  const isKept = rotation.keeps_old && rotation.state === 'stored';
  const isSecretKept =
    rotation.handed_over ||
    rotation.secret_file !== undefined ||
    profiles.some(({ keyId }) => keyId === newId);
  const words = [
    ...['keys', 'rotate', ...(isKept ? ['--finish'] : [])],
    ...(isKept && !isSecretKept ? ['--secret-file', placeholder('FILE')] : []),
  ];
  return holder
    ? remark`${command(...words, '--profile', holder.name)}`
    : remark`${command(...words)}, with that key in BOTCTL_KEY_ID and BOTCTL_KEY_SECRET`;
}
