import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { packageRoot } from '../../src/lib/package-root.ts';
import { createNameCache, type NamedResource } from '../../src/settings/completion-cache.ts';
import { botctl } from '../support/botctl.ts';
import { eventually } from '../support/eventually.ts';
import { binary } from '../support/process.ts';

export const baseUrl = 'https://api.example.com';

/** The objects that a machine has stored for completion. */
interface Known {
  readonly seen?: readonly NamedResource[];
  /** Devices in the book, by id. */
  readonly devices?: Readonly<Record<string, string>>;
}

/** A machine with a signed-in user, and a `botctl` that records its arguments. */
export class Machine {
  readonly home = mkdtempSync(join(tmpdir(), 'botctl-shell-'));
  readonly env: Readonly<Record<string, string>>;
  readonly #calls = join(this.home, 'calls');
  readonly #offers = join(this.home, 'offers');
  readonly #cache: string;

  constructor(known: Known = {}) {
    const config = join(this.home, 'config');
    const programs = join(this.home, 'bin');
    mkdirSync(programs);
    mkdirSync(config);
    const profile = { base_url: baseUrl, key_id: 'key', key_secret: 'secret' };
    const profiles = { main: profile, staging: { ...profile, base_url: 'https://staging.example.com' } };
    writeFileSync(join(config, 'config.json'), JSON.stringify({ current_profile: 'main', profiles }));
    this.#cache = join(config, 'cache');
    this.#remember(known.seen ?? []);
    const lines = Object.entries(known.devices ?? {}).map(
      ([id, name]) => `${JSON.stringify({ origin: baseUrl, id, name, seen_at: '2026-01-01T00:00:00Z' })}\n`,
    );
    mkdirSync(join(config, 'data'));
    writeFileSync(join(config, 'data', 'devices.ndjson'), lines.join(''));
    const program = join(programs, 'botctl');
    writeFileSync(
      program,
      `#!/bin/sh
for last; do :; done
case "$1 $last" in
  '__complete --team='*) [ ! -e '${this.#offers}=' ] || exec cat '${this.#offers}=' ;;
  __complete\\ *) [ ! -e '${this.#offers}' ] || exec cat '${this.#offers}' ;;
esac
if [ "$1" = __complete ]; then exec '${process.execPath}' '${binary}' "$@"; fi
printf '%s\\0' "$@" > '${this.#calls}.part' && mv '${this.#calls}.part' '${this.#calls}'
`,
    );
    chmodSync(program, 0o755);
    this.env = {
      PATH: `${programs}:${process.env.PATH}`,
      HOME: this.home,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      BOTCTL_CONFIG_DIR: config,
    };
  }

  #remember(seen: readonly NamedResource[]): void {
    const notes = createNameCache(this.#cache).notes(baseUrl);
    for (const sighting of seen) notes.add(sighting);
    notes.save();
  }

  /**
   * Keeps only these names, and makes the shell's completions of `bots list --team` and `bots list --team=` return them
   * at once, without starting the program.
   * @returns the completions of each, in no particular order
   */
  async offer(teams: readonly Omit<NamedResource, 'noun'>[]): Promise<readonly string[]> {
    rmSync(this.#cache, { recursive: true, force: true });
    this.#remember(teams.map((team) => ({ noun: 'team', ...team })));
    const completed = async (...words: readonly string[]): Promise<string> =>
      (await botctl(['__complete', '--', 'bots', 'list', ...words], { env: this.env })).stdout;
    const lines = await completed('--team', '');
    writeFileSync(this.#offers, lines);
    writeFileSync(`${this.#offers}=`, await completed('--team='));
    return lines.split('\n').flatMap((line) => line.split('\t')[0] || []);
  }

  /** Returns whether a file was created in the home directory, and removes it. */
  takes(name: string): boolean {
    const file = join(this.home, name);
    const isThere = existsSync(file);
    rmSync(file, { force: true });
    return isThere;
  }

  /** Opens an interactive shell that has loaded its script. */
  async open(shell: Shell): Promise<Session> {
    const { args, load } = interactive[shell];
    const session = new Session(
      spawn(shell, args, { cols: 120, rows: 40, name: 'xterm-256color', cwd: this.home, env: this.env }),
      this.#calls,
    );
    await session.load(load(scriptOf(shell)));
    return session;
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** An interactive shell in a terminal. */
export class Session {
  readonly #pty: ReturnType<typeof spawn>;
  readonly #calls: string;
  #shown = '';

  constructor(pty: ReturnType<typeof spawn>, calls: string) {
    this.#pty = pty;
    this.#calls = calls;
    pty.onData((data) => {
      this.#shown += data;
    });
  }

  async load(line: string): Promise<void> {
    // The echo of the input must not match the output.
    this.#pty.write(`${line}; echo load''ed\r`);
    await this.#until(() => this.#shown.includes('loaded') && this.#reads());
  }

  /** Types text and Return, and returns the arguments that `botctl` received. `\t` presses Tab. */
  async called(typed: string): Promise<readonly string[]> {
    rmSync(this.#calls, { force: true });
    this.#shown = '';
    this.#pty.write(`${typed}\r`);
    await this.#until(() => existsSync(this.#calls) && this.#reads());
    return readFileSync(this.#calls, 'utf8').split('\0').slice(0, -1);
  }

  /** Returns whether it reads keys: it has then enabled bracketed paste again, which is off during a command. */
  #reads(): boolean {
    return this.#shown.lastIndexOf('[?2004h') > this.#shown.lastIndexOf('[?2004l');
  }

  close(): void {
    this.#pty.kill('SIGKILL');
  }

  async #until(isSo: () => boolean): Promise<void> {
    try {
      await eventually(isSo, { instead: () => this.#shown });
    } catch (error) {
      // Clears the output before the next command.
      this.#shown = '';
      this.#pty.write('\u0003');
      await eventually(() => this.#reads(), { patienceMs: 1000 }).catch(() => undefined);
      throw error;
    }
  }
}

export type Shell = 'bash' | 'zsh' | 'fish';

interface Interactive {
  readonly args: string[];
  /** Returns the command that loads a script. */
  load(script: string): string;
}

const interactive: Readonly<Record<Shell, Interactive>> = {
  bash: { args: ['--norc', '--noprofile', '-i'], load: (script) => `source '${script}'` },
  zsh: {
    args: ['-f', '-i'],
    load: (script) => `autoload -Uz compinit && compinit -u -d ~/dump; source '${script}'`,
  },
  fish: {
    args: ['--no-config', '-i'],
    // This version of fish does not signal when it starts or stops reading keys.
    load: (script) =>
      "function on --on-event fish_prompt; printf '\\e[?2004h'; end; " +
      "function off --on-event fish_preexec; printf '\\e[?2004l'; end; " +
      `source '${script}'`,
  },
};

/** The shells installed on this machine. */
export const shells = (['bash', 'zsh', 'fish'] as const).filter(
  (shell) => spawnSync(shell, ['--version']).status === 0,
);

/** Returns the shipped script. */
function scriptOf(shell: Shell): string {
  const name = { bash: 'botctl.bash', zsh: '_botctl', fish: 'botctl.fish' }[shell];
  return join(packageRoot(), 'completions', name);
}
