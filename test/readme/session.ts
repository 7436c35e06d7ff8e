import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Terminal } from '@xterm/headless';
import { Failure } from '../../src/lib/errors.ts';
import { scanText } from '../../src/sandbox/control/client.ts';
import { noteFile } from '../../src/sandbox/store/note.ts';
import { createSettings } from '../../src/settings/settings.ts';
import { shellWords } from '../every-command/line.ts';
import { botctl } from '../support/botctl.ts';
import { scaledClock } from '../support/fake-clock.ts';
import { binary } from '../support/process.ts';
import type { UsedSandbox } from '../support/sandbox.ts';

/** The terminal in which the lines are typed. */
const size = { rows: 45, cursor: true };

/** Milliseconds after which a line that hangs is ended, so that the test can say which one it was. */
const patience = 60_000;

/** Paths of one length on every machine: what a page shows of them is wrapped at so many columns. */
const parent = process.platform === 'win32' ? tmpdir() : '/tmp';

/** What stands in the README for what is another in each test. */
export interface Names {
  readonly address: string;
  readonly keyId: string;
  readonly secretFile: string;
}

/** What a person types when a question stands, by the words of the question. */
export type Answers = Readonly<Record<string, string>>;

/**
 * A person at a terminal, in a home and a working directory of their own. `botctl` runs in this process;
 * what needs a shell goes to bash, and there botctl is the built one.
 */
export class Session {
  readonly #place = mkdtempSync(join(parent, 'botctl-readme-'));
  readonly #home = join(this.#place, 'home');
  readonly #directory = join(this.#place, 'work');
  readonly #learned = join(this.#place, 'learned');
  readonly #sandbox: UsedSandbox;
  readonly #address: string;
  readonly #names: readonly (readonly [shown: string, actual: string])[];
  readonly #env: Record<string, string> = {};
  #columns = 100;
  #exitCode = 0;
  /** A line has named the service's address; until then the service is the sandbox that was started. */
  #hasService = false;

