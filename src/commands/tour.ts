import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { CommandResult, defineCommand } from '../cli/command.ts';
import type { Context } from '../cli/context.ts';
import { flag } from '../cli/options.ts';
import { openDesk } from '../desk/open-desk.ts';
import { exitCodes, Failure } from '../lib/errors.ts';
import { type Io, isInteractive, type Output } from '../lib/io.ts';
import { packageRoot } from '../lib/package-root.ts';
import { shellWord } from '../lib/text/quote.ts';
import { command, placeholder } from '../lib/text/remark.ts';
import type { Style } from '../qr/styles.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { sandboxProfile } from '../settings/profile.ts';
import { createSettings } from '../settings/settings.ts';

const team = 'Aurora Coffee';
const bot = 'Front desk';
const device = 'Reception';

/** The phone scans the code when the user presses Enter, or after this many milliseconds. */
const lookingMs = 20_000;

/** The first words of the note on the screen with the code. */
const enterNote = 'Press Enter';

/** The maximum time until a code is drawn, in milliseconds. */
const maxDrawingMs = 10_000;

/** The profile that `--keep` stores. */
const profileName = 'tour';

export const tour = defineCommand({
  name: 'tour',
  summary: 'Run a guided demo on a local sandbox',
  description:
    'Starts a sandbox in a temporary directory and runs real commands on it: they create a team, a document, a bot and ' +
    'a device, pair the device by its QR code, and send a message. A simulated phone scans the code from your terminal ' +
    'when you press Enter, or after 20 seconds. At the end the directory is removed; nothing else is changed. With ' +
    '--keep the sandbox runs until Ctrl-C, and a profile for it is stored until then.',
  options: {
    keep: flag('--keep', 'keep the sandbox, and a profile for it, until Ctrl-C'),
  },
  examples: [
    { line: 'botctl tour', does: 'Run the demo' },
    { line: 'botctl tour --keep', does: 'Run it, then use its sandbox from another terminal' },
  ],
  needs: 'nothing',
  effect: 'creates',
  output: { kind: 'nothing' },
  async run(context, { keep }) {
    const home = mkdtempSync(join(tmpdir(), 'botctl-tour-'));
    const remove = (): void => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    // This is also needed if the user does not wait until the sandbox has started or stopped.
    process.on('exit', remove);
    const { startSandbox } = await import('../sandbox/start.ts');
    const progress = context.terminal.progress('Starting a sandbox');
    const starting = startSandbox({
      host: '127.0.0.1',
      port: 0,
      data: join(home, 'data'),
      phone: 'manual',
      // The steps wait for the actions of the devices.
      machineTime: () => context.clock.now(),
    });
    const sandbox = await starting.finally(() => progress.stop());
    try {
      context.signal.throwIfAborted();
      await runSteps(context, sandbox, join(home, 'config'));
      if (keep) await stay(context, sandbox);
    } finally {
      await sandbox.stop();
      process.off('exit', remove);
      remove();
    }
    return new CommandResult(undefined, { isEndless: keep });
  },
});

