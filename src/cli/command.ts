import type { Failure } from '../lib/errors.ts';
import type { NounScope } from '../lib/text/remark.ts';
import type { Fields } from '../output/fields.ts';
import type { OutputFormat } from '../output/options.ts';
import type { OutputShape, Results } from '../output/shape.ts';
import type { Choice } from '../terminal/choice.ts';
import type { Allowance } from './allow.ts';
import type { Context, IdentityContext, Session } from './context.ts';
import type { Argument, Option } from './options.ts';

/** The side effect of a command. It decides what the runner asks before it runs the command. */
export type Effect = 'reads' | 'creates' | 'changes' | 'destroys' | 'sends';

type Arguments = Readonly<Record<string, Argument<unknown>>>;
type Options = Readonly<Record<string, Option<unknown>>>;

type Values<A, O> = {
  readonly [K in keyof A]: A[K] extends Argument<infer T> ? T : never;
} & OptionValues<O>;

/** The values of options, by their names in the declaration. */
export type OptionValues<O> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never };

/**
 * The requirements of a command: nothing, an identity with its local data, or an API client opened with that identity.
 */
export type Needs = 'nothing' | 'identity' | 'api';

type ContextFor<N> = N extends 'api' ? Session : N extends 'identity' ? IdentityContext : Context;

/** An example command and its effect. */
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
  /** The words of `--allow` that the command accepts; its help and completion show them. */
  readonly allow?: readonly Allowance[];
  /**
   * Returns true if the command only reads with this input, so that a protected profile does not ask. For commands
   * whose effect depends on their input. Values that the user is asked for later are missing from `input`.
   */
  readsOnly?(input: Partial<Values<A, O>>): boolean;
  /**
   * Checks the input as a whole, before anything is asked or read. Values that the user is asked for later are missing
   * from `input`.
   * @throws Failure `usage`
   */
  checkInput?(input: Partial<Values<A, O>>): void;
  /**
   * Returns the choices for a missing value, or undefined for the default choices.
   * @param name the name of the argument or option in the declaration
   * @param input the values present so far
   */
  choicesFor?(
    context: ContextFor<N>,
    name: keyof Values<A, O>,
    input: Partial<Values<A, O>>,
  ): Promise<readonly Choice<string>[] | undefined>;
  /**
   * An option, by its name in the declaration, that replaces the values of a repeatable argument. `things` returns the
   * ids that it stands for.
   */
  readonly standsFor?: {
    readonly option: keyof O & string;
    things(context: ContextFor<N>): Promise<readonly string[]>;
  };
  readonly output: Shape;
  /**
   * Returns the format to use without -o, even if BOTCTL_OUTPUT is set; undefined for the usual one.
   * @param isTerminal true if the result is printed on a terminal
   */
  format?(input: Values<A, O>, isTerminal: boolean): OutputFormat | undefined;
  /** Reads the input of both `confirm` and `run`: files, names, the current state. Changes nothing. */
  prepare?(context: ContextFor<N>, input: Values<A, O>): Promise<Prepared>;
  /** Reads the data that `run` needs for several prepared objects, with few queries. */
  preload?(context: ContextFor<N>, prepared: readonly Prepared[]): Promise<void>;
  /**
   * Returns the id of the prepared object, so that an object given by both its name and its id is handled once. Consent
   * given through an assistant holds for this id only.
   */
  idOf?(prepared: Prepared): string;
  /** Returns the question before `run`, or undefined if there is nothing to confirm. */
  confirm?(
    context: ContextFor<N>,
    input: Values<A, O>,
    prepared: Prepared,
  ): Promise<Confirmation | undefined>;
  /**
   * Returns the failure if the result cannot be written, for a result that is available only once.
   * @param why the reason that it cannot be written
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

/** Properties of a result beside its data. */
interface ResultExtras {
  /** The failure to end with after the result is printed; a function if it is known only then. */
  readonly failure?: FailureAfter;
  /** The fields of a list that has more fields than its declaration. */
  readonly fields?: Fields;
  /** True if the command runs until Ctrl-C, which is then no failure. The rows of such a list are events. */
  readonly isEndless?: boolean;
}

/** A result with extras, such as a failure. */
export class CommandResult<R> {
  constructor(
    readonly result: R,
    readonly extras: ResultExtras,
  ) {}

  /** Returns the failure of the command, or undefined if it succeeded. Read it after the result is printed. */
  get failure(): Failure | undefined {
    const { failure } = this.extras;
    return typeof failure === 'function' ? failure() : failure;
  }
}

/** The return type of `run`: a result, alone or with extras. */
export type ResultOf<R> = R | CommandResult<R>;

/**
 * Returns a result that is printed before the command ends with a failure, such as the differences of two bots.
 * @param failure undefined if there is none; a function if it is known only once every row was printed
 */
export function withFailure<R>(result: R, failure: FailureAfter): CommandResult<R> {
  return new CommandResult(result, { failure });
}

/**
 * A y/N question with default No, which `--yes` answers. If it has an `allow` word, that word in `--allow` answers it
 * too, and in a script only that word does.
 */
export interface YesNo {
  readonly level: 'yes';
  /** The consequence; shown in scripts too. Empty if the question is clear without it. */
  readonly statement: string;
  /** The question after it; the default is `Continue?`. */
  readonly question?: string;
  readonly allow?: Allowance;
}

/** A question that is answered by typing one of the names, or by `--confirm NAME`. */
export interface NameQuestion {
  readonly level: 'name';
  readonly statement: string;
  readonly names: readonly string[];
}

/** A question to answer before something is changed or destroyed. */
export type Confirmation = YesNo | NameQuestion;

/** A declaration without its type parameters. The runner passes the context that it needs. */
type AnyDeclaration = Declaration<Arguments, Options, OutputShape, Needs, unknown>;

/**
 * A command, for the command tree and the runner. Its methods receive input that was checked against its declaration.
 */
export interface Command extends AnyDeclaration {
  readonly arguments: Arguments;
  readonly options: Options;
}

/** A noun with its verbs, or a single command. */
export interface Branch {
  readonly name: string;
  readonly summary: string;
  readonly heading: 'Start' | 'Work' | 'Devices and messages' | 'Rehearse';
  /** The summary of each group of commands with two words, such as `questions` of `questions add`. */
  readonly groups?: Readonly<Record<string, string>>;
  /** How its commands use the profile, the base URL and the database, if not in the usual way. */
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
  // This drops the types, which the runner upholds: it fills the input from the options declared here, passes the
  // result of `prepare` as `prepared`, and opens a session if one is needed.
  const untyped: AnyDeclaration = declaration;
  return { ...untyped, arguments: untyped.arguments ?? {}, options: untyped.options ?? {} };
}
