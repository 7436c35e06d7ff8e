import { Failure } from '../lib/errors.ts';
import type { FileWord } from '../lib/files/file-word.ts';
import { shellWord } from '../lib/text/quote.ts';
import { inSentence } from '../lib/text/sentence.ts';
import { sanitise } from '../terminal/sanitise.ts';
import type { Allowance } from './allow.ts';
import type { Confirmation, YesNo } from './command.ts';
import type { Context, Session } from './context.ts';

type Asking = Pick<Context, 'prompts' | 'options' | 'allows'>;

/**
 * True if a y/N question was answered on the line: by its word in `--allow`, or by `--yes`. Where nobody could be asked
 * either, `--yes` doesn't stand for the word.
 * @param allow the word that allows what is asked; undefined if it needs none
 */
export function isAgreedAhead(allow: Allowance | undefined, { options, prompts, allows }: Asking): boolean {
  if (allow === undefined) return options.yes;
  return allows(allow) || (options.yes && prompts.available);
}

/** True if a person is there to be asked y/N, and has not answered ahead. */
export function isAsked({ options, prompts }: Pick<Asking, 'options' | 'prompts'>): boolean {
  return prompts.available && !options.yes;
}

/**
 * Asks y/N, unless the line answers it. Returns true if the answer is yes.
 * @throws Failure `usage` when nobody is there to ask.
 */
export async function isAgreed(
  { statement, question = 'Go on?', allow }: YesNo,
  context: Asking,
): Promise<boolean> {
  if (isAgreedAhead(allow, context)) return true;
  const { prompts, options } = context;
  const option = allow === undefined ? '--yes' : `--allow ${allow}`;
  const why = options.yes ? '--yes does not answer this where nobody can be asked.' : undefined;
  return prompts.yes({
    message: statement === '' ? question : `${statement} ${question}`,
    option,
    unasked: { message: `Not confirmed: ${statement === '' ? question : statement}`, why },
  });
}

/**
 * Asks before something is changed or destroyed.
 * @throws Failure `declined` when a person says no, `usage` when nobody is there to ask.
 */
export async function confirm(
  confirmation: Confirmation,
  typed: string | undefined,
  context: Context,
): Promise<void> {
  const { prompts, options } = context;
  if (confirmation.level === 'yes') {
    if (!(await isAgreed(confirmation, context))) throw declined();
    return;
  }
  const { statement } = confirmation;
  const isProfile = confirmation.level === 'profile';
  const names = isProfile ? [confirmation.profile] : confirmation.names;
  const option = isProfile ? '--confirm-profile' : '--confirm';
  const answer = isProfile ? options.confirmProfile : typed;
  const name = names.find(isTypeable) ?? names[0] ?? '';
  const answering = name.startsWith('-') ? `${option}=${shellWord(name)}` : `${option} ${shellWord(name)}`;
  if (answer === undefined) {
    const asked = {
      message: `${statement} Type ${name} to confirm:`,
      option: answering,
      unasked: {
        message: `Not confirmed: ${statement}`,
        why: options.yes ? '--yes does not answer this: it takes the name.' : undefined,
      },
    };
    if (!(await prompts.typedName({ ...asked, names }))) throw declined(`That is not ${name}. `);
  } else if (!names.includes(answer)) {
    throw new Failure(
      'notConfirmed',
      `${option} "${inSentence(answer)}" names something else than "${name}". Nothing was done.`,
      { hint: `If "${name}" is what you mean, add: ${answering}` },
    );
  }
}

/** True if a person who types what is shown types the name: nothing in it is hidden, nor a blank at its ends. */
function isTypeable(name: string): boolean {
  return name !== '' && sanitise(name).trim() === name;
}

function declined(why = ''): Failure {
  return new Failure('declined', `${why}Nothing was done.`);
}

/**
 * Asks whether texts that look like something else are to be sent as they are; notes it where nobody is asked. A text never
 * stands for a file: one that comes from elsewhere must not read what is on this machine and send it.
 * @throws Failure `declined` if the answer is no, otherwise as `Prompts`
 */
export async function confirmFileWords(
  { options, prompts, terminal }: Pick<Session, 'options' | 'prompts' | 'terminal'>,
  words: readonly (FileWord | undefined)[],
): Promise<void> {
  for (const word of words) {
    if (!word) continue;
    const { place, shown, way } = word;
    if (!isAsked({ options, prompts })) terminal.note(`${place} is sent as it stands, ${shown}. ${way}`);
    else if (!(await prompts.yes({ message: `${way}. Send ${shown} as it stands?`, option: '--yes' })))
      throw new Failure('declined', 'Nothing was done.');
  }
}
