import { createHash } from 'node:crypto';
import {
  acceptedContent,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { ConsentQuestion } from '../lib/consent.ts';
import { sanitise, sanitiseLines } from '../terminal/sanitise.ts';

const questionShape = z.object({
  level: z.enum(['yes', 'name']),
  question: z.string(),
  names: z.array(z.string()).readonly().optional(),
  allow: z.string().optional(),
  id: z.string().optional(),
});

/**
 * The state that a call carries from one round of questions to the next. It passes through the client, so it is signed.
 */
export const stateShape = z.object({
  /** The digest of the call that it belongs to. */
  call: z.string(),
  /** The id of the write's record. */
  record: z.string(),
  /** The digests of the questions that the user has answered with yes. */
  confirmed: z.array(z.string()),
  /** The question that the user was asked. */
  asked: questionShape,
});

/** See `stateShape`. */
export type ConsentState = z.infer<typeof stateShape>;

/** Returns the question in the details of a failure, or undefined if there is none that a program can ask. */
export function questionIn(details: unknown): ConsentQuestion | undefined {
  return questionShape.safeParse(details).data;
}

/** Returns a digest of a question, which also covers the object that it is about. */
export function digestOf({ level, question, names, allow, id }: ConsentQuestion): string {
  return createHash('sha256')
    .update(JSON.stringify([level, question, names, allow, id]))
    .digest('hex');
}

/** Returns a digest of a call: of its tool and its input. */
export function callDigest(tool: string, input: object): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, input]))
    .digest('hex');
}

const answerKey = 'confirm';

/**
 * Returns the request to ask the user, which ends this round of the call.
 * @param state returned by the client with the answer
 */
export function askUser(
  { level, question, names = [] }: ConsentQuestion,
  state: string,
): InputRequiredResult {
  const name = names.map(sanitise).find((one) => one !== '') ?? '';
  const message = sanitiseLines(question);
  const requestedSchema =
    level === 'name'
      ? z.object({ name: z.string().meta({ title: `Type ${name}` }) })
      : z.object({ yes: z.boolean().meta({ title: 'Yes, do this' }) });
  return inputRequired({
    inputRequests: { [answerKey]: inputRequired.elicit({ message, requestedSchema }) },
    requestState: state,
  });
}

/** Returns the answer of the user: `other` if another name was typed. Anything that is not a yes is a no. */
export function answerTo(
  { level, names = [] }: ConsentQuestion,
  { mcpReq }: ServerContext,
): 'yes' | 'no' | 'other' {
  const answer = acceptedContent(mcpReq.inputResponses, answerKey);
  if (level === 'yes') return answer?.yes === true ? 'yes' : 'no';
  const typed = answer?.name;
  if (typeof typed !== 'string' || typed.trim() === '') return 'no';
  return names.some((name) => name === typed || sanitise(name) === typed.trim()) ? 'yes' : 'other';
}