async function runSteps(context: Context, sandbox: Sandbox, config: string): Promise<void> {
  const steps = new StepRunner(context, { ...withoutIdentity(context.io.env), BOTCTL_CONFIG_DIR: config });
  const readme = relative(process.cwd(), join(packageRoot(), 'README.md'));
  const say = (text: string): Promise<void> => printText(context, text);

  await say(`A sandbox with the whole service runs at ${sandbox.baseUrl}.`);
  const login = ['login', '--base-url', sandbox.baseUrl, '--key-id', sandbox.keyId, '--key-secret-file', '-'];
  await steps.run('Sign in with its API key', login, {
    stdin: sandbox.keySecret.reveal(),
    shownAs: '< key-secret',
  });
  await steps.run('Create a team with its administrator', [
    ...['teams', 'create', '--name', team, '--plan', 'pro', '--admin-name', 'Store manager'],
    ...['--admin-email', 'manager@aurora.example', '--admin-phone', '+55 (11) 99999-0000'],
  ]);
  await steps.run('Upload knowledge: this README', ['docs', 'upload', readme, '--team', team]);
  await steps.run('Create a bot that answers from it', [
    ...['bots', 'create', '--team', team, '--name', bot, '--role', 'support'],
    ...['--instructions', 'Answer questions from the README.', '--document', 'README.md'],
  ]);
  await steps.run('Create a device for the bot', [
    ...['device', 'create', '--team', team, '--bot', bot, '--name', device, '--discard-token'],
  ]);
  await pair(context, sandbox, steps);
  await steps.run('Watch the device until it is connected', ['device', 'watch', device]);
  await steps.run('Send a message through it', [
    ...['send', '--device', device, '--to', '+55 11 98888-7777', '--message', 'Your order is ready.'],
  ]);
  for (const [noun, what] of lists) await steps.run(`List the ${what}`, [noun, 'list']);
  await say('\nThe demo is complete. Try it yourself:');
  const ways = [
    ['sandbox start', 'a sandbox of your own that keeps its data'],
    ['login', 'your own service'],
    ['--help', 'everything else'],
  ] as const;
  const typed = ways.map(([line, what]) => [`  ${ownCommand(process.argv[1])} ${line}`, what] as const);
  const widest = Math.max(...typed.map(([line]) => line.length));
  const { columns } = context.terminal;
  const isWide = typed.every(([, what]) => widest + 4 + what.length <= columns);
  for (const [line, what] of typed)
    await say(isWide ? `${line.padEnd(widest)}    ${what}` : `${line}\n      ${what}`);
}

/** Nouns with a list, and the words for their objects. */
const lists = [
  ['teams', 'teams'],
  ['docs', 'documents'],
  ['bots', 'bots'],
  ['device', 'devices'],
] as const;

/**
 * Returns how the user types botctl: from a checkout it is not on the PATH.
 * @param script the running file, or undefined if there is none
 */
export function ownCommand(script: string | undefined): string {
  if (script === undefined || basename(script) !== 'botctl.js') return 'botctl';
  return `node ${shellWord(relative(process.cwd(), script))}`;
}

/**
 * Pairs the device. If the terminal is large enough, the phone scans the code that `device connect` drew there, in a
 * small form in a small window. Otherwise it scans the picture from the API.
 */
async function pair(context: Context, sandbox: Sandbox, steps: StepRunner): Promise<void> {
  const { callControl } = await import('../sandbox/control/client.ts');
  const showPicture = async (): Promise<void> => {
    await callControl(sandbox.control, '/scan', { kind: 'picture', bytes: await pictureFor(context, steps) });
  };
  const { terminal } = context;
  const title = 'Pair the device: a phone scans the code';
  const size = isInteractive(context.io) ? await drawingFor(terminal) : undefined;
  if (size === undefined) {
    await steps.run(title, ['device', 'connect', device, '--no-wait']);
    const why = isInteractive(context.io)
      ? 'This window is too small for the code'
      : 'There is no terminal to draw the code on';
    terminal.note(`${why}, so the phone scans the picture from the API.`);
    await showPicture();
    return;
  }
  const screenNote = `${enterNote}, and the simulated phone scans this code.`;
  const enter = new EnterKey(context);
  // Enter may be pressed as soon as the screen asks for it, which is before the code is found in the text.
  const screen = new RecordedTerminal(context.io.stderr, (text) => {
    if (text.includes(enterNote)) enter.listen();
  });
  const connecting = new AbortController();
  const scan = async (): Promise<boolean> => {
    if (!(await screen.showsCode(context))) {
      await showPicture();
      return false;
    }
    await enter.pressed(connecting.signal);
    if (connecting.signal.aborted) return true;
    const bytes = Buffer.from(screen.text).toString('base64');
    await callControl(sandbox.control, '/scan', { kind: 'screen', bytes });
    return true;
  };
  const connect = ['device', 'connect', device, ...(size === 'small' ? ['--qr', 'sextant'] : [])];
  const shownTitle = size === 'small' ? `${title}, drawn small for this window` : title;
  const [isDrawn] = await Promise.all([
    scan(),
    steps.run(shownTitle, connect, { stderr: screen.stream, screenNote }).finally(() => {
      connecting.abort();
      enter.close();
    }),
  ]);
  if (!isDrawn) terminal.note('No code was drawn here, so the phone scanned the picture from the API.');
}

