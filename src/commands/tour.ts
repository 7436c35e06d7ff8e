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

/** A person gets this time to look at the code before the phone scans it. */
const lookingMs = 2500;

/** A code takes this time to be drawn at the most. */
const maxDrawingMs = 4000;

/** The profile that `--keep` stores, beside whatever profiles there are. */
const profileName = 'tour';

export const tour = defineCommand({
  name: 'tour',
  summary: 'See the main job done from start to end on a sandbox',
  description:
    'Starts a sandbox in a temporary directory and runs the real commands on it: a team, a document, a bot, ' +
    'a device paired by its QR code, a message. A simulated phone scans the code; all it sees is the picture ' +
    'in your terminal. Nothing outside the temporary directory is touched, and it is removed at the end; --keep ' +
    'also stores a profile, as long as it stays.',
  options: {
    keep: flag('--keep', 'stay in the foreground with the sandbox and a profile for it until Ctrl-C'),
  },
  examples: [
    { line: 'botctl tour', does: 'Watch the whole job' },
    { line: 'botctl tour --keep', does: 'Watch it, then try commands on its sandbox from another terminal' },
  ],
  needs: 'nothing',
  effect: 'creates',
  output: { kind: 'nothing' },
  async run(context, { keep }) {
    const home = mkdtempSync(join(tmpdir(), 'botctl-tour-'));
    const remove = (): void => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    // Also where a person doesn't wait for the sandbox to start or to end.
    process.on('exit', remove);
    const { startSandbox } = await import('../sandbox/start.ts');
    const progress = context.terminal.progress('Starting a sandbox');
    const starting = startSandbox({
      host: '127.0.0.1',
      port: 0,
      data: join(home, 'data'),
      phone: 'manual',
      // The steps wait for what its devices do.
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

  await say(`A sandbox with the whole service listens at ${sandbox.baseUrl}.`);
  const login = ['login', '--base-url', sandbox.baseUrl, '--key-id', sandbox.keyId, '--key-secret-file', '-'];
  await steps.run('Sign in with its API key', login, {
    stdin: sandbox.keySecret.reveal(),
    shownAs: '< key-secret',
  });
  await steps.run('Provision a tenant: a team with its administrator', [
    ...['teams', 'create', '--name', team, '--plan', 'pro', '--admin-name', 'Store manager'],
    ...['--admin-email', 'manager@aurora.example', '--admin-phone', '+55 (11) 99999-0000'],
  ]);
  await steps.run('Upload knowledge: this README', ['docs', 'upload', readme, '--team', team]);
  await steps.run('Create a bot that knows it', [
    ...['bots', 'create', '--team', team, '--name', bot, '--role', 'support'],
    ...['--instructions', 'Answer questions from the README.', '--document', 'README.md'],
  ]);
  await steps.run('Create a device for the bot', [
    ...['device', 'create', '--team', team, '--bot', bot, '--name', device, '--discard-token'],
  ]);
  await pair(context, sandbox, steps);
  await steps.run('Look at it until it is connected', ['device', 'watch', device]);
  await steps.run('Send a message through it', [
    ...['send', '--device', device, '--to', '+55 11 98888-7777', '--message', 'Your order is ready.'],
  ]);
  for (const [noun, what] of lists) await steps.run(`What there is now: ${what}`, [noun, 'list']);
  await say('\nThat was the whole job. Try it yourself:');
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

/** The nouns whose lists show the parts of the job, and what people call them. */
const lists = [
  ['teams', 'teams'],
  ['docs', 'documents'],
  ['bots', 'bots'],
  ['device', 'devices'],
] as const;

/**
 * Returns what the user types for botctl: from a checkout it is on no path.
 * @param script the file that runs, or undefined if there is none
 */
export function ownCommand(script: string | undefined): string {
  if (script === undefined || basename(script) !== 'botctl.js') return 'botctl';
  return `node ${shellWord(relative(process.cwd(), script))}`;
}

/**
 * Pairs the device. On a terminal that is large enough the phone sees what the person sees: whatever
 * `device connect` drew there, smaller in a small window. Elsewhere it sees the picture that the API gives.
 */
async function pair(context: Context, sandbox: Sandbox, steps: StepRunner): Promise<void> {
  const { callControl } = await import('../sandbox/control/client.ts');
  const showPicture = async (): Promise<void> => {
    await callControl(sandbox.control, '/scan', { kind: 'picture', bytes: await pictureFor(context, steps) });
  };
  const { terminal } = context;
  const title = 'Pair it: the code is for the phone';
  const size = isInteractive(context.io) ? await drawingFor(terminal) : undefined;
  if (size === undefined) {
    await steps.run(title, ['device', 'connect', device, '--no-wait']);
    const why = isInteractive(context.io)
      ? 'This window has no room for the code'
      : 'There is no terminal to draw the code on';
    terminal.note(`${why}, so the phone is shown the picture that the API gives.`);
    await showPicture();
    return;
  }
  const screen = new RecordedTerminal(context.io.stderr);
  const scan = async (): Promise<boolean> => {
    if (!(await screen.showsCode(context))) {
      await showPicture();
      return false;
    }
    await context.clock.sleep(lookingMs, context.signal);
    const bytes = Buffer.from(screen.text).toString('base64');
    await callControl(sandbox.control, '/scan', { kind: 'screen', bytes });
    return true;
  };
  const connect = ['device', 'connect', device, ...(size === 'small' ? ['--qr', 'sextant'] : [])];
  const [isDrawn] = await Promise.all([
    scan(),
    steps.run(size === 'small' ? `${title}, drawn small for this window` : title, connect, {
      stderr: screen.stream,
    }),
  ]);
  if (!isDrawn)
    terminal.note('No code was drawn here, so the phone was shown the picture that the API gives.');
}

/**
 * Returns the size in which the code has room in a window, or undefined if it has none. The small drawing is of
 * sextants, which the phone of the sandbox reads whether the terminal has glyphs for them or not.
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

/** Returns the picture of the code that the device carries now, in base64. */
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

/** Passes on what is drawn on a terminal, and keeps it: a phone that looks at the screen sees that. */
class RecordedTerminal {
  text = '';
  readonly stream: Output;

  constructor(terminal: Output) {
    const stream = new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        this.text += chunk.toString();
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

  /** Waits until a code is drawn. Returns false where the screen stays without one, as a small one does. */
  async showsCode({ clock, signal }: Context): Promise<boolean> {
    // Rows of a code are long runs of blocks; no text has those.
    const isCode = (text: string): boolean =>
      /[█▀▄▌▐ \u{1fb00}-\u{1fb3b}]{30}[█▀▄▌▐\u{1fb00}-\u{1fb3b}]/u.test(text);
    const { pollUntil } = await import('../resources/devices/poll.ts');
    const options = { clock, signal, timeoutMs: maxDrawingMs, pauseMs: () => 100 };
    return isCode(await pollUntil(async () => this.text, isCode, options));
  }
}

/** Stays in the foreground until Ctrl-C, with a profile by which other terminals find the sandbox. */
async function stay(context: Context, sandbox: Sandbox): Promise<void> {
  const { settings, signal } = context;
  const { baseUrl, keyId } = sandbox;
  const say = (text: string): Promise<void> => printText(context, text);
  const existing = settings.profiles.get(profileName);
  if (existing && existing.writtenBy !== 'sandbox') {
    await say(
      `\nThere is a profile "${profileName}" of your own, so none is stored. Sign in to this sandbox with:`,
    );
    const login = ['login', '--profile', placeholder('<name>'), '--base-url', baseUrl, '--key-id', keyId];
    await say(`  ${command(...login).text()}`);
  } else {
    await settings.profiles.save(sandboxProfile(profileName, sandbox));
    const look = command('--profile', profileName, 'teams', 'list').text();
    await say(`\nThe sandbox stays until Ctrl-C. From another terminal:\n  ${look}`);
  }
  if (!signal.aborted) await once(signal, 'abort');
  if (settings.profiles.get(profileName)?.baseUrl === baseUrl) await settings.profiles.remove(profileName);
}

/** Tells a part of the story, on a terminal in lines broken between words. */
async function printText({ io, terminal }: Context, text: string): Promise<void> {
  const { rulerFor, wrapRemark } = await import('../terminal/width.ts');
  const lines = io.stderr.isTTY ? wrapRemark(await rulerFor([text]), text, terminal.columns) : [text];
  io.stderr.write(`${lines.join('\n')}\n`);
}

/** Runs the steps of the tour in this process, with a home of its own. */
class StepRunner {
  constructor(
    private readonly context: Context,
    private readonly env: Io['env'],
  ) {}

  /** Returns the streams and the environment that a step sees. */
  io({ stdin, stderr }: { readonly stdin?: string; readonly stderr?: Output } = {}): Io {
    const { io } = this.context;
    return {
      stdin: stdin === undefined ? io.stdin : Readable.from([stdin]),
      stdout: io.stdout,
      stderr: stderr ?? io.stderr,
      env: this.env,
      signal: io.signal,
      isStep: true,
    };
  }

  /**
   * Shows a command line as a person would type it, and runs it.
   * @throws Failure `unexpected` where it fails: the tour's own commands are meant to work;
   * `interrupted` or `declined` where a person left it
   */
  async run(
    title: string,
    args: readonly string[],
    changes: { readonly stdin?: string; readonly shownAs?: string; readonly stderr?: Output } = {},
  ): Promise<void> {
    const shown = changes.shownAs === undefined ? [] : [placeholder(changes.shownAs)];
    const line = command(...args, ...shown).text();
    const { io, terminal } = this.context;
    await printText(this.context, `\n# ${title}`);
    // On a terminal in lines that it doesn't break anywhere.
    const { foldCommand } = await import('../cli/help/text.ts');
    const folded = io.stderr.isTTY ? foldCommand(line, terminal.columns - '$ '.length, '    ') : line;
    io.stderr.write(`$ ${folded}\n`);
    const exitCode = await this.context.run(args, this.io(changes));
    this.context.signal.throwIfAborted();
    // The pairing screen takes Ctrl-C and q as keys of its own.
    if (exitCode === exitCodes.interrupted) throw new Failure('interrupted', 'Interrupted.');
    if (exitCode === exitCodes.declined) throw new Failure('declined', 'You left the tour.');
    if (exitCode !== exitCodes.done) {
      throw new Failure('unexpected', `The tour stopped: ${line} ended with exit code ${exitCode}.`);
    }
  }
}

/** The tour has a home of its own; what identifies its user elsewhere must not reach it. */
function withoutIdentity(env: Io['env']): Io['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('BOTCTL_')));
}
