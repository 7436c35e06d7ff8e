import { Failure } from '../lib/errors.ts';
import type { SuspiciousText } from '../lib/files/suspicious-text.ts';
import { shellWord } from '../lib/text/quote.ts';
import { inSentence } from '../lib/text/sentence.ts';
import { sanitise } from '../terminal/sanitise.ts';
import type { Allowance } from './allow.ts';
import type { Confirmation, NameQuestion, YesNo } from './command.ts';
import type { Context, Session } from './context.ts';

type AskContext = Pick<Context, 'prompts' | 'options' | 'allows'>;

/**
 * True if a y/N question was answered on the line: by its word in `--allow`, or by `--yes`. Where nobody could be asked
 * either, `--yes` doesn't stand for the word.
 * @param allow the word that allows what is asked; undefined if it needs none
 */
export function isPreconfirmed(
  allow: Allowance | undefined,
  { options, prompts, allows }: AskContext,
): boolean {
  if (allow === undefined) return options.yes;
  return allows(allow) || (options.yes && prompts.available);
}

/** True if a person is there to be asked y/N, and has not answered ahead. */
export function willAsk({ options, prompts }: Pick<AskContext, 'options' | 'prompts'>): boolean {
  return prompts.available && !options.yes;
}

/**
 * Asks y/N, unless the line answers it. Returns true if the answer is yes.
 * @throws Failure `usage` when nobody is there to ask.
 */
export async function askYesNo(
  { statement, question = 'Go on?', allow }: YesNo,
  context: AskContext,
): Promise<boolean> {
  if (isPreconfirmed(allow, context)) return true;
  const { prompts, options } = context;
  const option = allow === undefined ? '--yes' : `--allow ${allow}`;
  const why = options.yes ? '--yes does not answer this where nobody can be asked.' : undefined;
  return prompts.yes({
    message: statement === '' ? question : `${statement} ${question}`,
    option,
    ifUnavailable: { message: `Not confirmed: ${statement === '' ? question : statement}`, why },
  });
}

/**
 * Asks before something is changed, destroyed or sent.
 * @throws Failure `declined` when a person says no, `usage` when nobody is there to ask.
 */
export async function confirm(confirmation: Confirmation, context: Context): Promise<void> {
  if (confirmation.level === 'yes') {
    if (!(await askYesNo(confirmation, context))) throw declinedFailure();
    return;
  }
  await confirmNames([confirmation], context);
}

/**
 * Asks for each name that no `--confirm` gives. A name of `--confirm` answers one question.
 * @param more true if further questions may follow, which the names that are left over may answer
 * @throws Failure `declined` when another name is typed, `notConfirmed` when nobody is there to ask, or `--confirm` names
 *   something else
 */
export async function confirmNames(
  questions: readonly NameQuestion[],
  { prompts, options, answers }: AskContext & Pick<Context, 'answers'>,
  more = false,
): Promise<void> {
  const open = questions.filter(({ names }) => {
    const at = answers.findIndex((answer) => names.includes(answer));
    if (at >= 0) answers.splice(at, 1);
    return at < 0;
  });
  const [first] = open;
  const [other] = answers;
  if (first && other !== undefined && !more) {
    const name = nameToType(first.names);
    throw new Failure(
      'notConfirmed',
      `--confirm "${inSentence(other)}" names something else than "${name}". Nothing was done.`,
      { hint: `If "${name}" is what you mean, add: ${answerFor(first)}` },
    );
  }
  // Off a terminal the first question fails, and names the answers to all.
  const option = open.map(answerFor).join(' ');
  const message = `Not confirmed: ${open.map(({ statement }) => statement).join('\n')}`;
  const why = options.yes ? '--yes does not answer this: it takes the name.' : undefined;
  for (const { statement, names } of open) {
    const name = nameToType(names);
    const asked = {
      message: `${statement} Type ${name} to confirm:`,
      option,
      ifUnavailable: { message, why },
    };
    if (!(await prompts.typedName({ ...asked, names }))) throw declinedFailure(`That is not ${name}. `);
  }
}

/** Returns the option that answers a question for a name. */
function answerFor({ names }: NameQuestion): string {
  const name = nameToType(names);
  return name.startsWith('-') ? `--confirm=${shellWord(name)}` : `--confirm ${shellWord(name)}`;
}

function nameToType(names: readonly string[]): string {
  return names.find(isTypeable) ?? names[0] ?? '';
}

/** True if a person who types what is shown types the name: nothing in it is hidden, nor a blank at its ends. */
function isTypeable(name: string): boolean {
  return name !== '' && sanitise(name).trim() === name;
}

function declinedFailure(why = ''): Failure {
  return new Failure('declined', `${why}Nothing was done.`);
}

/**
 * Asks whether texts that look like something else are to be sent as they are; notes it where nobody is asked. A text never
 * stands for a file: one that comes from elsewhere must not read what is on this machine and send it.
 * @throws Failure `declined` if the answer is no, otherwise as `Prompts`
 */
export async function confirmSuspiciousTexts(
  { options, prompts, terminal }: Pick<Session, 'options' | 'prompts' | 'terminal'>,
  words: readonly (SuspiciousText | undefined)[],
): Promise<void> {
  for (const word of words) {
    if (!word) continue;
    const { place, quoted, advice } = word;
    if (!willAsk({ options, prompts })) terminal.note(`${place} is sent as it stands, ${quoted}. ${advice}`);
    else if (!(await prompts.yes({ message: `${advice}. Send ${quoted} as it stands?`, option: '--yes' })))
      throw new Failure('declined', 'Nothing was done.');
  }
}
