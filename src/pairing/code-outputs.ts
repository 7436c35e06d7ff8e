import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Confirmation } from '../cli/command.ts';
import type { Session } from '../cli/context.ts';
import { Failure } from '../lib/errors.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { replacesFile, writeFailure } from '../lib/files/file-failure.ts';
import type { Device } from '../resources/devices/device.ts';
import type { ExpectedNumber } from '../resources/devices/pairing/expected-number.ts';
import type { PairingEvent } from '../resources/devices/pairing/watch-pairing.ts';
import type { WebPage } from './web-page/page-server.ts';
import type { PageAddress } from './words.ts';

/**
 * The file with the picture of the current code, which is a secret while the code is valid. It is removed when the process ends.
 * After `kill -9` it stays: its code expires within a minute, and another file may be at its path by then.
 */
export class PictureFile {
  readonly path: string;
  /** True if an existing file would be replaced. */
  readonly exists: boolean;
  /** The inode of the file that this process wrote: only that file is ever removed. */
  #writtenInode: number | undefined;
  readonly #onExit = (): void => this.remove();

  /** @throws Failure `usage` if there can't be a file */
  constructor(path: string) {
    this.path = path;
    this.exists = replacesFile(path);
  }

  /**
   * Replaces the last picture, readable only by this user. A viewer never sees an incomplete one.
   * @throws Failure `usage` if it can't be written
   */
  write(picture: Buffer): void {
    try {
      writeFileAtomically(this.path, picture);
      this.#writtenInode = statSync(this.path).ino;
    } catch (error) {
      throw writeFailure(this.path, error);
    }
  }

  /** Removes the picture when the process ends, also by a signal. */
  removeAtExit(): void {
    process.once('exit', this.#onExit);
  }

  /** Removes the picture and stops updating it. */
  remove(): void {
    process.removeListener('exit', this.#onExit);
    this.clear();
  }

  /** Removes the picture, if this process wrote it, until there is another one. */
  clear(): void {
    const there = statSync(this.path, { throwIfNoEntry: false });
    if (this.#writtenInode !== undefined && there?.ino === this.#writtenInode)
      rmSync(this.path, { force: true });
    // The next file at the path may get the same inode.
    this.#writtenInode = undefined;
  }

  /** Returns the question before an existing file is replaced, or undefined if there is none. */
  confirmation(): Confirmation | undefined {
    if (!this.exists) return undefined;
    return {
      level: 'yes',
      statement: `${this.path} exists.`,
      question: 'Replace it with the picture of the code?',
    };
  }
}

/** The outputs of the code besides the screen: a file and a web page. Both are updated during the pairing and removed after it. */
export class CodeOutputs {
  #page: Promise<WebPage> | undefined;
  /** The last event, without failed reads. */
  #event: PairingEvent | undefined;
  #picture: Buffer | undefined;

  /**
   * @param pictureFile the file that the user named, if any
   * @param expect the expected number, if any
   */
  constructor(
    private readonly session: Session,
    private readonly device: Device,
    private pictureFile: PictureFile | undefined,
    private readonly expect?: ExpectedNumber,
  ) {
    pictureFile?.removeAtExit();
  }

  /**
   * Opens the web page, unless it is open.
   * @throws Failure if it can't be opened
   */
  async page(): Promise<PageAddress> {
    this.#page ??= this.#openPage();
    try {
      return await this.#page;
    } catch (error) {
      this.#page = undefined;
      throw error;
    }
  }

  async #openPage(): Promise<WebPage> {
    const { io, clock, signal } = this.session;
    const { label, team, bot } = this.device;
    const { openWebPage } = await import('./web-page/page-server.ts');
    const page = await openWebPage({
      device: label,
      team,
      bot,
      expect: this.expect?.digits,
      expected: this.expect?.shown,
      env: io.env,
      clock,
      signal,
    });
    if (this.#event) page.show(this.#event);
    return page;
  }

  /**
   * Saves the current picture, in a temporary file if the user named none, and returns its path.
   * @throws Failure if there is currently no picture, or it can't be written
   */
  async file(): Promise<string> {
    if (!this.#picture) throw new Failure('invalidInput', 'There is no code at the moment.');
    if (this.pictureFile) return this.pictureFile.path;
    const file = new PictureFile(join(tmpdir(), `botctl-pair-${randomBytes(4).toString('hex')}.png`));
    file.removeAtExit();
    file.write(this.#picture);
    this.pictureFile = file;
    return file.path;
  }

  /**
   * Updates both.
   * @throws Failure if the file can't be written
   */
  async show(event: PairingEvent): Promise<void> {
    // A failed read leaves the code; any other event removes it: an expired code should not be scanned.
    if (event.kind !== 'unreachable') {
      this.#event = event;
      this.#picture = pictureIn(event);
      if (this.#picture) this.pictureFile?.write(this.#picture);
      else this.pictureFile?.clear();
    }
    const page = await this.#page?.catch(() => undefined);
    page?.show(event);
  }

  /** Removes both. */
  async close(): Promise<void> {
    this.pictureFile?.remove();
    const page = await this.#page?.catch(() => undefined);
    await page?.close();
  }
}

function pictureIn(event: PairingEvent): Buffer | undefined {
  if (event.kind === 'code') return event.code.picture;
  return event.kind === 'unreadable' ? event.picture : undefined;
}

/** Warns that the code can't be read, and suggests how to see it. */
export function warnUnreadable(
  { terminal }: Session,
  { problem, picture }: { readonly problem: string; readonly picture: Buffer | undefined },
  file: PictureFile | undefined,
): void {
  terminal.warn(`The service sent a picture that can't be read: it ${problem}.`);
  if (file && picture) terminal.note(`Open ${file.path} in a viewer, and scan the code there.`);
  else if (!file) terminal.note('Add --qr-file FILE to save the picture, and open it in a viewer.');
}
