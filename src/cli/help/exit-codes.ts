import { exitCodes } from '../../lib/errors.ts';
import type { HelpPage } from './text.ts';

/** What each exit code means. The README has the same words. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'done',
  unexpected: 'unexpected: a bug in botctl',
  usage: 'wrong use, invalid input, or a question that nobody is there to answer',
  declined: 'a person said no, or left with q',
  authentication: 'not signed in, or the key was refused',
  notFound: 'not found',
  rejected: 'rejected by the service: validation, conflict, forbidden, quota',
  rateLimited: 'rate limited',
  network: 'network, server or timeout; nothing was changed, or the call is safe to repeat',
  notReached: 'the awaited state was not reached, or was lost',
  partlyDone: 'partly done',
  drift: 'drift found: what is there differs from the file',
  outcomeUnknown: 'outcome unknown: it may have happened',
  otherNumber: 'another number was paired than expected',
  interrupted: 'Ctrl-C, in questions too',
  terminated: 'SIGTERM, or the terminal was closed',
};

/** Every kind of ending with its code and meaning, by code. */
export function exitCodeRows(): readonly (readonly [code: number, meaning: string])[] {
  const rows = Object.entries(exitCodeMeanings).map(([kind, meaning]) => [codeOf(kind), meaning] as const);
  return rows.sort(([one], [other]) => one - other);
}

function codeOf(kind: string): number {
  return new Map<string, number>(Object.entries(exitCodes)).get(kind) ?? exitCodes.unexpected;
}

/** `botctl help exit-codes`. */
export const exitCodesPage: HelpPage = {
  title: 'Exit codes',
  parts: [
    { rows: exitCodeRows().map(([code, meaning]) => [String(code), meaning]) },
    'Ctrl-C is how sandbox start and tour --keep are meant to end: 0. doctor ends with the code of the first ' +
      'thing that it found broken, and a diff with 11 where something differs.',
    'With -o json a failure ends stderr with one line: {"error": {"code", "message", "hint", "status", ' +
      '"exit"}}, and "details" if the service gave any, or if a lookup found what a lost answer may have created.',
  ],
};