/** The Enter key on the open screen. */
class EnterKey {
  readonly #context: Context;
  readonly #pressed = new AbortController();
  #isListening = false;
  readonly #onInput = (chunk: Buffer | string): void => {
    if (/[\r\n]/.test(String(chunk))) this.#pressed.abort();
  };

  constructor(context: Context) {
    this.#context = context;
  }

  listen(): void {
    if (!this.#isListening) this.#context.io.stdin.on('data', this.#onInput);
    this.#isListening = true;
  }

  close(): void {
    this.#context.io.stdin.off('data', this.#onInput);
  }

  /** Waits until it is pressed, for at most 20 seconds and only until the screen closes. */
  async pressed(closed: AbortSignal): Promise<void> {
    this.listen();
    const { clock, signal } = this.#context;
    const done = AbortSignal.any([this.#pressed.signal, closed, signal]);
    await clock.sleep(lookingMs, done).catch((error: unknown) => {
      if (!done.aborted) throw error;
    });
    signal.throwIfAborted();
  }
}

/**
 * Returns the size in which the code fits into the window, or undefined if it does not fit. The small form uses
 * sextants, which the simulated phone can read even if the terminal has no glyphs for them.
 */
async function drawingFor(terminal: Context['terminal']): Promise<'usual' | 'small' | undefined> {
  const [{ chooseLayout, styleFor, usualModules }, { sextants }] = await Promise.all([
    import('../qr/draw.ts'),
    import('../qr/styles.ts'),
  ]);
  const modules = usualModules();
  const hasRoom = (style: Style): boolean => chooseLayout(modules, terminal, style) !== undefined;
  const own = styleFor(terminal);
  if (own && hasRoom(own)) return 'usual';
  return terminal.unicode && hasRoom(sextants) ? 'small' : undefined;
}

/** Returns the picture of the device's current code, in base64. */
async function pictureFor(context: Context, steps: StepRunner): Promise<string> {
  const { openApi, options } = context;
  const settings = createSettings(steps.io(), { ...options, profile: undefined, baseUrl: undefined });
  const identity = await settings.identity();
  const api = await openApi(identity, { tokens: settings.tokens });
  try {
    const [booked] = await openDesk({ ...context, io: steps.io(), settings, identity }).devices.list();
    if (!booked) throw new Failure('unexpected', 'The tour lost its device.');
    const { data } = await api.call('getDeviceStatus', { path: { id: booked.id } });
    return String(data.qr_code).replace(/^data:.*,/, '');
  } finally {
    await api.close();
  }
}

/** Forwards text to a terminal, and records it as the picture that the simulated phone scans. */
class RecordedTerminal {
  text = '';
  readonly stream: Output;

  /** @param onText is called with each text before the terminal shows it */
  constructor(terminal: Output, onText: (text: string) => void) {
    const stream = new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        const text = chunk.toString();
        this.text += text;
        onText(text);
        terminal.write(chunk, () => done());
      },
    });
    terminal.on('resize', () => stream.emit('resize'));
    this.stream = Object.defineProperties(stream, {
      isTTY: { get: () => terminal.isTTY },
      columns: { get: () => terminal.columns },
      rows: { get: () => terminal.rows },
    });
  }

  /** Waits until a code is drawn. Returns false if none is drawn in time, for example on a small screen. */
  async showsCode({ clock, signal }: Context): Promise<boolean> {
    // Rows of a code are long runs of block characters, which texts do not have.
    const isCode = (text: string): boolean =>
      /[█▀▄▌▐ \u{1fb00}-\u{1fb3b}]{30}[█▀▄▌▐\u{1fb00}-\u{1fb3b}]/u.test(text);
    const { pollUntil } = await import('../resources/devices/poll.ts');
    const options = { clock, signal, timeoutMs: maxDrawingMs, pauseMs: () => 100 };
    return isCode(await pollUntil(async () => this.text, isCode, options));
  }
}

