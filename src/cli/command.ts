import type { Failure } from '../lib/errors.ts';
import type { NounScope } from '../lib/text/remark.ts';
import type { Fields } from '../output/fields.ts';
import type { OutputFormat } from '../output/options.ts';
import type { OutputShape, Results } from '../output/shape.ts';
import type { Choice } from '../terminal/choice.ts';
import type { Allowance } from './allow.ts';
import type { Context, IdentityContext, Session } from './context.ts';
import type { Argument, Option } from './options.ts';

/** The effect of a command on the world. The runner asks for confirmation by it. */
export type Effect = 'reads' | 'creates' | 'changes' | 'destroys' | 'sends';

type Arguments = Readonly<Record<string, Argument<unknown>>>;
type Options = Readonly<Record<string, Option<unknown>>>;

type Values<A, O> = {
  readonly [K in keyof A]: A[K] extends Argument<infer T> ? T : never;
} & OptionValues<O>;

/** The values of options, by their names in the declaration. */
export type OptionValues<O> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never };

/** What a command needs: nothing, an identity whose data this machine stores, or the API, opened with that identity. */
export type Needs = 'nothing' | 'identity' | 'api';

type ContextFor<N> = N extends 'api' ? Session : N extends 'identity' ? IdentityContext : Context;

/** A line that a person would type, and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

interface Declaration<A, O, Shape extends OutputShape, N extends Needs, Prepared> {
  /** The verb, as typed after its noun: `create`. */
  readonly name: string;
  /** One line, in the imperative, without a full stop. */
  readonly summary: string;
  /** The text of help below the summary. */
  readonly description?: string;
  readonly arguments?: A;
  readonly options?: O;
  readonly examples: readonly Example[];
  /** Without an identity a command that needs one fails with exit 4. */
  readonly needs: N;
  readonly effect: Effect;
  /** The words of `--allow` that mean something to it; its help and its completion show them. */
  readonly allow?: readonly Allowance[];
  /**
   * True if it only reads with this input, for a command whose effect depends on that: a protected profile
   * doesn't ask then. What a person will be asked for is not there yet.
   */
  readsOnly?(input: Partial<Values<A, O>>): boolean;
  /**
   * Says what is wrong with the input as a whole, before anything is asked or read. What a person will be asked
   * for is not there yet.
   * @throws Failure `usage`
   */
  checkInput?(input: Partial<Values<A, O>>): void;
  /**
   * Returns the choices for a missing value, or undefined for those of its kind.
   * @param name of the argument or option, in the declaration
   * @param input what is there by then
   */
  choicesFor?(
    context: ContextFor<N>,
    name: keyof Values<A, O>,
    input: Partial<Values<A, O>>,
  ): Promise<readonly Choice<string>[] | undefined>;
  /**
   * The option, by its name in the declaration, that stands for things of the argument that several may be given of, and which
   * they are, by their ids.
   */
  readonly standsFor?: {
    readonly option: keyof O & string;
    things(context: ContextFor<N>): Promise<readonly string[]>;
  };
  readonly output: Shape;
  /**
   * The format without -o, even if BOTCTL_OUTPUT is set; undefined for the usual one.
   * @param isTerminal whether the result is printed on one
   */
  format?(input: Values<A, O>, isTerminal: boolean): OutputFormat | undefined;
  /** Reads what `confirm` and `run` both need: files, names, the present state. Changes nothing. */
  prepare?(context: ContextFor<N>, input: Values<A, O>): Promise<Prepared>;
  /** Reads what `run` needs of several prepared objects with few queries. */
  preload?(context: ContextFor<N>, prepared: readonly Prepared[]): Promise<void>;
  /**
   * Returns the id of the prepared object, so that an object given by both its name and its id is handled once. A yes to an
   * assistant counts for this id alone.
   */
  idOf?(prepared: Prepared): string;
  /** Returns the question before `run`, or undefined if there is nothing to confirm. */
  confirm?(
    context: ContextFor<N>,
    input: Values<A, O>,
    prepared: Prepared,
  ): Promise<Confirmation | undefined>;
  /**
   * Returns the failure to end with if the result can't be written, for a result that is told only once.
   * @param why it can't be written
   */
  undeliveredFailure?(
    context: ContextFor<N>,
    input: Values<A, O>,
    result: Results[Shape['kind']],
    why: string,
  ): Promise<Failure | undefined>;
  /** Does the work and returns data. Never prints a result, never formats, never exits. */
  run(
    context: ContextFor<N>,
    input: Values<A, O>,
    prepared: Prepared,
  ): Promise<ResultOf<Results[Shape['kind']]>>;
}

