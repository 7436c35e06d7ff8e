import { dirname } from 'node:path';
import type { OptionValues } from '../../cli/command.ts';
import { Failure, inputFailure, usageFailure } from '../../lib/errors.ts';
import { readConfined } from '../../lib/files/confined-path.ts';
import { suspiciousFileName, suspiciousTexts } from '../../lib/files/suspicious-text.ts';
import { readFileOption } from '../../lib/files/text-input.ts';
import type { Io } from '../../lib/io.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import type { Path } from '../../lib/problem.ts';
import { joinRemarks } from '../../lib/text/remark.ts';
import { readYaml, yamlData, yamlPlace } from '../../lib/yaml.ts';
import { instructionsFileField, writtenShape } from '../../resources/bots/editable.ts';
import type { BotInput, SourceLocation } from '../../resources/bots/model.ts';
import type { writableOptions } from './options.ts';

/** The parsed options of a command that writes a bot. */
type WritableInput = Partial<OptionValues<typeof writableOptions>> & {
  readonly name?: string | undefined;
  readonly team?: string | undefined;
};

/**
 * Reads the fields of a bot from `--file`, where `-` is stdin, and from the other options. An option takes precedence
 * over the file.
 * @throws Failure `invalidInput` with every part that can't be read
 */
export async function readBotInput(io: Io, input: WritableInput): Promise<BotInput> {
  checkSources(input);
  const problems = new Problems();
  const file = await problems.of(() => (input.file === undefined ? undefined : readFields(io, input.file)));
  const { instructionsFile } = input;
  const instructions =
    instructionsFile === undefined
      ? input.instructions
      : await problems.of(() => readFileOption(io, instructionsFile, '--instructions-file'));
  const actions = await readActions(io, problems, input);
  const directory = file && (input.file === '-' || input.file === undefined ? '.' : dirname(input.file));
  const values = await problems.of(() => withInstructions(file, directory, instructions !== undefined));
  problems.throwAny();
  const fromOptions = optionFields(
    input,
    instructions,
    actions.map(({ text }) => text.value),
  );
  return {
    values: writtenShape({ ...values, ...fromOptions }),
    place: (path) =>
      placeIn(actions, path) ?? {
        label: file && !Object.hasOwn(fromOptions, String(path[0])) ? labelAt(file, path) : '',
        path,
      },
    isTyped: (field) => Object.hasOwn(fromOptions, field),
    fileWords: [
      ...suspiciousTexts('--instructions', input.instructions, '--instructions-file'),
      instructions === undefined
        ? suspiciousFileName('instructions', file?.values.instructions, 'instructions_file:', directory)
        : undefined,
    ],
  };
}

/**
 * Reads the fields of a bot from a text. Its problems do not name a file.
 * @throws Failure `invalidInput` if the text can't be read
 */
export async function readBotInputText(content: string): Promise<BotInput> {
  const text = await readText(content, 'The file');
  const values = fieldsOf(text, 'The file');
  if (Object.hasOwn(values, instructionsFileField))
    throw inputFailure([`${instructionsFileField} can't be used here. Put the text into instructions.`]);
  const place = (path: Path) => ({ label: '', path });
  return { values: writtenShape(values), place, isTyped: () => false, fileWords: [] };
}

/**
 * Checks that no two options set the same field or read stdin.
 * @throws Failure `usage` with every problem
 */
function checkSources({ file, instructions, instructionsFile, actionFiles = [] }: WritableInput): void {
  const fromStdin = [
    file === '-' && '--file',
    instructionsFile === '-' && '--instructions-file',
    ...actionFiles.map((path) => path === '-' && '--action-file'),
  ].filter((option) => option !== false);
  const problems = [
    instructions !== undefined &&
      instructionsFile !== undefined &&
      'Give --instructions or --instructions-file, not both.',
    instructions === '-' && 'To read the instructions from stdin, use --instructions-file -',
    fromStdin.length > 1 && `stdin can be read only once, but ${fromStdin.join(' and ')} read it.`,
  ].filter((problem) => problem !== false);
  if (problems.length > 0) throw usageFailure(problems);
}

async function readActions(
  io: Io,
  problems: Problems,
  { actions: typed = [], actionFiles = [] }: WritableInput,
): Promise<readonly Source[]> {
  const actions: Source[] = [];
  for (const [index, text] of typed.entries()) {
    const name = typed.length > 1 ? `--action (number ${index + 1})` : '--action';
    const read = await problems.of(() => readAction(name, text));
    if (read) actions.push(read);
  }
  for (const path of actionFiles) {
    const name = path === '-' ? 'stdin' : path;
    const text = await problems.of(async () =>
      readText(await readFileOption(io, path, '--action-file'), name),
    );
    if (text) actions.push({ name, hasLines: true, text });
  }
  return actions;
}

