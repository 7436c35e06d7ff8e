/**
 * Follows the README like a reader, from start to end in one bash, one home and one directory, and then the help
 * topics. The fences control the steps:
 *
 * - `console`: typed at the terminal, a command after each `$ `. The text below is the complete output. A command exits
 *   with 0, unless `$ echo $?` below shows another code.
 * - `sh`: typed in the same shell, with neither input nor output on the terminal. Each command exits with 0.
 * - any language and a name, as in `yaml bot.yaml`: the reader saves the file.
 * - `text` without a name: nothing to run.
 *
 * A reader has their own service with a key, so the address and the two parts of the key are filled in. Values that
 * differ in each run are compared by their form (`stable.ts`); blanks and line ends count as one. `UPDATE_README=1`
 * writes the outputs that differ.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { topics } from '../../src/cli/help/topics.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import { needing } from '../support/needing.ts';
import { binary } from '../support/process.ts';
import { useSandbox } from '../support/sandbox.ts';
import { type Block, blocksOf, commandsIn, type Typed, typedIn } from './blocks.ts';
import { type Ran, Shell } from './shell.ts';
import { stable } from './stable.ts';

const readmeFile = join(packageRoot(), 'README.md');
const topicFiles = topics.map(({ name }) => join(packageRoot(), 'src/cli/help/topics', `${name}.md`));

/** Commands that are not typed here, and the tests that run them instead. */
const notTyped: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'test/process/node-versions.test.ts',
  'npm ci && npm test': 'test/process/node-versions.test.ts',
  'npm pack': 'test/process/package.test.ts',
  'npm install -g ./botctl-1.0.0-rc.1.tgz': 'test/process/package.test.ts',
};

/** Whether the port of `sandbox start` is free. */
const isPortFree = await new Promise<boolean>((resolve) => {
  const socket = connect(4010, '127.0.0.1').once('error', () => resolve(true));
  socket.once('connect', () => resolve(false) ?? socket.destroy());
});

/** The reader's own service. */
const service = useSandbox();

it(
  'the README can be followed from top to bottom, and the help topics after it',
  needing('the port 4010', isPortFree),
  async () => {
    const rename = { page: 'pageNumber', limit: 'per_page', name: 'q' };
    await callControl(service.control, '/seed', { teams: 60, bots: 4, documents: 4, seed: 'readme' });
    service.behave({
      rename_query: Object.entries(rename).map(([from, to]) => ({ from, to })),
      max_limit: 50,
    });
    const reader = new Reader();
    await reader.follow(readmeFile, { columns: 100 });
    // Help pages have eighty columns, and indent commands.
    for (const file of topicFiles)
      await reader.follow(file, { columns: 78, first: 'export BOTCTL_PROFILE=sandbox' });
    await reader.leave();
  },
);

/** A reader who follows pages, with a home and a working directory. */
class Reader {
  readonly #home = mkdtempSync(join(tmpdir(), 'ana-'));
  readonly #work = join(this.#home, 'work');
  readonly #log = join(this.#home, 'log');
  readonly #secretFile = join(this.#home, 'secret');

  constructor() {
    onTestFinished(() => rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 }));
    const programs = join(this.#home, 'bin');
    for (const directory of [this.#work, programs]) mkdirSync(directory);
    writeFileSync(this.#secretFile, `${service.keySecret.reveal()}\n`, { mode: 0o600 });
    const starter = `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`;
    writeFileSync(join(programs, 'botctl'), starter, { mode: 0o755 });
  }

  /** Follows a page in a separate shell. */
  async follow(file: string, { columns, first }: { columns: number; first?: string }): Promise<void> {
    const page = readFileSync(file, 'utf8');
    const shell = await this.#open(columns);
    if (first) await shell.run(first);
    const updates: { readonly at: number; readonly from: string; readonly to: string }[] = [];
    const compare = (block: Block, { command, shown: expected, at }: Typed, shown: string): void => {
      const isSame = plain(shown) === plain(expected);
      if (!process.env.UPDATE_README) expect.soft(plain(shown), command).toBe(plain(expected));
      else if (!isSame) updates.push({ at: block.at + at, from: expected, to: shown && `${shown}\n` });
    };
    for (const block of blocksOf(page)) {
      const { language, file: name, text } = block;
      if (name !== undefined) writeFileSync(join(this.#work, name), text);
      else if (language === 'sh') await this.#typeScript(shell, block);
      else if (language === 'console') {
        const lines = typedIn(block);
        for (const [index, typed] of lines.entries()) {
          const { exitCode, shown } = await this.#type(shell, typed.command);
          if (lines[index + 1]?.command !== 'echo $?')
            expect.soft(exitCode, `${typed.command}\n${shown}`).toBe(0);
          compare(block, typed, shown);
        }
        // The SQL statements of a desk run in test/postgresql, with real roles.
      } else expect(['text', 'sql', 'json'], text).toContain(language);
    }
    shell.close();
    let updated = page;
    for (const { at, from, to } of updates.toReversed())
      updated = updated.slice(0, at) + to + updated.slice(at + from.length);
    if (updated !== page) writeFileSync(file, updated);
  }

  /** Stops the sandbox that the README starts. */
  async leave(): Promise<void> {
    const shell = await this.#open(80);
    const { exitCode, shown } = await shell.run('botctl sandbox stop --profile sandbox');
    expect(exitCode, shown).toBe(0);
    shell.close();
  }

  #open(columns: number): Promise<Shell> {
    const PATH = `${join(this.#home, 'bin')}${delimiter}${process.env.PATH}`;
    return Shell.open(this.#work, columns, { HOME: this.#home, PATH });
  }

  /** Types a command and answers its questions. */
  async #type(shell: Shell, command: string): Promise<Ran> {
    const { exitCode, shown } = await shell.run(this.#filledIn(command), {
      'Key id:': service.keyId,
      'Key secret:': service.keySecret.reveal(),
      'to Aurora Coffee?': 'y',
      'Type default to': 'default',
    });
    return { exitCode, shown: this.#asShown(shown) };
  }

  async #typeScript(shell: Shell, block: Block): Promise<void> {
    // Without a profile, botctl cannot have saved the service's parameter names, so the service uses the usual ones.
    if (block.text.includes('BOTCTL_BASE_URL')) service.behave({ reset: true });
    for (const command of commandsIn(block).filter((command) => !(command in notTyped))) {
      const { exitCode } = await shell.run(`{ ${this.#filledIn(command)}\n} </dev/null >'${this.#log}' 2>&1`);
      expect.soft(exitCode, `${command}\n${readFileSync(this.#log, 'utf8')}`).toBe(0);
    }
  }

  #filledIn(text: string): string {
    return text
      .replaceAll('https://api.example.com', service.baseUrl)
      .replaceAll('key_5f0c8a1e7b3d46d2a9c41e60', service.keyId)
      .replaceAll('/run/secrets/botctl', this.#secretFile);
  }

  #asShown(text: string): string {
    return text.replaceAll(service.baseUrl, 'https://api.example.com').replaceAll(this.#home, '~');
  }
}

/** Returns the form in which texts are compared. */
const plain = (text: string): string => stable(text).split(/\s+/).join(' ').trim();