  /** @param other stands in for the service where it is learned: one that chose otherwise, and has more rows */
  constructor(
    sandbox: UsedSandbox,
    names: Names,
    readonly other: UsedSandbox = sandbox,
  ) {
    this.#sandbox = sandbox;
    this.#address = names.address;
    const secretFile = join(this.#place, 'secret');
    this.#names = [
      [names.address, sandbox.baseUrl],
      [names.keyId, sandbox.keyId],
      [names.secretFile, secretFile],
      ['~/.config/botctl/config.json', join(this.#home, 'config.json')],
      ['~/.cache/botctl', join(this.#home, 'cache')],
      ['~/.local/share/botctl', join(this.#home, 'data')],
      ['~/.local/share/botctl', join(this.#place, 'other', 'data')],
      ['~/work', this.#directory],
    ];
    writeFileSync(secretFile, `${sandbox.keySecret.reveal()}\n`, { mode: 0o600 });
    mkdirSync(join(this.#place, 'bin'));
    const starter = `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`;
    writeFileSync(join(this.#place, 'bin', 'botctl'), starter, { mode: 0o755 });
    mkdirSync(this.#directory);
    // Where `botctl sandbox …` finds the sandbox of the test.
    const ownData = join(this.#home, 'data', 'sandbox');
    mkdirSync(ownData, { recursive: true });
    cpSync(join(sandbox.data, noteFile), join(ownData, noteFile));
  }

  /** Removes everything. */
  end(): void {
    rmSync(this.#place, { recursive: true, force: true });
  }

  /**
   * Opens another shell: what was exported before is gone.
   * @param columns width of its terminal
   */
  openShell(columns: number): void {
    this.#columns = columns;
    for (const name of Object.keys(this.#env)) delete this.#env[name];
  }

  /** Makes a file of the working directory, as a person does who saves what the README shows. */
  save(name: string, text: string): void {
    writeFileSync(join(this.#directory, name), this.#toActual(text));
  }

  /** Runs a script by bash, which ends it at the first command that fails. Gives its exit code and what it said. */
  async script(text: string): Promise<{ exitCode: number; said: string }> {
    return this.#bash(`set -eu\n${this.#toActual(text)}`);
  }

  /**
   * Runs a script, and ends it by a signal to every process of it, as a terminal does for Ctrl-C and a job's runner that
   * stops it. Gives what it said, up to the end of the last process.
   */
  async cutScript(text: string, when: Promise<void>, signal: NodeJS.Signals): Promise<{ said: string }> {
    const { said } = await this.#bash(`set -eu\n${this.#toActual(text)}`, { when, signal });
    return { said };
  }

  /** Types a line. Gives what the terminal shows then, and the exit code. */
  async type(line: string, answers: Answers): Promise<{ exitCode: number; shown: string }> {
    const actual = this.#toActual(line);
    const [, unset] = /^unset (\w+)$/.exec(actual) ?? [];
    if (unset !== undefined) {
      delete this.#env[unset];
      return { exitCode: 0, shown: '' };
    }
    const [, variable, value] = /^export (\w+)=(.*)$/.exec(actual) ?? [];
    if (variable !== undefined && value !== undefined) {
      this.#env[variable] = value;
      return { exitCode: 0, shown: '' };
    }
    const ran = needsShell(actual) ? await this.#inShell(actual) : await this.#inProcess(actual, answers);
    this.#exitCode = ran.exitCode;
    return { exitCode: ran.exitCode, shown: this.#toShown(ran.shown) };
  }

  async #inShell(line: string): Promise<{ exitCode: number; shown: string }> {
    const isLearned = line.includes(' --learn ');
    if (isLearned) await this.#storeProfile('default', this.other, this.#learned);
    const home = isLearned ? `export BOTCTL_CONFIG_DIR=${this.#learned}\n` : '';
    const { exitCode, said } = await this.#bash(`${home}(exit ${this.#exitCode})\n${line}`);
    return { exitCode, shown: said };
  }

  async #bash(
    text: string,
    cut?: { readonly when: Promise<void>; readonly signal: NodeJS.Signals },
  ): Promise<{ exitCode: number; said: string }> {
    const child = spawn('bash', ['-c', `exec 2>&1\n${text}`], {
      cwd: this.#directory,
      env: {
        PATH: `${join(this.#place, 'bin')}${delimiter}${process.env.PATH ?? ''}`,
        LANG: 'C.UTF-8',
        BOTCTL_CONFIG_DIR: this.#home,
        ...this.#env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      // A process group of its own.
      detached: cut !== undefined,
    });
    void cut?.when.then(() => child.pid !== undefined && process.kill(-child.pid, cut.signal));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (some: string) => {
      said += some;
    });
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? 1));
    });
    return { exitCode, said };
  }

  async #inProcess(line: string, answers: Answers): Promise<{ exitCode: number; shown: string }> {
    const [, ...words] = shellWords(line, this.#env);
    const isStart = words[0] === 'sandbox' && words[1] === 'start';
    // One of its own, on any port that is free.
    if (isStart) words.push('--port', '0');
    const home = isStart ? join(this.#place, 'other') : this.#home;
    const terminal = new Terminal({
      cols: this.#columns,
      rows: size.rows,
      allowProposedApi: true,
      convertEol: true,
      scrollback: 1000,
    });
    const stop = new AbortController();
    const phone = new Phone(this.#sandbox);
    const show = (text: string): void => {
      terminal.write(text);
      if (words[1] === 'connect') phone.see(text);
      if (text.includes('Press Ctrl-C to stop.')) {
        terminal.write('\n^C');
        stop.abort(new Failure('interrupted', 'Interrupted.'));
      }
    };
    const before = process.cwd();
    process.chdir(this.#directory);
    const hangs = setTimeout(() => stop.abort(new Failure('interrupted', 'It hangs.')), patience);
    try {
      const { exitCode } = await botctl(words, {
        terminal: { ...size, columns: this.#columns },
        answers: Object.fromEntries(
          Object.entries(answers).map(([question, answer]) => [question, this.#toActual(answer)]),
        ),
        env: { BOTCTL_CONFIG_DIR: home, ...this.#env },
        signal: stop.signal,
        // The pauses of botctl take a fifth of their time; the sandbox goes by the machine's clock.
        clock: scaledClock(5),
        onOutput: show,
        onError: show,
      });
      await phone.hasScanned();
      if (isStart) await this.#storeSandboxProfile();
      return { exitCode, shown: await textOf(terminal) };
    } finally {
      clearTimeout(hangs);
      process.chdir(before);
      terminal.dispose();
    }
  }

  /** The sandbox that was started is stopped again; that of the test takes its place, with its profile. */
  async #storeSandboxProfile(): Promise<void> {
    const sandboxData = join(this.#home, 'data', 'sandbox');
    await this.#storeProfile('sandbox', this.#sandbox, this.#home, { writtenBy: 'sandbox', sandboxData });
  }

  async #storeProfile(
    name: string,
    { baseUrl, keyId, keySecret }: UsedSandbox,
    home: string,
    more: { writtenBy?: 'sandbox'; sandboxData?: string } = {},
  ): Promise<void> {
    const { profiles } = createSettings(
      { env: { BOTCTL_CONFIG_DIR: home } },
      { profile: undefined, baseUrl: undefined, insecureHttp: false },
    );
    await profiles.save({ name, baseUrl, keyId, keySecret, ...more });
  }

  #toActual(text: string): string {
    this.#hasService ||= text.includes(this.#address);
    return this.#names.reduce((some, [shown, actual]) => some.replaceAll(shown, actual), text);
  }

  #toShown(text: string): string {
    const named = this.#names.reduce(
      (some, [shown, actual]) =>
        shown === this.#address && !this.#hasService ? some : some.replaceAll(actual, shown),
      text,
    );
    return named.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4010');
  }
}

/** Someone who holds a phone before the screen as soon as a code shows there. */
class Phone {
  readonly #sandbox: UsedSandbox;
  #seen = '';
  #scan: Promise<unknown> | undefined;

  constructor(sandbox: UsedSandbox) {
    this.#sandbox = sandbox;
  }

  see(text: string): void {
    this.#seen += text;
    // Rows of a code are long runs of half blocks; no text has those.
    if (this.#scan || !/[█▀▄ ]{30}[█▀▄]/u.test(this.#seen)) return;
    this.#scan = scanText(this.#sandbox.control, this.#seen, { phoneNumber: '+5511912345678' });
  }

  async hasScanned(): Promise<void> {
    await this.#scan;
  }
}

/** Whether a line is more than one call of botctl. */
function needsShell(line: string): boolean {
  const bare = line.replaceAll(/"[^"]*"|'[^']*'/g, '');
  return !line.startsWith('botctl ') || /[|<>;&`]|\$\(/.test(bare);
}

/** Everything that the terminal shows, what was scrolled out of it included. */
async function textOf(terminal: Terminal): Promise<string> {
  await new Promise<void>((resolve) => terminal.write('', resolve));
  const buffer = terminal.buffer.normal;
  const lines = Array.from({ length: buffer.length }, (_, row) => {
    const line = buffer.getLine(row);
    // What goes on in the next row is one line to whoever copies it.
    return `${line?.isWrapped || row === 0 ? '' : '\n'}${line?.translateToString(!buffer.getLine(row + 1)?.isWrapped) ?? ''}`;
  });
  return lines.join('').trimEnd();
}
