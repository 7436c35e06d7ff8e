import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { createdKey } from '../../contract/keys.ts';
import { Failure, type FailureKind } from '../../lib/errors.ts';
import { errorCode } from '../../lib/files/error-code.ts';
import { unreadable } from '../../lib/files/file-failure.ts';
import { readOwnText } from '../../lib/files/read-file.ts';
import { parseJson } from '../../lib/json-object.ts';
import { type CommandLine, command, placeholder, remark } from '../../lib/text/remark.ts';
import { Secret } from '../../secrets/secret.ts';
import type { BehaviourRequest } from '../faults/behaviour.ts';
import type { FaultRequest } from '../faults/fault.ts';
import type { PhoneAction } from '../phone/actions.ts';
import type { ControlAddress, NamingWords } from '../sandbox.ts';
import { engineIn, onServer } from '../store/engine.ts';
import { note, noteFile } from '../store/note.ts';
import {
  behaviour,
  type ClearedFaults,
  type ClockRequest,
  type ClockState,
  type ControlPath,
  type CreatedKey,
  type CreateKeyRequest,
  clearedFaults,
  clockState,
  controlError,
  type Deactivation,
  type DeletedKey,
  deactivation,
  deletedKey,
  type FeedRequest,
  hintOf,
  type LogPage,
  logPage,
  type MessagesPage,
  type MessagesRequest,
  maxBodyBytes,
  messagesPage,
  type Pairing,
  type PhoneOutcome,
  type Publication,
  pairing,
  phoneOutcome,
  pictureType,
  publication,
  type SandboxState,
  type Seeded,
  type SeedRequest,
  type ShownBehaviour,
  type ShownFault,
  type Stopping,
  sandboxState,
  screenType,
  seeded,
  shownFault,
  shownFaults,
  stopping,
} from './protocol.ts';

/** Options of a scan. */
export interface ScanOptions {
  /** The phone's number, with the plus; the sandbox makes one up if not given. */
  readonly phoneNumber?: string | undefined;
  /** The person doesn't confirm the scan: the device is paired, and never connected. */
  readonly stall?: boolean | undefined;
}

/**
 * Returns the control channel of the sandbox that runs on a data directory.
 * @param use a signal that ends the calls, and what names this sandbox in the command lines of hints
 * @throws Failure `invalidInput` if none runs there
 */
