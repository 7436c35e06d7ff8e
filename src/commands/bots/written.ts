import type { Given } from '../../client/api.ts';
import type { BodyOf } from '../../contract/endpoints.ts';
import { Failure } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { readStdin, readTextFile } from '../../text-input.ts';

/** What may be written to a bot, as far as it was given. Teams and documents may still be names. */
export type WrittenBot = Given<BodyOf<'createBot'>>;

/** The options of `options.ts`, parsed. */
interface WritableInput {
  readonly name?: string | undefined;
  readonly team?: string | undefined;
  readonly file: string | undefined;
  readonly instructions: string | undefined;
  readonly role: 'support' | 'dynamic' | 'sales' | undefined;
  readonly description: string | undefined;
  readonly temperature: number | undefined;
  readonly identificationName: string | undefined;
  readonly documents: readonly string[];
  readonly questions: readonly { readonly name: string; readonly value: string }[];
  readonly actions: readonly string[];
  readonly allowHuman: boolean | undefined;
  readonly useAudioResponses: boolean | undefined;
  readonly allowUserAudioRequests: boolean | undefined;
  readonly capturePayments: boolean | undefined;
  readonly breakLines: boolean | undefined;
}

/**
 * Gathers the fields of a bot from `--file` and the other options; an option wins over the file.
 * @throws Failure `usage` that lists everything wrong with the file or an action
 */
export async function writtenBot(io: Io, input: WritableInput): Promise<WrittenBot> {
  const fromFile = input.file === undefined ? {} : await readBotFile(io, input.file);
  const { instructions, actions } = input;
  const fromOptions = {
    team_id: input.team,
    name: input.name,
    instructions: instructions?.startsWith('@') ? readTextFile(instructions.slice(1)) : instructions,
    role: input.role,
    description: input.description,
    temperature: input.temperature,
    identification_name: input.identificationName,
    document_ids: input.documents.length > 0 ? [...input.documents] : undefined,
    questions:
      input.questions.length > 0
        ? input.questions.map(({ name, value }) => ({ question: name, answer: value }))
        : undefined,
    actions: actions.length > 0 ? await Promise.all(actions.map(readAction)) : undefined,
    allow_human: input.allowHuman,
    use_audio_responses: input.useAudioResponses,
    allow_user_audio_requests: input.allowUserAudioRequests,
    capture_payments: input.capturePayments,
    break_lines: input.breakLines,
  };
  const given = Object.entries(fromOptions).filter(([, value]) => value !== undefined);
  return { ...fromFile, ...Object.fromEntries(given) };
}

async function readBotFile(io: Io, path: string): Promise<WrittenBot> {
  const label = path === '-' ? 'stdin' : path;
  const content = path === '-' ? await readStdin(io, '--file') : readTextFile(path);
  const { checkBot } = await import('./check.ts');
  return checkBot(await parseYaml(content, label), label);
}

async function readAction(value: string): Promise<NonNullable<WrittenBot['actions']>[number]> {
  const path = value.startsWith('@') ? value.slice(1) : undefined;
  const label = path ?? '--action';
  const { checkAction } = await import('./check.ts');
  return checkAction(await parseYaml(path === undefined ? value : readTextFile(path), label), label);
}

/** Reads YAML, and with it JSON, which is a part of YAML. */
async function parseYaml(content: string, label: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(content);
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    throw new Failure('usage', `${label} is neither YAML nor JSON: ${reason}`);
  }
}
