import { accessSync, constants, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, Failure } from '../../lib/errors.ts';
import { counted } from '../../lib/text/numbers.ts';
import { shellWord } from '../../lib/text/quote.ts';
import { command, placeholder, type Remark, remark } from '../../lib/text/remark.ts';
import { damageRemedy } from '../../resources/devices/book-damage.ts';
import { readConfig } from '../../settings/config-file.ts';
import { damagedLines } from '../../settings/device-book-lines.ts';
import { createRotationJournal, type Rotation } from '../../settings/rotation-journal.ts';
import { readIfThere } from '../../settings/small-files.ts';
import { type Answer, type Check, ok, type Subject, warning } from './check.ts';

/** Rights of the group and of everybody else, as bits of a mode. */
const others = 0o077;
const othersWrite = 0o022;
/** The bit of a directory that many share, such as /tmp. */
const sticky = 0o1000;

/** Checks of the files that stay on this machine. */
export const fileChecks: readonly Check[] = [
  {
    name: 'config directory',
    run({ context }) {
      const { config } = context.settings.paths;
      const unwritable = unwritableReason(config);
      if (unwritable !== undefined) {
        return warning(
          `Nothing can be stored in ${config}: ${unwritable}.`,
          'Set BOTCTL_CONFIG_DIR to a directory that you may write. A key from the environment needs none.',
        );
      }
      return directoryAnswer(config);
    },
  },
  {
    name: 'config file',
    run: (subject) => unlessNeeded(subject, () => configAnswer(subject.context.settings.paths.config)),
  },
  { name: 'token cache', run: ({ context }) => tokensAnswer(join(context.settings.paths.cache, 'tokens')) },
  {
    name: 'device book',
    run: ({ context }) => bookAnswer(join(context.settings.paths.data, 'devices.ndjson')),
  },
  { name: 'key rotations', needs: ['config file'], run: rotationsAnswer },
];

/**
 * Returns an answer, or a warning in the place of a failure where the key comes from the environment: then no profile is
 * needed, and a file that is mounted for somebody else breaks nothing.
 */
function unlessNeeded({ context: { io, options } }: Subject, answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    const isNeeded = options.profile !== undefined || !io.env.BOTCTL_KEY_ID;
    if (isNeeded || !(error instanceof Failure)) throw error;
    return warning(
      `${error.message} Nothing needs it: the key comes from the environment.`,
      error.hint ?? '',
    );
  }
}

/** Returns why nothing can be written to a directory, which needn't be there yet, or undefined if it can. */
export function unwritableReason(directory: string): string | undefined {
  let path = directory;
  while (statIfThere(path) === undefined && dirname(path) !== path) path = dirname(path);
  if (!statIfThere(path)?.isDirectory()) return `${path} is no directory`;
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return errorCode(error) === 'EROFS' ? 'the disk is read-only' : `you may not write to ${path}`;
  }
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function directoryAnswer(directory: string): Answer {
  const there = statIfThere(directory);
  if (!there) return ok(`${directory} is not there yet; it is made when something is stored.`);
  const mode = modeOf(there);
  const remedy = `chmod 700 ${shellWord(directory)}`;
  if ((mode & sticky) === 0 && (mode & othersWrite) !== 0) {
    throw new Failure('invalidInput', `Other users may write to ${directory} (mode ${octal(mode)}).`, {
      hint: remedy,
    });
  }
  if ((mode & sticky) !== 0) {
    return warning(
      `${directory} is shared with other users (mode ${octal(mode)}).`,
      'Set BOTCTL_CONFIG_DIR to a directory of your own.',
    );
  }
  if ((mode & others) !== 0)
    return warning(`Other users may look into ${directory} (mode ${octal(mode)}).`, remedy);
  return ok(`${directory} is yours alone.`);
}