/** Keeps the sandbox running until Ctrl-C, with a profile for other terminals. */
async function stay(context: Context, sandbox: Sandbox): Promise<void> {
  const { settings, signal } = context;
  const { baseUrl, keyId } = sandbox;
  const say = (text: string): Promise<void> => printText(context, text);
  const existing = settings.profiles.get(profileName);
  if (existing && existing.writtenBy !== 'sandbox') {
    await say(
      `\nYou already have a profile "${profileName}", so none is stored. To sign in to this sandbox:`,
    );
    const login = ['login', '--profile', placeholder('<name>'), '--base-url', baseUrl, '--key-id', keyId];
    await say(`  ${command(...login).text()}`);
  } else {
    await settings.profiles.save(sandboxProfile(profileName, sandbox));
    const look = command('--profile', profileName, 'teams', 'list').text();
    await say(`\nThe sandbox runs until Ctrl-C. Use it from another terminal:\n  ${look}`);
  }
  if (!signal.aborted) await once(signal, 'abort');
  if (settings.profiles.get(profileName)?.baseUrl === baseUrl) await settings.profiles.remove(profileName);
}

/** Prints a text. On a terminal, lines are broken between words. */
async function printText({ io, terminal }: Context, text: string): Promise<void> {
  const { rulerFor, wrapRemark } = await import('../terminal/width.ts');
  const lines = io.stderr.isTTY ? wrapRemark(await rulerFor([text]), text, terminal.columns) : [text];
  io.stderr.write(`${lines.join('\n')}\n`);
}

/** The streams of one step that differ from those of the tour. */
interface StepChanges {
  readonly stdin?: string;
  readonly stderr?: Output;
  readonly screenNote?: string;
}

/** Runs the steps of the tour in this process, with a separate home directory. */
class StepRunner {
  constructor(
    private readonly context: Context,
    private readonly env: Io['env'],
  ) {}

  /** Returns the streams and the environment that a step sees. */
  io({ stdin, stderr, screenNote }: StepChanges = {}): Io {
    const { io } = this.context;
    return {
      stdin: stdin === undefined ? io.stdin : Readable.from([stdin]),
      stdout: io.stdout,
      stderr: stderr ?? io.stderr,
      env: this.env,
      signal: io.signal,
      isStep: true,
      screenNote,
    };
  }

  /**
   * Prints a command as the user would type it, and runs it.
   * @throws Failure `unexpected` if it fails, since the tour's own commands must work; `interrupted` or `declined` if
   *   the user left it
   */
  async run(
    title: string,
    args: readonly string[],
    changes: StepChanges & { readonly shownAs?: string } = {},
  ): Promise<void> {
    const shown = changes.shownAs === undefined ? [] : [placeholder(changes.shownAs)];
    const line = command(...args, ...shown).text();
    const { io, terminal } = this.context;
    await printText(this.context, `\n# ${title}`);
    // The command is folded, so that the terminal breaks no line inside a word.
    const { foldCommand } = await import('../cli/help/text.ts');
    const folded = io.stderr.isTTY ? foldCommand(line, terminal.columns - '$ '.length, '    ') : line;
    io.stderr.write(`$ ${folded}\n`);
    const exitCode = await this.context.run(args, this.io(changes));
    this.context.signal.throwIfAborted();
    // The pairing screen handles Ctrl-C and q itself.
    if (exitCode === exitCodes.interrupted) throw new Failure('interrupted', 'Interrupted.');
    if (exitCode === exitCodes.declined) throw new Failure('declined', 'You left the tour.');
    if (exitCode !== exitCodes.done) {
      throw new Failure('unexpected', `The tour stopped: ${line} ended with exit code ${exitCode}.`);
    }
  }
}

/** Removes the variables with the user's own credentials: the tour has its own configuration. */
function withoutIdentity(env: Io['env']): Io['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('BOTCTL_')));
}
