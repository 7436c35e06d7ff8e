import { Failure } from '../lib/errors.ts';
import { isId } from '../lib/ids.ts';
import { ownMember } from '../lib/json-object.ts';
import { type Parse, ValueError } from '../lib/parse.ts';
import { command, placeholder, type Remark, remark } from '../lib/text/remark.ts';
import { capitalised } from '../lib/text/sentence.ts';
import type { Choice } from '../terminal/choice.ts';
import type { Input, MissingValue } from './check-input.ts';
import type { Command } from './command.ts';
import type { AnyContext, Context, Session } from './context.ts';
import type { Check, Noun } from './options.ts';

/** Above this number of objects there is no list to choose from: reading them all would take too long. */
const maxOffered = 1000;

/**
 * Asks the user for each missing value, in the order of the declaration.
 * @returns the complete input
 * @throws Failure as `Prompts`, as the API if the choices are read there, and `usage` if a given value fails its check
 */
export async function askForMissing(
  session: AnyContext,
  command: Command,
  values: Input,
  missing: readonly MissingValue[],
): Promise<Input> {
  const complete: Record<string, unknown> = { ...values };
  for (const [name, { check }] of Object.entries(command.arguments)) {
    for (const given of [ownMember(values, name)].flat()) if (typeof given === 'string') await check?.(given);
  }
  for (const { name, label, declared, isList } of missing) {
    const { noun } = declared;
    const team = typeof complete.team === 'string' ? complete.team : undefined;
    const isListed = noun !== undefined && (command.needs !== 'nothing' || noun === 'profile');
    const choices = session.prompts.available
      ? await command.choicesFor?.(session, name, complete)
      : undefined;
    const answer = choices
      ? await session.prompts.choose({ message: `Which ${noun ?? name}?`, option: label, choices })
      : isListed
        ? await askForName(session, noun, { option: label, team })
        : await askForValue(session, { option: label, ...declared });
    complete[name] = isList ? [answer] : answer;
  }
  return complete;
}

/** A value to ask for. */
interface ValueQuestion extends Pick<MissingValue['declared'], 'summary' | 'parse' | 'choices' | 'check'> {
  /** The option that answers the question on the command line: `--plan`. */
  readonly option: string;
}

/**
 * Asks for a value until the answer is valid.
 * @throws Failure as `Prompts`
 */
async function askForValue({ prompts }: Context, question: ValueQuestion): Promise<unknown> {
  const { option, summary, parse, choices, check } = question;
  const message = `${capitalised(summary)}:`;
  if (choices) {
    const offered = choices.map((value) => ({ name: value, value }));
    return parse(await prompts.choose({ message, option, choices: offered }));
  }
  return parse(
    await prompts.text({ message, option, validate: (answer) => problemWith(parse, check, answer) }),
  );
}

async function problemWith(
  parse: Parse<unknown>,
  check: Check | undefined,
  answer: string,
): Promise<string | true> {
  try {
    parse(answer);
    await check?.(answer);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.isWrongInput) return error.message;
    if (!(error instanceof ValueError)) throw error;
    return `This ${error.message}.`;
  }
}

/** Options for asking for an object. */
export interface NameQuestion {
  /** The option that answers the question on the command line: `--team`. */
  readonly option: string;
  /** The team, by name or id, whose bots or documents are offered; those of all teams if not set. */
  readonly team?: string | undefined;
}

/**
 * Asks for a team, bot, document, device, key, profile or campaign: with a searchable list, or as free text if there
 * are too many. Returns an id, the name of a profile or campaign, or the typed text.
 * @throws Failure `notFound` if there are none, otherwise as `Prompts` and as the API
 */
export async function askForName(session: AnyContext, noun: Noun, question: NameQuestion): Promise<string> {
  const { prompts } = session;
  // In a script this fails before anything is read.
  if (!prompts.available) return prompts.text({ message: `Name or id of the ${noun}:`, ...question });
  const { option } = question;
  const things = await thingsToChoose(session, noun, question.team);
  if (things === undefined) {
    const message =
      noun === 'device' ? 'The device book is empty. Id of the device:' : `Name or id of the ${noun}:`;
    const validate = (answer: string): string | true => answer.trim() !== '' || 'This must not be empty.';
    const answer = await prompts.text({ message, option, validate });
    // A name may begin or end with a blank; an id never does.
    return isId(answer.trim()) ? answer.trim() : answer;
  }
  if (things.length === 0) throw nothingToChooseFailure(noun, question.team);
  const message = `Which ${noun}? Type part of its name:`;
  return prompts.choose({ message, option, choices: things });
}

function nothingToChooseFailure(noun: Noun, team: string | undefined): Failure {
  const where = team === undefined ? '' : ` in team ${team}`;
  return new Failure('notFound', `There are no ${noun}s${where} to choose from.`, {
    hint: createHints[noun],
  });
}