/** The permission bits; Windows has none, so there nobody else has rights. */
function modeOf({ mode }: Stats): number {
  return process.platform === 'win32' ? 0o700 : mode & 0o7777;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

function configAnswer(directory: string): Answer {
  const file = join(directory, 'config.json');
  const { profiles, current } = readConfig(directory);
  const there = statIfThere(file);
  if (!there) return ok(`There is no ${file}: no profile is stored.`);
  checkPrivate([file]);
  const copies = namesIn(directory).filter((name) => name.startsWith('config.json.corrupt-'));
  if (copies.length > 0) {
    const paths = copies.map((name) => shellWord(join(directory, name)));
    return warning(
      `${file} is sound; beside it ${copies.length === 1 ? 'lies a copy' : 'lie copies'} of a broken one, with its keys.`,
      `rm ${paths.join(' ')}`,
    );
  }
  const words = `${file} holds ${counted(profiles.size, 'profile')}`;
  if (current !== undefined && !profiles.has(current)) {
    return warning(
      `${words}, and the current one, "${current}", is not among them.`,
      remark`Choose another one: ${command('profiles', 'use', placeholder('NAME'))}`,
    );
  }
  return ok(`${words}${current === undefined ? '' : `; the current one is ${current}`}.`);
}

/** @throws Failure `invalidInput` where other users have rights to files that hold secrets */
function checkPrivate(files: readonly string[]): void {
  const open = files.filter((file) => {
    const there = statIfThere(file);
    return there !== undefined && (modeOf(there) & others) !== 0;
  });
  const [first] = open;
  if (first === undefined) return;
  const there = statIfThere(first);
  const which = open.length === 1 ? first : `${first} and ${counted(open.length - 1, 'other file')}`;
  throw new Failure(
    'invalidInput',
    `Other users of this machine can read secrets in ${which} (mode ${there ? octal(modeOf(there)) : ''}).`,
    {
      hint: `chmod 600 ${open.map(shellWord).join(' ')}`,
    },
  );
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function tokensAnswer(directory: string): Answer {
  const unwritable = unwritableReason(directory);
  if (unwritable !== undefined) {
    return warning(
      `No access token can be kept (${unwritable}), so every command exchanges a new one.`,
      'Set BOTCTL_CONFIG_DIR to a directory that you may write.',
    );
  }
  const tokens = namesIn(directory).filter((name) => name.endsWith('.json'));
  checkPrivate(tokens.map((name) => join(directory, name)));
  return ok(
    tokens.length === 0
      ? `No access token is kept in ${directory}.`
      : `${counted(tokens.length, 'access token')} in ${directory}.`,
  );
}

function bookAnswer(file: string): Answer {
  const unwritable = unwritableReason(dirname(file));
  if (unwritable !== undefined) {
    return warning(
      `No device can be remembered: ${unwritable}. The API can't list devices.`,
      'Set BOTCTL_CONFIG_DIR to a directory that you may write.',
    );
  }
  let text: string | undefined;
  try {
    text = readIfThere(file);
  } catch (error) {
    throw new Failure('invalidInput', `The device book ${file} can't be read: ${errorCode(error)}.`, {
      hint: 'Mend its permissions; without it devices are known by their ids only.',
      cause: error,
    });
  }
  if (text === undefined) return ok(`There is no device book yet; ${file} is made with the first device.`);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const broken = damagedLines(text).length;
  if (broken === 0) return ok(`${file} is sound.`);
  return warning(
    `${counted(broken, 'line')} of ${lines.length} in ${file} can't be read; the others count.`,
    damageRemedy,
  );
}

function rotationsAnswer({ context }: Subject): Answer {
  const { settings } = context;
  const [first, ...rest] = createRotationJournal(settings.paths.config).list();
  if (!first) return ok('No key rotation was left unfinished.');
  const more = rest.length === 0 ? '' : `, and ${rest.length} more`;
  if (first.keepsOld && first.state === 'stored')
    return warning(
      `Key ${first.old.keyId} at ${first.old.origin} was kept when ${first.successor.keyId} took its place (${first.startedAt})${more}.`,
      remark`Once nothing uses it any more, delete it: ${rotateLine(first, settings.profiles.list())}`,
    );
  return warning(
    `The rotation of key ${first.old.keyId} at ${first.old.origin} has not ended (begun ${first.startedAt})${more}.`,
    remark`Finish it, unless it is under way: ${rotateLine(first, settings.profiles.list())}`,
  );
}

/** The command that takes a rotation up again: with a profile that holds either of its keys. */
function rotateLine(
  rotation: Rotation,
  profiles: ReturnType<Subject['context']['settings']['profiles']['list']>,
): Remark {
  const keys = [rotation.old.keyId, rotation.state === 'planned' ? undefined : rotation.successor.keyId];
  const holder = profiles.find(({ keyId }) => keys.includes(keyId));
  const isKept = rotation.keepsOld && rotation.state === 'stored';
  const { secretFile, handedOver } = rotation;
  const isSecretKept =
    handedOver || secretFile !== undefined || profiles.some(({ keyId }) => keyId === keys[1]);
  const needsFile = isKept && !isSecretKept;
  const words = [
    ...['keys', 'rotate', ...(isKept ? ['--finish'] : [])],
    ...(needsFile ? ['--secret-file', placeholder('FILE')] : []),
  ];
  return holder
    ? remark`${command(...words, '--profile', holder.name)}`
    : remark`${command(...words)}, with that key in BOTCTL_KEY_ID and BOTCTL_KEY_SECRET`;
}
