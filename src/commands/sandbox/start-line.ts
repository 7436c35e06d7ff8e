import type { Context } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { CommandLine, Remark } from '../../lib/text/remark.ts';

/**
 * Returns a failure whose lines that start a sandbox have the options that were typed too: such a line says what has to be
 * another, or is missing. Anything else that was thrown is returned as it is.
 */
export function repeatingOptions(thrown: unknown, { typed }: Pick<Context, 'typed'>): unknown {
  if (!(thrown instanceof Failure) || !(thrown.hint instanceof Remark)) return thrown;
  const { parts } = thrown.hint;
  return thrown.withHint(
    new Remark(parts.map((part) => (part instanceof CommandLine ? withTyped(part, typed) : part))),
  );
}

function withTyped({ words, variables }: CommandLine, typed: Context['typed']): CommandLine {
  const has = (option: string): boolean => typed.some(([flag]) => flag === option);
  const at = words.indexOf('--database');
  // What the environment names, maybe with a password, it names again.
  const isFromEnvironment = at >= 0 && typeof words[at + 1] === 'string' && !has('--database');
  const named = isFromEnvironment ? words.toSpliced(at, 2) : words;
  const isStart = words[0] === 'sandbox' && words[1] === 'start';
  const added = isStart ? typed.filter(([flag = '']) => !words.includes(flag)) : [];
  return new CommandLine([...named, ...added.flat()], variables);
}
