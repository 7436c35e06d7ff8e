import type { Context, Session } from './context.ts';
import type { Failure } from './errors.ts';
import type { OutputFormat } from './input/global-options.ts';
import type { Argument, Option } from './input/options.ts';
import type { Body } from './terminal/body.ts';
import type { Fields } from './terminal/fields.ts';
import type { Choice } from './terminal/prompts.ts';
import type { Canvas } from './terminal/shown.ts';

/** What a command does to the world. The runner asks for confirmation by it. */
export type Effect = 'reads' | 'creates' | 'changes' | 'destroys';

/** What a command gives back, and what its rows look like. */
export type OutputShape =
  /** Many rows of one kind. `draw`: what people see instead of a table, where they don't pick fields. */
  | {
      readonly kind: 'list';
      readonly fields: Fields;
      readonly empty?: EmptyList;
      draw?(rows: readonly Row[], canvas: Canvas): Promise<string>;
      /** The same row by row, each shown as soon as it is there. */
      drawEach?(row: Row, canvas: Canvas): Promise<string>;
    }
  /** One thing. `several`: the command may make many of its kind, in an array, which is printed as a list. */
  | { readonly kind: 'record'; readonly fields: Fields; readonly several?: boolean }
  /**
   * Things that happen over time; the last says how it ended. `cards`: people see each like a record.
   * `states`: names of the fields of a state, for a command that gives one, or many in an array, where it
   * doesn't wait: a row without `event`. `drawStates`: how many of them are drawn for people.
   */
  | {
      readonly kind: 'events';
      readonly fields: Fields;
      readonly cards?: boolean;
      readonly states?: readonly string[];
      drawStates?(rows: readonly Row[], canvas: Canvas): Promise<string>;
    }
  /** What is already in its final form, such as a JSON document, a script or the body of an answer. */
  | { readonly kind: 'text' }
  /** Nothing: the command speaks for itself on stderr. */
  | { readonly kind: 'nothing' };

/** What people are told of a list without rows. */
export interface EmptyList {
  /** Where there is nothing at all: that, and the line that makes one. */
  readonly none: string;
  /** Where there may be some, but none that the options ask for; as `none` where not given. */
  readonly noMatch?: string;
}

/** A thing of the API or of botctl, as the runner prints it. */
export type Row = Readonly<Record<string, unknown>>;

/** What `run` returns, by the kind of output. */
export interface Results {
  list: readonly Row[] | AsyncIterable<Row>;
  /** Undefined where a person needs to see no more than what was said. */
  record: Row | readonly Row[] | undefined;
  /**
   * Where there is nothing to wait for, one row alone, which is printed as a record, or an array, which is
   * printed as a list.
   */
  events: AsyncIterable<Row> | Row | readonly Row[];
  text: string | Body;
  // biome-ignore lint/suspicious/noConfusingVoidType: it is what an async `run` without a result returns
  nothing: void;
}

type Arguments = Readonly<Record<string, Argument<unknown>>>;
type Options = Readonly<Record<string, Option<unknown>>>;

type Values<A, O> = { readonly [K in keyof A]: A[K] extends Argument<infer T> ? T : never } & {
  readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never;
};

type ContextFor<Needs> = Needs extends 'session' ? Session : Context;

/** A line that a person would type, and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

interface Declaration<A, O, Shape extends OutputShape, Needs extends 'session' | 'nothing', Prepared> {
  /** The verb, as typed after its noun: `create`. */
  readonly name: string;
  /** One line, in the imperative, without a full stop. */
  readonly summary: string;
  /** What help says below the summary. */
  readonly description?: string;
  readonly arguments?: A;
  readonly options?: O;
  readonly examples: readonly Example[];
  /** A session is an identity and an open API; without one the command fails with exit 4. */
  readonly needs: Needs;
  readonly effect: Effect;
  /**
   * A protected profile asks before this command too, although it only creates. It asks before every one
   * that changes or destroys.
   */
  readonly guarded?: boolean;
  /**
   * Whether it only reads with this input, for a command whose effect depends on that: a protected profile
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
   * What a person is offered for a missing value; undefined for what its kind offers.
   * @param name of the argument or option, in the declaration
   * @param input what is there by then
   */
  choicesFor?(
    context: ContextFor<Needs>,
    name: keyof Values<A, O>,
    input: Partial<Values<A, O>>,
  ): Promise<readonly Choice<string>[] | undefined>;
  readonly output: Shape;
  /** The format where none is asked for; undefined for the usual one. */
  format?(input: Values<A, O>): OutputFormat | undefined;
  /** Reads what `confirm` and `run` both need: files, names, the present state. Changes nothing. */
  prepare?(context: ContextFor<Needs>, input: Values<A, O>): Promise<Prepared>;
  /** What to ask before `run`; undefined where there is nothing to confirm. */
  confirm?(
    context: ContextFor<Needs>,
    input: Values<A, O>,
    prepared: Prepared,
  ): Promise<Confirmation | undefined>;
  /** Does the work and returns data. Never prints a result, never formats, never exits. */
  run(context: ContextFor<Needs>, input: Values<A, O>, prepared: Prepared): Promise<Results[Shape['kind']]>;
  /** What the command ends with although its result was printed, such as drift; undefined for success. */
  verdict?(result: Results[Shape['kind']], prepared: Prepared): Failure | undefined;
}

/** A question to answer before something is changed or destroyed. */
export type Confirmation =
  /** y/N, default No; `--yes` answers it. */
  | { readonly level: 'yes'; readonly question: string }
  /** Type one of the names; `--confirm NAME` answers it. */
  | { readonly level: 'name'; readonly question: string; readonly names: readonly string[] }
  /** Type the name of the profile; only `--confirm-profile NAME` answers it. */
  | { readonly level: 'profile'; readonly question: string; readonly profile: string };

/** A command as the tree and the runner see it: its input already checked against its declaration. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly arguments: Arguments;
  readonly options: Options;
  readonly examples: readonly Example[];
  readonly needs: 'session' | 'nothing';
  readonly effect: Effect;
  readonly guarded?: boolean;
  readsOnly?(input: Input): boolean;
  checkInput?(input: Input): void;
  choicesFor?(context: Session, name: string, input: Input): Promise<readonly Choice<string>[] | undefined>;
  readonly output: OutputShape;
  format?(input: Input): OutputFormat | undefined;
  prepare?(context: Session, input: Input): Promise<unknown>;
  confirm?(context: Session, input: Input, prepared: unknown): Promise<Confirmation | undefined>;
  run(context: Session, input: Input, prepared: unknown): Promise<Results[OutputShape['kind']]>;
  verdict?(result: Results[OutputShape['kind']], prepared: unknown): Failure | undefined;
}

type Input = Readonly<Record<string, unknown>>;

/**
 * Declares a command. The types of `run`'s input and result follow from the declaration.
 */
export function defineCommand<
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
  const Shape extends OutputShape = OutputShape,
  const Needs extends 'session' | 'nothing' = 'session' | 'nothing',
  Prepared = undefined,
>(declaration: Declaration<A, O, Shape, Needs, Prepared>): Command {
  // The one place where the typed declaration becomes the untyped tree: the runner fills the input from
  // the very options declared here, hands on what `prepare` gave, and opens a session where one is needed.
  const untyped = declaration as unknown as Omit<Command, 'arguments' | 'options'> & Partial<Command>;
  return { ...untyped, arguments: untyped.arguments ?? {}, options: untyped.options ?? {} };
}