type FailureAfter = Failure | undefined | (() => Failure | undefined);

/** What else a command has to say of its result. */
interface ResultExtras {
  /** What it ends with once the result was printed; a function if it is known only then. */
  readonly failure?: FailureAfter;
  /** The fields of a list that has further ones than its declaration knows. */
  readonly fields?: Fields;
  /** It goes on until Ctrl-C ends it, which is no failure then; rows of a list are events. */
  readonly isEndless?: boolean;
}

/** A result, and what else there is to say of it. */
export class CommandResult<R> {
  constructor(
    readonly result: R,
    readonly extras: ResultExtras,
  ) {}

  /** Returns what the command ends with, or undefined if it succeeded. To be asked once the result was printed. */
  get failure(): Failure | undefined {
    const { failure } = this.extras;
    return typeof failure === 'function' ? failure() : failure;
  }
}

/** The value of `run`: a result, alone or with what else there is to say of it. */
export type ResultOf<R> = R | CommandResult<R>;

/**
 * Returns a result that is printed before the command ends with a failure, such as the differences of two bots.
 * @param failure undefined if there is none; a function if it is known only once every row was printed
 */
export function withFailure<R>(result: R, failure: FailureAfter): CommandResult<R> {
  return new CommandResult(result, { failure });
}

/**
 * A question y/N, default No; `--yes` answers it. Where it names a word, so does that word in `--allow`, and in a job
 * nothing else.
 */
export interface YesNo {
  readonly level: 'yes';
  /** What happens; shown in scripts too. Empty if the question says it all. */
  readonly statement: string;
  /** The question after it; the default is `Continue?`. */
  readonly question?: string;
  readonly allow?: Allowance;
}

/** Type one of the names; `--confirm NAME` answers it. */
export interface NameQuestion {
  readonly level: 'name';
  readonly statement: string;
  readonly names: readonly string[];
}

/** A question to answer before something is changed or destroyed. */
export type Confirmation = YesNo | NameQuestion;

/** A declaration of any type. The runner gives it the context that it needs. */
type AnyDeclaration = Declaration<Arguments, Options, OutputShape, Needs, unknown>;

/** A command as the tree and the runner see it: its input already checked against its declaration. */
export interface Command extends AnyDeclaration {
  readonly arguments: Arguments;
  readonly options: Options;
}

/** A noun with its verbs, or a command that stands alone. */
export interface Branch {
  readonly name: string;
  readonly summary: string;
  readonly heading: 'Start' | 'Work' | 'Devices and messages' | 'Rehearse';
  /** The summary of each word below it, if a command has two words: `questions add`. */
  readonly groups?: Readonly<Record<string, string>>;
  /** What a profile, an address and a database mean to its commands, if not the usual. */
  readonly scope?: NounScope;
  /** Loads its commands: one named like the branch itself, or one for each verb. */
  load(): Promise<readonly Command[]>;
}

/**
 * Declares a command. The types of `run`'s input and result follow from the declaration.
 */
export function defineCommand<
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
  const Shape extends OutputShape = OutputShape,
  const N extends Needs = Needs,
  Prepared = undefined,
>(declaration: Declaration<A, O, Shape, N, Prepared>): Command {
  // Its methods take what the runner gives them: the input is filled from the very options declared here,
  // `prepared` is what `prepare` gave, and a session is opened where one is needed.
  const untyped: AnyDeclaration = declaration;
  return { ...untyped, arguments: untyped.arguments ?? {}, options: untyped.options ?? {} };
}
