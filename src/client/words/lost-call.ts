import type { EndpointName } from '../../contract/endpoints.ts';
import { codeOf, Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { command, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';
import { fullStop, oneLine } from '../../lib/text/sentence.ts';
import { ServiceError } from '../answer.ts';
import type { FailedCall } from '../failed-call.ts';
import { TransportError } from '../transport-error.ts';

/** The possible effect of a lost call, and how to check it. */
interface OutcomeCheck {
  /** Completes the sentence "It is not known whether …". */
  readonly effect: string;
  hint(call: FailedCall): RemarkText;
}

function listHint(noun: string): OutcomeCheck['hint'] {
  return ({ createdName }) =>
    remark`Check before you try again: ${command(noun, 'list', '--name', createdName ?? placeholder('NAME'))}`;
}

function showHint(...words: readonly string[]): OutcomeCheck['hint'] {
  return ({ id }) => remark`Check it: ${command(...words, id ?? placeholder('ID'))}`;
}

/** How to check whether a call took effect, by endpoint. */
const checks: Partial<Readonly<Record<EndpointName, OutcomeCheck>>> = {
  createKey: {
    effect: 'the key was created',
    hint: () => remark`Check before you try again: ${command('keys', 'list')}`,
  },
  deleteKey: { effect: 'the key was deleted', hint: showHint('keys', 'get') },
  createTeam: { effect: 'the team was created', hint: listHint('teams') },
  updateTeam: { effect: 'the team was changed', hint: showHint('teams', 'get') },
  createBot: { effect: 'the bot was created', hint: listHint('bots') },
  updateBot: { effect: 'the bot was changed', hint: showHint('bots', 'get') },
  deleteBot: { effect: 'the bot was deleted', hint: showHint('bots', 'get') },
  createDocument: { effect: 'the document was stored', hint: listHint('docs') },
  updateDocument: { effect: 'the document was renamed', hint: showHint('docs', 'get') },
  createDevice: {
    effect: 'the device was created',
    hint: () => "The API can't list devices: look for it in the platform before you try again.",
  },
  connectDevice: { effect: 'the device was started', hint: showHint('device', 'status') },
  disconnectDevice: { effect: 'the device was stopped', hint: showHint('device', 'status') },
  sendMessage: {
    effect: 'the message was sent',
    hint: () => 'Ask the recipient before you send it again: it may arrive twice.',
  },
};

const anyCall: OutcomeCheck = { effect: 'the call took effect', hint: () => 'Check before you try again.' };

function checkOf({ name }: FailedCall): OutcomeCheck {
  return (name && checks[name]) ?? anyCall;
}

/** Returns how to check whether a call took effect, or undefined if there is no way. */
export function outcomeCheckHint(call: FailedCall): RemarkText | undefined {
  const check = checkOf(call);
  return check === anyCall ? undefined : check.hint(call);
}

/**
 * Returns the failure for a call whose response was lost because a signal ended the command: its exit code is the
 * signal's.
 */
export function interruptedCallFailure(
  error: TransportError | ServiceError,
  ended: Failure,
  call: FailedCall,
): Failure {
  const check = checkOf(call);
  const { method, path, createdName } = call;
  const message = `${ended.message} It is not known whether ${check.effect}: there was no response yet.`;
  return new Failure(ended.kind, message, {
    code: codeOf('outcomeUnknown'),
    hint: check.hint(call),
    details: { in_flight: [{ method, path, ...(createdName !== undefined && { name: createdName }) }] },
    cause: error,
  });
}

/** Returns the failure for a call that must not be retried and whose response was lost. */
export function unknownOutcomeFailure(error: TransportError | ServiceError, call: FailedCall): Failure {
  const check = checkOf(call);
  const why = error instanceof TransportError ? connectionErrorText(error) : answerText(error);
  return new Failure('outcomeUnknown', `It is not known whether ${check.effect}: ${why}${fullStop(why)}`, {
    hint: check.hint(call),
    ...(error instanceof ServiceError && {
      status: error.status,
      details: serviceDetails(error),
    }),
    cause: error,
  });
}

/** Returns the code and details of the service as a detail of a failure that has a code of its own. */
function serviceDetails({ detail: { code, details } }: ServiceError): JsonObject | undefined {
  if (code === undefined && (details === undefined || details === null)) return undefined;
  return { service: { code, details } };
}

function answerText({ status, message, detail: { location } }: ServiceError): string {
  if (location === undefined) return `the service answered ${status}: ${message}`;
  return `the service answered ${status}, a redirect to ${oneLine(location, 200)}, and botctl follows redirects for reads only`;
}

function connectionErrorText({ reason }: TransportError): string {
  if (reason === 'timeout') return 'no complete answer came in time';
  if (reason === 'tooLarge') return 'the answer is too large to read';
  return 'the connection broke after the request was sent';
}
