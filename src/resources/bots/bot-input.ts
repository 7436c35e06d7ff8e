import { Failure, inputFailure } from '../../lib/errors.ts';
import { readStdin, readTextFile } from '../../lib/files/text-input.ts';
import type { Io } from '../../lib/io.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { fieldsOf, type ReadText, readText } from './bot-file.ts';
import { writtenShape } from './editable.ts';
import type { BotInput, Path, SourceLocation } from './model.ts';

/** The options of a command that writes a bot, parsed; those that it has. */
export interface WritableInput {
  readonly name?: string | undefined;
  readonly team?: string | undefined;
  readonly file?: string | undefined;
  readonly instructions?: string | undefined;
  readonly role?: 'support' | 'dynamic' | 'sales' | undefined;
  readonly description?: string | undefined;
  readonly temperature?: number | undefined;
  readonly identificationName?: string | undefined;
  readonly documents?: readonly string[] | undefined;
  readonly questions?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly allowHuman?: boolean | undefined;
  readonly useAudioResponses?: boolean | undefined;
  readonly allowUserAudioRequests?: boolean | undefined;
  readonly capturePayments?: boolean | undefined;
  readonly breakLines?: boolean | undefined;
}

/**
 * Gathers the fields of a bot from `--file`, where `-` is stdin, and the other options; an option wins over the file.
 * @throws Failure `invalidInput` that lists everything that can't be read
 */
export async function readBotInput(io: Io, input: WritableInput): Promise<BotInput> {
  const problems = new Problems();
  const file = await problems.of(() => (input.file === undefined ? undefined : readFields(io, input.file)));
  const instructions = await problems.of(() => textOf(io, input.instructions));
  const actions = await readActions(io, problems, input.actions ?? []);
  problems.throwAny();
  const fromOptions = optionFields(
    input,
    instructions,
    actions.map(({ text }) => text.value),
  );
  return {
    values: writtenShape({ ...file?.values, ...fromOptions }),
    place: (path) =>
      placeIn(actions, path) ?? {
        label: file && !Object.hasOwn(fromOptions, String(path[0])) ? labelAt(file, path) : '',
        path,
      },
    isTyped: (field) => Object.hasOwn(fromOptions, field),
  };
}

/**
 * The fields of a bot that a text holds; problems with it name no file.
 * @throws Failure `invalidInput` where it can't be read
 */
export async function readBotInputText(content: string): Promise<BotInput> {
  const text = await readText(content, 'The file');
  const values = writtenShape(fieldsOf(text, 'The file'));
  return { values, place: (path) => ({ label: '', path }), isTyped: () => false };
}

async function readActions(io: Io, problems: Problems, given: readonly string[]): Promise<readonly Source[]> {
  const actions: Source[] = [];
  for (const [index, action] of given.entries()) {
    const read = await problems.of(() => readAction(io, action, given.length > 1 ? index + 1 : undefined));
    if (read) actions.push(read);
  }
  return actions;
}

/** Returns the place of a value of an action, or undefined if the options don't hold that action. */
function placeIn(actions: readonly Source[], [field, index, ...inner]: Path): SourceLocation | undefined {
  const action = field === 'actions' ? actions[Number(index)] : undefined;
  return action && { label: labelAt(action, inner), path: inner };
}

/** A text that was read, and what it is called. */
interface Source {
  /** As messages call it; a file has lines, which an option has not. */
  readonly name: string;
  readonly hasLines: boolean;
  readonly text: ReadText;
}

function labelAt({ name, hasLines, text }: Source, path: Path): string {
  return hasLines ? `${name}:${text.lineOf(path)}: ` : `${name}: `;
}

/** Everything that can't be read, gathered instead of thrown one by one. */
class Problems {
  readonly #found: Failure[] = [];

  async of<T>(read: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !thrown.isWrongInput) throw thrown;
      this.#found.push(thrown);
      return undefined;
    }
  }

  throwAny(): void {
    const [first, ...others] = this.#found;
    if (first && others.length === 0) throw first;
    if (first) throw inputFailure(this.#found.map(({ message }) => message));
  }
}

function optionFields(
  input: WritableInput,
  instructions: string | undefined,
  actions: readonly unknown[],
): JsonObject {
  const fields = {
    team_id: input.team,
    name: input.name,
    instructions,
    role: input.role,
    description: input.description,
    temperature: input.temperature,
    identification_name: input.identificationName,
    document_ids: input.documents?.length ? [...input.documents] : undefined,
    questions: input.questions?.length
      ? input.questions.map(({ name, value }) => ({ question: name, answer: value }))
      : undefined,
    actions: actions.length > 0 ? actions : undefined,
    allow_human: input.allowHuman,
    use_audio_responses: input.useAudioResponses,
    allow_user_audio_requests: input.allowUserAudioRequests,
    capture_payments: input.capturePayments,
    break_lines: input.breakLines,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

async function textOf({ signal }: Io, value: string | undefined): Promise<string | undefined> {
  return value?.startsWith('@') ? readTextFile(value.slice(1), signal) : value;
}

async function readFields(io: Io, path: string): Promise<Source & { readonly values: JsonObject }> {
  const name = path === '-' ? 'stdin' : path;
  const text = await readText(
    path === '-' ? await readStdin(io, '--file') : await readTextFile(path, io.signal),
    name,
  );
  return { name, hasLines: true, text, values: fieldsOf(text, name) };
}

/** @param number which of several it is */
async function readAction(io: Io, value: string, number: number | undefined): Promise<Source> {
  const path = value.startsWith('@') ? value.slice(1) : undefined;
  const name = path ?? (number === undefined ? '--action' : `--action (number ${number})`);
  const text = await readText(path === undefined ? value : await readTextFile(path, io.signal), name);
  return { name, hasLines: path !== undefined, text };
}
