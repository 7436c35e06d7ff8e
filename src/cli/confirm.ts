import { Failure } from '../lib/errors.ts';
import type { SuspiciousText } from '../lib/files/suspicious-text.ts';
import { shellWord } from '../lib/text/quote.ts';
import { inSentence } from '../lib/text/sentence.ts';
import { sanitise } from '../terminal/sanitise.ts';
import type { Allowance } from './allow.ts';
import type { Confirmation, NameQuestion, YesNo } from './command.ts';
import type { Context, Session } from './context.ts';

type AskContext = Pick<Context, 'prompts' | 'options' | 'allows' | 'io'>;

/**
 * True if a y/N question was answered on the command line: by its word in `--allow`, or by `--yes`. In a script,
 * `--yes` does not replace the word.
 * @param allow the word that the question needs; undefined if it needs none
 */
export function isPreconfirmed(
  allow: Allowance | undefined,
  { options, prompts, allows }: AskContext,
): boolean {
  if (allow === undefined) return options.yes;
  return allows(allow) || (options.yes && prompts.available);
}

/** True if y/N questions are asked: on a terminal or by an assistant, without `--yes`. */
export function willAsk({ options, prompts, io }: Pick<AskContext, 'options' | 'prompts' | 'io'>): boolean {
  return (prompts.available || io.assistant !== undefined) && !options.yes;
}

/**
 * Asks y/N, unless the command line answers it. Returns true if the answer is yes.
 * @param id of the object that the question is about
 * @throws Failure `notConfirmed` in a script
 */
export async function askYesNo(
  { statement, question = 'Continue?', allow }: YesNo,
  context: AskContext,
  id?: string,
): Promise<boolean> {
  if (isPreconfirmed(allow, context)) return true;
  const { prompts, options } = context;
  const option = allow === undefined ? '--yes' : `--allow ${allow}`;
  const why = options.yes ? '--yes is not enough in a script.' : undefined;
  const message = statement === '' ? question : `${statement} ${question}`;
  return prompts.yes({
    message,
    option,
    ifUnavailable: { message: `Confirmation needed: ${statement === '' ? question : statement}`, why },
    consent: { level: 'yes', question: message, allow, id },
  });
}

/**
 * Asks before something is changed, destroyed or sent.
 * @param id of the object that the question is about
 * @throws Failure `declined` if the answer is no, `notConfirmed` in a script
 */
export async function confirm(confirmation: Confirmation, context: Context, id?: string): Promise<void> {
  if (confirmation.level === 'yes') {
    if (!(await askYesNo(confirmation, context, id))) throw declinedFailure();
    return;
  }
  await confirmNames([confirmation], context, false, id);
}

/**
 * Asks for each name that `--confirm` does not give. Each `--confirm` answers one question.
 * @param more true if further questions may follow, which the remaining names may answer
 * @param id of the object that the question is about
 * @throws Failure `declined` if another name is typed, `notConfirmed` in a script, or if `--confirm` has another name
 */
export async function confirmNames(
  questions: readonly NameQuestion[],
  { prompts, options, answers }: AskContext & Pick<Context, 'answers'>,
  more = false,
  id?: string,
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
      `--confirm "${inSentence(other)}" is not "${name}". Nothing was done.`,
      { hint: `To confirm "${name}", add: ${answerFor(first)}` },
    );
  }
  // In a script the first question fails, and names the answers to all.
  const option = open.map(answerFor).join(' ');
  const message = `Confirmation needed: ${open.map(({ statement }) => statement).join('\n')}`;
  const why = options.yes ? '--yes is not enough: confirm with the name.' : undefined;
  for (const { statement, names } of open) {
    const name = nameToType(names);
    const question = `${statement} Type ${name} to confirm:`;
    const asked = {
      message: question,
      option,
      ifUnavailable: { message, why },
      consent: { level: 'name', question, names, id } as const,
    };
    if (!(await prompts.typedName({ ...asked, names }))) throw declinedFailure(`You did not type ${name}. `);
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

/** True if a name can be typed as it is shown: it has no invisible characters, and no blank at its ends. */
function isTypeable(name: string): boolean {
  return name !== '' && sanitise(name).trim() === name;
}

function declinedFailure(why = ''): Failure {
  return new Failure('declined', `${why}Nothing was done.`);
}

/**
 * Asks whether to send texts that look like something else, such as the name of a file. In a script, and with `--yes`,
 * prints a note instead. A text is never read as a file: a text from elsewhere must not make botctl send a file of this
 * machine.
 * @throws Failure `declined` if the answer is no, otherwise as `Prompts`
 */
export async function confirmSuspiciousTexts(
  session: Pick<Session, 'options' | 'prompts' | 'terminal' | 'allows' | 'io'>,
  words: readonly (SuspiciousText | undefined)[],
): Promise<void> {
  for (const word of words) {
    if (!word) continue;
    const { place, quoted, advice } = word;
    const question = `Send the literal text ${quoted}?`;
    if (!willAsk(session)) session.terminal.note(`${place} is sent literally: ${quoted}. ${advice}`);
    else if (!(await askYesNo({ level: 'yes', statement: `${advice}.`, question }, session)))
      throw new Failure('declined', 'Nothing was done.');
  }
}
