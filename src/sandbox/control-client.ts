import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Failure, type FailureKind } from '../errors.ts';
import { Secret } from '../secret.ts';
import {
  type Advanced,
  advanced,
  type ControlPath,
  controlError,
  largestBody,
  type Pairing,
  type PhoneOutcome,
  type Publication,
  pairing,
  phoneOutcome,
  pictureType,
  publication,
  type Seeded,
  type SeedRequest,
  screenType,
  seeded,
} from './control-protocol.ts';
import type { PhoneAction } from './phone/actions.ts';
import type { ControlAddress } from './sandbox.ts';

/** File of the data directory that says where the control channel of a running sandbox is. */
export const controlFile = 'control.json';

/** What a call may be given beside its input. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What a scan may be given beside its picture. */
export interface ScanOptions extends CallOptions {
  /** The phone's number, with the plus; the sandbox makes one up where it is not given. */
  readonly phoneNumber?: string | undefined;
  /** The person doesn't confirm the scan: the device is paired, and never connected. */
  readonly stall?: boolean | undefined;
}

const storedControl = z.object({ url: z.url(), token: z.string() });

/** Whether a sandbox says that it runs on a data directory. */
export function isAnnounced(data: string): boolean {
  return existsSync(join(data, controlFile));
}

/**
 * The control channel of the sandbox that runs on a data directory.
 * @throws Failure `network` where none runs there
 */
export function findControl(data: string): ControlAddress {
  let stored: unknown;
  try {
    stored = JSON.parse(readFileSync(join(data, controlFile), 'utf8'));
  } catch (error) {
    throw notRunning(`No sandbox is running on ${data}.`, error);
  }
  const parsed = z.safeParse(storedControl, stored);
  if (!parsed.success)
    throw notRunning(`${join(data, controlFile)} isn't what a sandbox writes.`, parsed.error);
  return { url: parsed.data.url, token: new Secret(parsed.data.token) };
}

/**
 * Holds a PNG before the simulated phone.
 * @throws Failure `usage` where it can't be read, `rejected` where its code pairs nothing; as for all
 * calls, `network` where the sandbox doesn't answer
 */
export async function scanPicture(
  control: ControlAddress,
  png: Uint8Array,
  options?: ScanOptions,
): Promise<Pairing> {
  return scan(control, pictureType, png, options);
}

/**
 * Holds a drawn terminal screen before the simulated phone.
 * @param text what the terminal was sent: characters and escape sequences
 * @throws Failure as `scanPicture`
 */
export async function scanText(
  control: ControlAddress,
  text: string,
  options?: ScanOptions,
): Promise<Pairing> {
  return scan(control, screenType, Buffer.from(text), options);
}

/**
 * Does something on the phone that a device is paired with, or to its connection.
 * @param device its id or exact name
 * @throws Failure `notFound`, `usage` where several have the name, `rejected` where it can't be done as the
 * device is
 */
export async function usePhone(
  control: ControlAddress,
  action: PhoneAction,
  device: string,
  options?: CallOptions,
): Promise<PhoneOutcome> {
  return callJson(control, '/phone', phoneOutcome, { action, device }, options);
}

/**
 * Publishes a bot, named by its id or exact name.
 * @throws Failure `notFound`, or `usage` where several have the name
 */
export async function publish(
  control: ControlAddress,
  bot: string,
  options?: CallOptions,
): Promise<Publication> {
  return callJson(control, '/publish', publication, { bot }, options);
}

/** Sets the sandbox's clock forward. Gives its time then. */
export async function advanceClock(
  control: ControlAddress,
  milliseconds: number,
  options?: CallOptions,
): Promise<Advanced> {
  return callJson(control, '/clock', advanced, { milliseconds }, options);
}

/** Fills the sandbox. Gives how many rows were made. */
export async function seed(
  control: ControlAddress,
  counts: SeedRequest,
  options?: CallOptions,
): Promise<Seeded> {
  return callJson(control, '/seed', seeded, counts, options);
}

async function scan(
  control: ControlAddress,
  type: string,
  body: Uint8Array,
  { phoneNumber, stall = false, signal }: ScanOptions = {},
): Promise<Pairing> {
  if (body.length > largestBody) {
    throw new Failure('usage', `The picture has ${body.length} bytes; the phone takes up to ${largestBody}.`);
  }
  const query = new URLSearchParams({
    ...(phoneNumber !== undefined && { number: phoneNumber }),
    ...(stall && { stall: '' }),
  });
  return call(control, '/scan', pairing, { query: `?${query}`, type, body, signal });
}

async function callJson<S extends z.ZodMiniType>(
  control: ControlAddress,
  path: ControlPath,
  answer: S,
  body: unknown,
  { signal }: CallOptions = {},
): Promise<z.infer<S>> {
  return call(control, path, answer, {
    query: '',
    type: 'application/json',
    body: JSON.stringify(body),
    signal,
  });
}

interface Request {
  readonly query: string;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal | undefined;
}

async function call<S extends z.ZodMiniType>(
  { url, token }: ControlAddress,
  path: ControlPath,
  schema: S,
  { query, type, body, signal }: Request,
): Promise<z.infer<S>> {
  let status: number;
  let answer: unknown;
  try {
    const response = await fetch(`${url}${path}${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.reveal()}`, 'content-type': type },
      body,
      redirect: 'error',
      ...(signal && { signal }),
    });
    status = response.status;
    answer = await response.json();
  } catch (error) {
    signal?.throwIfAborted();
    throw notRunning(`The sandbox's control channel at ${url} doesn't answer.`, error);
  }
  if (status !== 200) throw refused(status, answer);
  return z.parse(schema, answer);
}

function refused(status: number, answer: unknown): Failure {
  const kinds: Readonly<Record<number, FailureKind>> = {
    400: 'usage',
    404: 'notFound',
    409: 'rejected',
    413: 'usage',
  };
  const { data } = z.safeParse(controlError, answer);
  const words = data?.error ?? `The sandbox answered ${status}.`;
  if (status === 401) return notRunning(words);
  return new Failure(kinds[status] ?? 'network', words, { hint: data?.hint, status });
}

function notRunning(message: string, cause?: unknown): Failure {
  const hint = 'Start one in another terminal: botctl sandbox start';
  return new Failure('network', message, { hint, cause });
}
