import type { Document, ErrorCode, Node, Pair, ParsedNode, Scalar } from 'yaml';
import { inputFailure } from '../../lib/errors.ts';
import { unlessTooDeep } from '../../lib/exact-json.ts';
import { withoutMark } from '../../lib/text/byte-order-mark.ts';
import { yamlMistake } from '../../lib/text/yaml-mistakes.ts';
import type { Place } from '../desired.ts';
import type { FileProblem, Written, WrittenMember } from './written.ts';

/** What a text says, or nothing where it isn't YAML, and everything that is wrong with its form. */
export interface ReadWritten {
  readonly root: Written | undefined;
  readonly problems: readonly FileProblem[];
}

/** Most values that something may come to, aliases followed: aliases of aliases could come to any number. */
const maxValues = 500_000;

/** The member that takes over the fields of others. */
const mergeKey = '<<';

/**
 * Reads YAML, and with it JSON, which is a part of YAML, with the place of every value. Aliases and `<<` are followed.
 * @param file what it is called in messages
 * @throws Failure `invalidInput` for what is nested too deeply
 */
export async function readWritten(content: string, file: string): Promise<ReadWritten> {
  const yaml = await import('yaml');
  return unlessTooDeep(
    () => new Reader(yaml, withoutMark(content), file).read(),
    () => inputFailure([`${file} is nested too deeply.`]),
  );
}

class Reader {
  readonly #yaml: typeof import('yaml');
  readonly #content: string;
  readonly #document: Document.Parsed<ParsedNode>;
  readonly #placeOf: (offset: number) => Place;
  readonly #problems: FileProblem[] = [];
  /** What each node came to: one that many aliases lead to is read once. */
  readonly #read = new Map<Node, Written>();
  readonly #reading = new Set<Node>();
  /** How many values each came to. */
  readonly #sizes = new Map<Written, number>();

  constructor(yaml: typeof import('yaml'), content: string, file: string) {
    const lines = new yaml.LineCounter();
    this.#yaml = yaml;
    this.#content = content;
    this.#placeOf = (offset) => {
      const { line, col } = lines.linePos(offset);
      return { file, line, column: col };
    };
    this.#document = yaml.parseDocument(content, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
    });
  }

  read(): ReadWritten {
    const { errors, warnings, contents } = this.#document;
    const told = new Set<number>();
    for (const { code, message, pos } of [...errors, ...warnings]) {
      if (message.includes('call stack')) throw new RangeError('Maximum call stack size exceeded');
      // A mistake is often told again for what comes after it.
      const { line } = this.#placeOf(pos[0]);
      if (!told.has(line)) this.#report(pos[0], this.#mistake(code, pos[0]));
      told.add(line);
    }
    // What stands behind a mistake is often taken for something else.
    const root = errors.length > 0 ? undefined : this.#value(contents, 0);
    return { root, problems: this.#problems };
  }

  #mistake(code: ErrorCode, at: number): string {
    if (code === 'MULTIPLE_DOCS')
      return 'Another document begins here: give it a file of its own, without --- between them.';
    if (code === 'TAG_RESOLVE_FAILED')
      return 'There are no tags here: a value that begins with ! needs quotes.';
    const isVariable = this.#content.slice(at - 1, at + 1) === '${';
    const why = isVariable ? 'between { and } a variable needs quotes' : yamlMistake(code);
    return `This is neither YAML nor JSON: ${why}.`;
  }

  #value(node: unknown, at: number): Written {
    const { isAlias, isNode } = this.#yaml;
    if (!isNode(node)) return { kind: 'scalar', place: this.#placeOf(at), value: null };
    if (isAlias(node)) return this.#aliased(node.source, node.resolve(this.#document), startOf(node, at));
    const before = this.#read.get(node);
    if (before) return before;
    this.#reading.add(node);
    const start = startOf(node, at);
    const read = this.#withinBounds(this.#fresh(node, start), start);
    this.#reading.delete(node);
    this.#read.set(node, read);
    return read;
  }

  #withinBounds(read: Written, at: number): Written {
    const inner =
      read.kind === 'list'
        ? read.items
        : read.kind === 'fields'
          ? [...read.members.values()].map(({ value }) => value)
          : [];
    const size = inner.reduce((sum, one) => sum + (this.#sizes.get(one) ?? 1), 1);
    if (inner.length > 0) this.#sizes.set(read, size);
    if (size <= maxValues) return read;
    this.#report(at, `More than ${maxValues} values are in this: its aliases lead to too many.`);
    return { kind: 'scalar', place: read.place, value: null };
  }

  #aliased(name: string, target: Node | undefined, at: number): Written {
    if (target && !this.#reading.has(target)) return this.#value(target, at);
    this.#report(
      at,
      target ? `*${name} is inside of &${name}.` : `There is no &${name} before it for *${name} to mean.`,
    );
    return { kind: 'scalar', place: this.#placeOf(at), value: null };
  }

  #fresh(node: Node, at: number): Written {
    const { isMap, isSeq, isScalar } = this.#yaml;
    const place = this.#placeOf(at);
    if (isSeq(node)) return { kind: 'list', place, items: node.items.map((item) => this.#value(item, at)) };
    if (isMap(node)) return { kind: 'fields', place, members: this.#members(node.items, at) };
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value === 'string') return { kind: 'scalar', place, value };
    if (value === null || typeof value === 'number' || typeof value === 'boolean')
      return { kind: 'scalar', place, value, source: sourceOf(node) };
    this.#report(at, 'This is neither text nor a number, true, false, a list or fields.');
    return { kind: 'scalar', place, value: null };
  }

  #members(pairs: readonly Pair[], at: number): ReadonlyMap<string, WrittenMember> {
    const { isScalar } = this.#yaml;
    const members = new Map<string, WrittenMember>();
    const merged: Written[] = [];
    for (const { key, value } of pairs) {
      const start = startOf(key, at);
      if (!isScalar(key) || key.value === null) {
        this.#report(start, 'The name of a field is a text.');
        continue;
      }
      // As it was typed: 007 is no number here.
      const name = typeof key.value === 'string' ? key.value : (sourceOf(key) ?? String(key.value));
      const place = this.#placeOf(start);
      const earlier = members.get(name);
      const read = this.#value(value, start);
      if (name === mergeKey && key.type === 'PLAIN') merged.push(...this.#mergeable(read, start));
      else if (earlier)
        this.#report(start, `${name} stands here twice: already on line ${earlier.place.line}.`);
      else members.set(name, { place, value: read });
    }
    for (const source of merged) {
      if (source.kind !== 'fields') continue;
      for (const [name, member] of source.members) if (!members.has(name)) members.set(name, member);
    }
    return members;
  }

  /** Returns what a `<<` takes over: fields, or each of a list of them, the first before the others. */
  #mergeable(read: Written, at: number): readonly Written[] {
    const sources = read.kind === 'list' ? read.items : [read];
    if (sources.some(({ kind }) => kind !== 'fields'))
      this.#report(at, '<< takes fields over, as in <<: *defaults, or <<: [*one, *other].');
    return sources;
  }

  #report(offset: number, says: string): void {
    this.#problems.push({ place: this.#placeOf(offset), field: '', says });
  }
}

function startOf(node: unknown, otherwise: number): number {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : otherwise;
}

function sourceOf(node: Node | Scalar): string | undefined {
  return 'source' in node && typeof node.source === 'string' ? node.source : undefined;
}