const createHints: Readonly<Record<Noun, Remark>> = {
  team: remark`Create one: ${command('teams', 'create')}`,
  bot: remark`Create one: ${command('bots', 'create')}`,
  document: remark`Upload one: ${command('docs', 'upload', placeholder('<file>'))}`,
  device: remark`Create one: ${command('device', 'create')}`,
  key: remark`Create one: ${command('keys', 'create')}`,
  profile: remark`Create one: ${command('login')}`,
  campaign: remark`See how to create one: ${command('campaigns', 'create', '--help')}`,
};

/** Returns the objects to choose from; undefined if there are too many, or if they cannot be listed. */
export async function thingsToChoose(
  session: AnyContext,
  noun: Noun,
  team: string | undefined,
): Promise<readonly Choice<string>[] | undefined> {
  const { api, devices, identity, settings } = session;
  switch (noun) {
    case 'profile':
      return settings.profiles
        .list()
        .map(({ name, baseUrl }) => ({ name, value: name, description: baseUrl }));
    case 'campaign': {
      if (!identity) return undefined;
      const { campaignNames } = await import('../campaigns/store/file.ts');
      return campaignNames(settings.paths.data, identity.baseUrl).map((name) => ({ name, value: name }));
    }
    case 'device': {
      if (!devices) return undefined;
      const known = await devices.list();
      const marked = known.map(({ id, name, teamName }) => ({
        id,
        name,
        marks: teamName === undefined ? [] : [`in team ${teamName}`],
      }));
      return known.length > 0 ? choicesOf(marked) : undefined;
    }
    case 'key': {
      if (!api) return undefined;
      const { listKeys } = await import('../resources/keys/find-key.ts');
      return choicesOf(await listKeys(api));
    }
    default:
      return api && rowsToChoose({ ...session, api }, noun, team);
  }
}

const lists = { team: 'listTeams', bot: 'listBots', document: 'listDocuments' } as const;

async function rowsToChoose(
  session: Context & Pick<Session, 'api'>,
  noun: keyof typeof lists,
  team: string | undefined,
): Promise<readonly Choice<string>[] | undefined> {
  const { api, terminal } = session;
  const { pagesIn, resolveTeamOption } = await import('../resources/resolve.ts');
  const teamId = noun === 'team' ? undefined : await resolveTeamOption(session, team);
  const progress = terminal.progress(`Reading the ${noun}s…`);
  try {
    const found: Thing[] = [];
    for await (const page of pagesIn(api, lists[noun], { teamId })) {
      if ((page.total ?? 0) > maxOffered || found.length > maxOffered) return undefined;
      found.push(...page.rows.map(({ id, name, team_id: owner }) => ({ id, name, owner })));
    }
    return choicesOf(teamId === undefined ? await markByTeam(session, found) : found);
  } finally {
    progress.stop();
  }
}

/** Marks objects that share a name with their teams. */
async function markByTeam({ api }: Pick<Session, 'api'>, found: readonly Thing[]): Promise<readonly Thing[]> {
  if (namesakes(found, ({ name }) => name).length === 0) return found;
  const teams = new Map<unknown, unknown>();
  for await (const page of api.pages('listTeams')) for (const { id, name } of page.rows) teams.set(id, name);
  const marksOf = ({ owner }: Thing): readonly string[] =>
    teams.has(owner) ? [`in team ${teams.get(owner)}`] : [];
  return found.map((thing) => ({ ...thing, marks: marksOf(thing) }));
}

/** An object to choose from. */
interface Thing {
  readonly id: string;
  readonly name?: unknown;
  /** Id of the team that it belongs to. */
  readonly owner?: unknown;
  /** Marks that distinguish it from others with the same name: `in team Acme`. */
  readonly marks?: readonly string[] | undefined;
}

/** Returns the choices: names, with marks that distinguish objects with the same name. */
export function choicesOf(things: readonly Thing[]): readonly Choice<string>[] {
  const named = new Set(namesakes(things, ({ name }) => name));
  const marked = new Set(namesakes(things, ({ name, marks }) => [name, ...(marks ?? [])].join('\n')));
  return things.map((thing) => {
    const { id, name } = thing;
    if (typeof name !== 'string' || name === '') return { name: id, value: id };
    // The whole id is shown below the list.
    const start = marked.has(thing) ? { startOfId: id.slice(0, 8) } : {};
    const marks = named.has(thing) ? (thing.marks ?? []) : [];
    return { name, marks, value: id, description: id, ...start };
  });
}

/** Returns the objects whose name another one has too. */
function namesakes(things: readonly Thing[], called: (thing: Thing) => unknown): readonly Thing[] {
  const counts = new Map<unknown, number>();
  for (const thing of things) counts.set(called(thing), (counts.get(called(thing)) ?? 0) + 1);
  return things.filter((thing) => (counts.get(called(thing)) ?? 0) > 1);
}