export function findControl(
  data: string,
  given: Pick<ControlAddress, 'signal' | 'naming'> = {},
): ControlAddress {
  const use = { ...given, naming: startingAgain(data, given) };
  const file = join(data, noteFile);
  let text: string;
  try {
    text = readOwnText(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw notRunning(`No sandbox is running on ${data}.`, use, error);
    throw unreadable(file, error);
  }
  const parsed = z.safeParse(note, parseJson(text));
  if (!parsed.success) throw notRunning(`${file} isn't what a sandbox writes.`, use, parsed.error);
  return { url: parsed.data.url, token: new Secret(parsed.data.token), ...use };
}

/**
 * Holds a PNG before the simulated phone. Returns the device that this pairs.
 * @throws Failure `usage` if it can't be read, `rejected` if its code pairs nothing; as for all
 * calls, `invalidInput` if the sandbox isn't there any more, `network` if it breaks off before it has answered
 */
export async function scanPicture(
  control: ControlAddress,
  png: Uint8Array,
  options?: ScanOptions,
): Promise<Pairing> {
  return scan(control, pictureType, png, options);
}

/**
 * Holds a drawn terminal screen before the simulated phone. Returns the device that this pairs.
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
 * Acts on the phone that a device is paired with, or on its connection.
 * @param device its id or exact name
 * @throws Failure `notFound`, `usage` if several have the name, `rejected` if it can't be done as the
 * device is
 */
export async function usePhone(
  control: ControlAddress,
  action: PhoneAction,
  device: string,
): Promise<PhoneOutcome> {
  return callJson(control, '/phone', phoneOutcome, { action, device });
}

/**
 * Publishes a bot, named by its id or exact name. Returns the bot.
 * @throws Failure `notFound`, or `usage` if several have the name
 */
export async function publish(control: ControlAddress, bot: string): Promise<Publication> {
  return callJson(control, '/publish', publication, { bot });
}

/**
 * Makes a key. Returns it with its secret, which is told only once.
 * @throws Failure `invalidInput` for an expiry that has passed by the sandbox's clock
 */
export async function createKey(control: ControlAddress, request: CreateKeyRequest): Promise<CreatedKey> {
  return callJson(control, '/key/create', createdKey, request);
}

/**
 * Deletes a key by its id.
 * @throws Failure `notFound`
 */
export async function deleteKey(control: ControlAddress, keyId: string): Promise<DeletedKey> {
  return callJson(control, '/key/delete', deletedKey, { key_id: keyId });
}

/**
 * Deactivates a key, named by its id or exact name. Returns it.
 * @throws Failure `notFound`, or `usage` if several have the name
 */
export async function deactivateKey(control: ControlAddress, key: string): Promise<Deactivation> {
  return callJson(control, '/deactivate', deactivation, { key });
}

/**
 * Sets the sandbox's clock forward, stops it or lets it go on. Returns its state.
 * @throws Failure `invalidInput` for a time that has been
 */
export async function changeClock(control: ControlAddress, request: ClockRequest): Promise<ClockState> {
  return callJson(control, '/clock', clockState, request);
}

/** Returns what the sandbox is, and how much it holds. */
export async function readState(control: ControlAddress): Promise<SandboxState> {
  return callJson(control, '/status', sandboxState, {});
}

/** Empties the sandbox, but for its first key, and sets its clock back to the machine's. Returns what it is then. */
export async function resetSandbox(control: ControlAddress): Promise<SandboxState> {
  return callJson(control, '/reset', sandboxState, {});
}

/** Asks the sandbox to end. Returns its data directory, whose lock it leaves then, and its process. */
export async function stopSandbox(control: ControlAddress): Promise<Stopping> {
  return callJson(control, '/stop', stopping, {});
}

/**
 * Fills the sandbox. Returns the number of new rows.
 * @throws Failure `invalidInput` for bots and documents without a team, and for rows that a seed has made already
 */
export async function seed(control: ControlAddress, wanted: SeedRequest): Promise<Seeded> {
  return callJson(control, '/seed', seeded, wanted);
}

/**
 * Adds a fault. Returns it.
 * @throws Failure `invalidInput` if its target is no call of the API
 */
export async function addFault(control: ControlAddress, fault: FaultRequest): Promise<ShownFault> {
  return callJson(control, '/fault/add', shownFault, fault);
}

/** Returns the faults in the order in which they are asked. */
export async function listFaults(control: ControlAddress): Promise<readonly ShownFault[]> {
  return (await callJson(control, '/fault/list', shownFaults, {})).faults;
}

/**
 * Removes faults, all of them where no ids are given. Returns how many those were.
 * @throws Failure `notFound` if there is none of an id; nothing is removed then
 */
export async function clearFaults(
  control: ControlAddress,
  ids: readonly string[] | undefined,
): Promise<ClearedFaults> {
  return callJson(control, '/fault/clear', clearedFaults, { ids });
}

/**
 * Returns a page of the requests that the sandbox met.
 * @throws Failure `invalidInput` if it keeps no log
 */
export async function readLog(control: ControlAddress, request: FeedRequest): Promise<LogPage> {
  return callJson(control, '/log', logPage, request);
}

/**
 * Lets the sandbox do otherwise what the specification leaves open. Returns how it does it now.
 * @throws Failure `invalidInput` for a name that no answer has, and if teams share an e-mail address that may not
 */
export async function behave(control: ControlAddress, choices: BehaviourRequest): Promise<ShownBehaviour> {
  return callJson(control, '/behave', behaviour, choices);
}

/**
 * Returns a page of the messages that the messaging network took.
 * @throws Failure `notFound` if there is no such device, `invalidInput` if several have the name
 */
export async function readMessages(control: ControlAddress, request: MessagesRequest): Promise<MessagesPage> {
  return callJson(control, '/messages', messagesPage, request);
}

async function scan(
  control: ControlAddress,
  type: string,
  body: Uint8Array,
  { phoneNumber, stall = false }: ScanOptions = {},
): Promise<Pairing> {
  if (body.length > maxBodyBytes) {
    throw new Failure(
      'invalidInput',
      `The picture has ${body.length} bytes; the phone takes up to ${maxBodyBytes}.`,
    );
  }
  const query = new URLSearchParams({
    ...(phoneNumber !== undefined && { number: phoneNumber }),
    ...(stall && { stall: '' }),
  });
  return call(control, '/scan', pairing, { query: `?${query}`, type, body });
}

async function callJson<S extends z.ZodMiniType>(
  control: ControlAddress,
  path: ControlPath,
  answer: S,
  body: unknown,
): Promise<z.infer<S>> {
  return call(control, path, answer, {
    query: '',
    type: 'application/json',
    body: JSON.stringify(body),
  });
}

interface Request {
  readonly query: string;
  readonly type: string;
  readonly body: string | Uint8Array;
}

async function call<S extends z.ZodMiniType>(
  control: ControlAddress,
  path: ControlPath,
  schema: S,
  asked: Request,
): Promise<z.infer<S>> {
  const { url } = control;
  let status: number | undefined;
  let answer: unknown;
  try {
    const response = await send(control, path, asked);
    status = response.statusCode;
    answer = JSON.parse(await text(response));
  } catch (error) {
    control.signal?.throwIfAborted();
    if (isBrokenOff(error)) {
      const words = `The sandbox broke off before it had answered on its control channel at ${url}.`;
      throw new Failure('network', words, { cause: error });
    }
    throw notRunning(`The sandbox's control channel at ${url} doesn't answer.`, control, error);
  }
  if (status !== 200) throw refused(status, answer, control);
  return z.parse(schema, answer);
}

/**
 * Sends a request on a connection of its own, since a sandbox that is stopping may be closing a kept one. Waits for the
 * answer without a deadline: seeding many rows takes long.
 */
async function send(
  { url, token, signal }: ControlAddress,
  path: ControlPath,
  { query, type, body }: Request,
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token.reveal()}`, 'content-type': type };
  const options = { method: 'POST', headers, agent: false, ...(signal && { signal }) };
  return await new Promise((resolve, reject) => {
    const sending = request(`${url}${path}${query}`, options, resolve);
    sending.on('error', reject);
    // All that comes of an answer that would change to another protocol.
    sending.on('close', () => reject(new Error('The connection ended without an answer.')));
    sending.end(body);
  });
}

/** True if the connection was there and ended before the answer did: what was asked for may have happened. */
function isBrokenOff(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '');
}

function refused(status: number | undefined, answer: unknown, { naming = asItIs }: Naming): Failure {
  const kinds: Readonly<Record<number, FailureKind>> = {
    400: 'invalidInput',
    404: 'notFound',
    409: 'rejected',
    413: 'invalidInput',
  };
  const { data } = z.safeParse(controlError, answer);
  const words = data?.error ?? `The sandbox answered ${status}.`;
  if (status === 401) return notRunning(words, { naming });
  const hint = data?.hint && hintOf(data.hint, naming);
  return new Failure(kinds[status ?? 0] ?? 'network', words, { hint, status });
}

type Naming = Pick<ControlAddress, 'naming'>;

function asItIs(words: CommandLine['words']): CommandLine['words'] {
  return words;
}

/** Returns what names a sandbox in a line that starts it, too: one whose rows are on a server needs that named. */
function startingAgain(data: string, { naming = asItIs }: Naming): NamingWords {
  return (words) => {
    const [noun, verb] = words;
    if (noun !== 'sandbox' || verb !== 'start' || engineIn(data) !== onServer) return naming(words);
    return [...naming(words), '--database', placeholder('<url>'), '--files', placeholder('<directory>')];
  };
}

function notRunning(message: string, { naming = asItIs }: Naming, cause?: unknown): Failure {
  const hint = remark`Start one in another terminal: ${command(...naming(['sandbox', 'start']))}`;
  return new Failure('invalidInput', message, { hint, cause });
}
