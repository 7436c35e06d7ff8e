import { readFileSync } from 'node:fs';
import { Failure } from '../errors.ts';
import type { Io } from '../io.ts';
import { type CommandLine, command, placeholder, remark } from '../text/remark.ts';
import { unreadable } from './file-failure.ts';

/**
 * Returns everything that is piped into stdin, as text.
 * @param option the option that asked for it, for the message
 * @throws Failure `usage` where stdin is a terminal: nobody would know to type there
 */
export async function readStdin(io: Io, option: string): Promise<string> {
  checkPiped(io, option, command(placeholder('…'), option, '-'));
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Checks that something is piped into stdin.
 * @param option what reads it, for the message
 * @param example the line that reads what is piped in
 * @throws Failure `usage` where stdin is a terminal
 */
export function checkPiped({ stdin }: Pick<Io, 'stdin'>, option: string, example: CommandLine): void {
  if (!stdin.isTTY) return;
  throw new Failure('usage', `${option} reads from stdin, and nothing is piped into it.`, {
    hint: remark`Pipe the text in, as in: cat FILE | ${example}`,
  });
}

/**
 * Returns the content of a text file of the user.
 * @throws Failure `usage` that names the file and why it can't be read
 */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}