/** Returns the place of a value of an action, or undefined if the options don't include that action. */
function placeIn(actions: readonly Source[], [field, index, ...inner]: Path): SourceLocation | undefined {
  const action = field === 'actions' ? actions[Number(index)] : undefined;
  return action && { label: labelAt(action, inner), path: inner };
}

/** A text that was read, and its name in messages. */
interface Source {
  /** The name in messages. A file has line numbers; an option does not. */
  readonly name: string;
  readonly hasLines: boolean;
  readonly text: ReadText;
}

function labelAt({ name, hasLines, text }: Source, path: Path): string {
  return hasLines ? `${name}:${text.lineOf(path)}: ` : `${name}: `;
}

/** Collects the failures of all sources instead of throwing the first one. */
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

/**
 * Returns the fields of a file, with the text of its `instructions_file` as `instructions`.
 * @param isGiven true if an option sets the instructions, so that those of the file are not read
 */
function withInstructions(
  file: (Source & { readonly values: JsonObject }) | undefined,
  directory = '.',
  isGiven: boolean,
): JsonObject | undefined {
  if (!file || !Object.hasOwn(file.values, instructionsFileField)) return file?.values;
  const { [instructionsFileField]: path, ...values } = file.values;
  const label = labelAt(file, [instructionsFileField]);
  if (Object.hasOwn(values, 'instructions'))
    throw inputFailure([`${label}use instructions or ${instructionsFileField}, not both.`]);
  return isGiven ? values : { ...values, instructions: readInstructions(path, directory, label) };
}

const textAlone = 'For a file with only the instructions, use --instructions-file.';

async function readFields(io: Io, path: string): Promise<Source & { readonly values: JsonObject }> {
  const name = path === '-' ? 'stdin' : path;
  const content = await readFileOption(io, path, '--file');
  try {
    const text = await readText(content, name);
    return { name, hasLines: true, text, values: fieldsOf(text, name) };
  } catch (error) {
    // This is plain text, in which a colon is punctuation.
    const isText = /\.(?:txt|md)$/i.test(path);
    throw error instanceof Failure && isText ? error.withHint(joinRemarks([error.hint, textAlone])) : error;
  }
}

async function readAction(name: string, value: string): Promise<Source> {
  if (value.startsWith('@'))
    throw inputFailure([`${name} takes JSON. To read it from a file, use --action-file ${value.slice(1)}`]);
  return { name, hasLines: false, text: await readText(value, name) };
}

/** The value of a YAML or JSON text, and the lines of its parts. */
interface ReadText {
  readonly value: unknown;
  /** Returns the line of a value, from 1. For a missing value, returns the line of its parent. */
  lineOf(path: Path): number;
}

/**
 * Parses YAML, which includes JSON.
 * @param label the name of the text in messages
 * @throws Failure `invalidInput` with the line of each mistake
 */
async function readText(content: string, label: string): Promise<ReadText> {
  const { root, problems } = await readYaml(content, label);
  if (problems.length > 0)
    throw inputFailure(problems.map(({ place, message }) => `${label}, line ${place.line}: ${message}`));
  return {
    value: root && yamlData(root),
    lineOf: (path) => (root ? yamlPlace(root, path).line : 1),
  };
}

/**
 * Returns the fields of a bot from a parsed text.
 * @throws Failure `invalidInput` if the text contains something else
 */
function fieldsOf({ value }: ReadText, label: string): JsonObject {
  if (isObject(value)) return value;
  const what = value === null || value === undefined ? 'is empty' : 'has no fields';
  throw inputFailure(
    [`${label} ${what}.`],
    'Write fields of a bot with their values, such as: name: Front desk',
  );
}

/**
 * Returns the text of the file that a bot file names. It must be in the directory of the bot file or below; any other
 * file must be named on the command line.
 * @param path as the bot file has it
 * @param directory the directory of the bot file
 * @param label the place in the bot file, for messages
 * @throws Failure `invalidInput`
 */
export function readInstructions(path: unknown, directory: string, label: string): string {
  if (typeof path !== 'string' || path.trim() === '')
    throw inputFailure([`${label}${instructionsFileField} must be the path of a file.`]);
  const refused = inputFailure(
    [
      `${label}${instructionsFileField} must be a file in the folder of this file or below, not ${JSON.stringify(path)}.`,
    ],
    'Copy it there, or use the option --instructions-file.',
  );
  return readConfined(path, directory, refused);
}
