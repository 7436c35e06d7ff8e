import type { EndpointName } from '../../contract/endpoints.ts';
import { codeOf, Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { command, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';
import { fullStop, oneLine } from '../../lib/text/sentence.ts';
import { ServiceError } from '../answer.ts';
import type { FailedCall } from '../call-error.ts';
import { TransportError } from '../transport-error.ts';

/** The possible effect of a lost call, and the way to find out. */
interface Check {
  /** Completes "It is not known whether …". */
  readonly what: string;
  how(call: FailedCall): RemarkText;
}

function lookInList(noun: string): Check['how'] {
  return ({ created }) =>
    remark`Look for it before you try again: ${command(noun, 'list', '--name', created ?? placeholder('NAME'))}`;
}

function lookAt(...words: readonly string[]): Check['how'] {
  return ({ id }) => remark`Look at it: ${command(...words, id ?? placeholder('ID'))}`;
}

/** The checks if it is not known whether a call took effect. */
const checks: Partial<Readonly<Record<EndpointName, Check>>> = {
  createKey: {
    what: 'the key was created',
    how: () => remark`Look for it before you try again: ${command('keys', 'list')}`,
  },
  deleteKey: { what: 'the key was deleted', how: lookAt('keys', 'get') },
  createTeam: { what: 'the team was created', how: lookInList('teams') },
  updateTeam: { what: 'the team was changed', how: lookAt('teams', 'get') },
  createBot: { what: 'the bot was created', how: lookInList('bots') },
  updateBot: { what: 'the bot was changed', how: lookAt('bots', 'get') },
  deleteBot: { what: 'the bot was deleted', how: lookAt('bots', 'get') },
  createDocument: { what: 'the document was stored', how: lookInList('docs') },
  updateDocument: { what: 'the document was renamed', how: lookAt('docs', 'get') },
  createDevice: {
    what: 'the device was created',
    how: () => "The API can't list devices: look for it in the platform before you try again.",
  },
  connectDevice: { what: 'the device was started', how: lookAt('device', 'status') },
  disconnectDevice: { what: 'the device was stopped', how: lookAt('device', 'status') },
  sendMessage: {
    what: 'the message was sent',
    how: () => 'Ask the recipient before you send it again: it may arrive twice.',
  },
};

const anyCall: Check = { what: 'the call took effect', how: () => 'Look before you try again.' };

function checkOf({ name }: FailedCall): Check {
  return (name && checks[name]) ?? anyCall;
}

/** Returns how to find out whether a call took effect, or undefined if there is nothing to say of it. */
export function howToLook(call: FailedCall): RemarkText | undefined {
  const check = checkOf(call);
  return check === anyCall ? undefined : check.how(call);
}

/** Returns the failure of a call whose answer was lost because a signal ended the line: its exit code is the signal's. */
export function endedInFlight(
  error: TransportError | ServiceError,
  ended: Failure,
  call: FailedCall,
): Failure {
  const check = checkOf(call);
  const { method, path, created } = call;
  const message = `${ended.message} It is not known whether ${check.what}: there was no answer yet.`;
  return new Failure(ended.kind, message, {
    code: codeOf('outcomeUnknown'),
    hint: check.how(call),
    details: { in_flight: [{ method, path, ...(created !== undefined && { name: created }) }] },
    cause: error,
  });
}

/** Returns the failure of a call that may not be repeated, and whose answer was lost. */
export function outcomeUnknown(error: TransportError | ServiceError, call: FailedCall): Failure {
  const check = checkOf(call);
  const why = error instanceof TransportError ? brokenWords(error) : answeredWords(error);
  return new Failure('outcomeUnknown', `It is not known whether ${check.what}: ${why}${fullStop(why)}`, {
    hint: check.how(call),
    ...(error instanceof ServiceError && {
      status: error.status,
      details: saidBy(error),
    }),
    cause: error,
  });
}

/** Returns what the service said beside its words, as a detail of a failure that has a code of its own. */
function saidBy({ detail: { code, details } }: ServiceError): JsonObject | undefined {
  if (code === undefined && (details === undefined || details === null)) return undefined;
  return { service: { code, details } };
}

function answeredWords({ status, message, detail: { location } }: ServiceError): string {
  if (location === undefined) return `the service answered ${status}: ${message}`;
  return `the service answered ${status}, a redirect to ${oneLine(location, 200)}, and botctl follows redirects for reads only`;
}

function brokenWords({ reason }: TransportError): string {
  if (reason === 'timeout') return 'no complete answer came in time';
  if (reason === 'tooLarge') return 'the answer is too large to read';
  return 'the connection broke after the request was sent';
}
