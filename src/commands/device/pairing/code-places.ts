import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '../../../context.ts';
import { Failure } from '../../../errors.ts';
import type { Device } from '../device.ts';
import type { PairingEvent } from './events.ts';
import { PictureFile } from './picture-file.ts';
import type { WebPage } from './web-page.ts';

/** Where the code can be seen beside the screen: a file, a web page. Both follow the pairing, and go with it. */
export class CodePlaces {
  readonly #session: Session;
  readonly #device: Device;
  readonly #expect: string | undefined;
  #file: PictureFile | undefined;
  #page: Promise<WebPage> | undefined;
  #event: PairingEvent | undefined;
  #picture: Buffer | undefined;

  /**
   * @param file the one that was asked for, if any
   * @param expect the number that is to be paired, digits alone, if it matters
   */
  constructor(session: Session, device: Device, file: PictureFile | undefined, expect?: string) {
    this.#expect = expect;
    this.#session = session;
    this.#device = device;
    this.#file = file;
    file?.guard();
  }

  /** Opens the web page, unless it is open. Gives its address, and how to reach it from another machine. */
  async page(): Promise<string> {
    this.#page ??= this.#openPage();
    try {
      const { url, sshLine } = await this.#page;
      return `${url}\n${sshLine}`;
    } catch (error) {
      this.#page = undefined;
      throw error;
    }
  }

  async #openPage(): Promise<WebPage> {
    const { io, clock, signal } = this.#session;
    const { label, team, bot } = this.#device;
    const { openWebPage } = await import('./web-page.ts');
    const page = await openWebPage({
      device: label,
      team,
      bot,
      expect: this.#expect,
      env: io.env,
      clock,
      signal,
    });
    if (this.#event) page.show(this.#event);
    return page;
  }

  /**
   * Saves the current picture, in a file of its own where none was asked for. Gives its path.
   * @throws Failure where there is no picture at the moment, or it can't be written
   */
  async file(): Promise<string> {
    if (this.#file) return this.#file.path;
    if (!this.#picture) throw new Failure('usage', 'There is no code at the moment.');
    const file = new PictureFile(join(tmpdir(), `botctl-pair-${randomBytes(4).toString('hex')}.png`));
    file.guard();
    file.write(this.#picture);
    this.#file = file;
    return file.path;
  }

  /**
   * Brings both up to date.
   * @throws Failure where the file can't be written
   */
  async show(event: PairingEvent): Promise<void> {
    this.#event = event;
    const picture = pictureIn(event);
    // A read that failed takes no code away.
    if (event.kind !== 'unreachable') this.#picture = picture;
    if (picture) this.#file?.write(picture);
    // Nobody should scan what is dead already.
    else if (event.kind !== 'unreachable') this.#file?.clear();
    const page = await this.#page?.catch(() => undefined);
    page?.show(event);
  }

  /** Takes both away. */
  async close(): Promise<void> {
    this.#file?.remove();
    const page = await this.#page?.catch(() => undefined);
    await page?.close();
  }
}

function pictureIn(event: PairingEvent): Buffer | undefined {
  if (event.kind === 'code') return event.code.picture;
  return event.kind === 'unreadable' ? event.picture : undefined;
}
