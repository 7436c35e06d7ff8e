import type { Document, ErrorCode, Node, Pair, ParsedNode, Scalar } from 'yaml';
import { inputFailure } from './errors.ts';
import { guardDepth } from './exact-json.ts';
import type { Path } from './problem.ts';

/** A position in a file; lines and columns count from 1. */
export interface YamlPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A YAML value with the position of each part of it; aliases and `<<` are resolved. */
export type YamlValue = YamlTree<YamlScalar>;

/** A value with scalars of a given type. */
export type YamlTree<Scalar extends YamlLeaf> = Scalar | YamlList<Scalar> | YamlFields<Scalar>;

interface YamlLeaf {
  readonly kind: 'scalar';
  readonly place: YamlPlace;
}

export interface YamlScalar extends YamlLeaf {
  /** A bigint is an integer that a number would round. */
  readonly value: string | number | bigint | boolean | null;
  /** The source text, if YAML parsed it to something other than text. */
  readonly source?: string | undefined;
}

interface YamlList<Scalar extends YamlLeaf> {
  readonly kind: 'list';
  readonly place: YamlPlace;
  readonly items: readonly YamlTree<Scalar>[];
}

interface YamlFields<Scalar extends YamlLeaf> {
  readonly kind: 'fields';
  readonly place: YamlPlace;
  readonly members: ReadonlyMap<string, YamlMember<Scalar>>;
}

/** A field, and the position of its name. */
export interface YamlMember<Scalar extends YamlLeaf> {
  readonly place: YamlPlace;
  readonly value: YamlTree<Scalar>;
}

/** A mistake in a YAML text, as a whole sentence. */
interface YamlProblem {
  readonly place: YamlPlace;
  readonly message: string;
}

/** The value of a text (undefined if it is invalid YAML), and all syntax problems. */
export interface YamlResult {
  readonly root: YamlValue | undefined;
  readonly problems: readonly YamlProblem[];
}

/**
 * Maximum values in a text once aliases and `<<` are resolved, and maximum fields copied by `<<`: a few lines of nested
 * aliases could expand to any number.
 */
const maxValues = 500_000;

/** The member that copies the fields of other objects. */
const mergeKey = '<<';

/**
 * Parses YAML, and with it JSON, which is a subset of YAML. All YAML from outside is parsed here: the time is linear in
 * the length of the text, and each mistake has its position.
 * @param file its name in messages
 * @throws Failure `invalidInput` if it is nested too deeply
 */
export async function readYaml(content: string, file: string): Promise<YamlResult> {
  const yaml = await import('yaml');
  return guardDepth(
    () => new YamlReader(yaml, content, file).read(),
    () => inputFailure([`${file} is nested too deeply.`]),
  );
}

/** Returns a value without positions. */
export function yamlData(value: YamlValue): unknown {
  if (value.kind === 'scalar') return value.value;
  if (value.kind === 'list') return value.items.map(yamlData);
  return Object.fromEntries([...value.members].map(([name, member]) => [name, yamlData(member.value)]));
}

/** Returns the value at the end of a path, or undefined if there is none. */
export function yamlAt<Scalar extends YamlLeaf>(
  root: YamlTree<Scalar>,
  path: Path,
): YamlTree<Scalar> | undefined {
  return path.reduce<YamlTree<Scalar> | undefined>((at, step) => at && memberAt(at, step)?.value, root);
}

/** Returns the position of the value at a path, or of the innermost existing part of the path. */
export function yamlPlace(root: YamlTree<YamlLeaf>, path: Path): YamlPlace {
  let at: YamlMember<YamlLeaf> = { place: root.place, value: root };
  for (const step of path) {
    const member = memberAt(at.value, step);
    if (!member) break;
    at = member;
  }
  return at.place;
}

function memberAt<Scalar extends YamlLeaf>(
  value: YamlTree<Scalar>,
  step: Path[number],
): YamlMember<Scalar> | undefined {
  if (value.kind === 'fields') return value.members.get(String(step));
  const item = value.kind === 'list' ? value.items[Number(step)] : undefined;
  return item && { place: item.place, value: item };
}

/** An anchor; without a value while the reader is still inside the anchored node. */
interface Anchor {
  value?: YamlValue;
}

class YamlReader {
  readonly #yaml: typeof import('yaml');
  readonly #content: string;
  readonly #document: Document.Parsed<ParsedNode>;
  readonly #placeOf: (offset: number) => YamlPlace;
  readonly #problems: YamlProblem[] = [];
  /** By name, as of the current node. The library would search the whole document for each alias. */
  readonly #anchors = new Map<string, Anchor>();
  /** The number of values in each list and each object. */
  readonly #sizes = new Map<YamlValue, number>();
  /** The number of fields copied by `<<`. */
  #merged = 0;

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

  read(): YamlResult {
    const { errors, warnings, contents } = this.#document;
    const told = new Set<number>();
    for (const { code, message, pos } of [...errors, ...warnings]) {
      if (message.includes('call stack')) throw new RangeError('Maximum call stack size exceeded');
      // A mistake often causes further errors on the same line.
      const { line } = this.#placeOf(pos[0]);
      if (!told.has(line)) this.#report(pos[0], this.#mistake(code, message, pos[0]));
      told.add(line);
    }
    // After a mistake, the rest of the text is often misinterpreted.
    const root = errors.length > 0 ? undefined : this.#value(contents, 0);
    return { root, problems: this.#problems };
  }

  #mistake(code: ErrorCode, message: string, at: number): string {
    if (code === 'MULTIPLE_DOCS') return 'A second YAML document begins here. Put it into its own file.';
    if (code === 'TAG_RESOLVE_FAILED') return 'Tags are not supported. Quote a value that begins with !';
    const isVariable = this.#content.slice(at - 1, at + 1) === '${';
    const why = isVariable ? 'a variable between { and } needs quotes' : yamlMistakeText(code, message);
    return `This is neither YAML nor JSON: ${why}.`;
  }

  #value(node: unknown, at: number): YamlValue {
    const { isAlias, isNode } = this.#yaml;
    if (!isNode(node)) return this.#nullValue(at);
    const start = startOf(node, at);
    if (isAlias(node)) return this.#followAlias(node.source, start);
    const anchor = this.#anchorOf(node);
    const read = this.#checkSize(this.#convert(node, start), start);
    if (anchor) anchor.value = read;
    return read;
  }

  #nullValue(at: number): YamlValue {
    return { kind: 'scalar', place: this.#placeOf(at), value: null };
  }

  #anchorOf(node: Node): Anchor | undefined {
    if (!('anchor' in node) || node.anchor === undefined) return undefined;
    const anchor: Anchor = {};
    this.#anchors.set(node.anchor, anchor);
    return anchor;
  }

  #checkSize(read: YamlValue, at: number): YamlValue {
    if (read.kind === 'scalar') return read;
    const inner = read.kind === 'list' ? read.items : [...read.members.values()].map(({ value }) => value);
    const size = inner.reduce((sum, one) => sum + (this.#sizes.get(one) ?? 1), 1);
    this.#sizes.set(read, size);
    if (size <= maxValues) return read;
    this.#report(at, `This has more than ${maxValues} values, because of its aliases.`);
    return this.#nullValue(at);
  }

  #followAlias(name: string, at: number): YamlValue {
    const anchor = this.#anchors.get(name);
    if (anchor?.value) return anchor.value;
    const says = anchor
      ? `*${name} is inside &${name}.`
      : `*${name} refers to an anchor &${name} that does not exist above. A text that begins with * needs quotes.`;
    this.#report(at, says);
    return this.#nullValue(at);
  }

  #convert(node: Node, at: number): YamlValue {
    const { isMap, isSeq, isScalar } = this.#yaml;
    const place = this.#placeOf(at);
    if (isSeq(node)) return { kind: 'list', place, items: node.items.map((item) => this.#value(item, at)) };
    if (isMap(node)) return { kind: 'fields', place, members: this.#members(node.items, at) };
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value === 'string') return { kind: 'scalar', place, value };
    const source = sourceOf(node);
    if (typeof value === 'number')
      return { kind: 'scalar', place, value: exactNumber(value, source), source };
    if (value === null || typeof value === 'boolean') return { kind: 'scalar', place, value, source };
    this.#report(at, 'This value is not text, a number, true, false, a list or fields.');
    return this.#nullValue(at);
  }

  #members(pairs: readonly Pair[], at: number): ReadonlyMap<string, YamlMember<YamlScalar>> {
    const { isScalar } = this.#yaml;
    const members = new Map<string, YamlMember<YamlScalar>>();
    const sources: YamlValue[] = [];
    for (const { key, value } of pairs) {
      const start = startOf(key, at);
      if (!isScalar(key) || key.value === null) {
        this.#report(start, 'The name of a field must be text.');
        continue;
      }
      this.#value(key, start);
      // Uses the source text: 007 is not a number here.
      const name = typeof key.value === 'string' ? key.value : (sourceOf(key) ?? String(key.value));
      const place = this.#placeOf(start);
      const earlier = members.get(name);
      const read = this.#value(value, start);
      if (name === mergeKey && key.type === 'PLAIN') sources.push(...this.#mergeable(read, start));
      else if (earlier)
        this.#report(start, `Duplicate field ${name}: it is already on line ${earlier.place.line}.`);
      else members.set(name, { place, value: read });
    }
    for (const source of sources) if (source.kind === 'fields') this.#merge(members, source, at);
    return members;
  }

  /** Returns the objects whose fields a `<<` copies: one, or several in a list, where earlier ones take precedence. */
  #mergeable(read: YamlValue, at: number): readonly YamlValue[] {
    const sources = read.kind === 'list' ? read.items : [read];
    if (sources.some(({ kind }) => kind !== 'fields'))
      this.#report(at, '<< copies fields: use <<: *defaults or <<: [*one, *other].');
    return sources;
  }

  #merge(members: Map<string, YamlMember<YamlScalar>>, source: YamlFields<YamlScalar>, at: number): void {
    const before = this.#merged;
    this.#merged += source.members.size;
    if (this.#merged > maxValues) {
      if (before <= maxValues) this.#report(at, `<< copies more than ${maxValues} fields in this file.`);
      return;
    }
    for (const [name, member] of source.members) if (!members.has(name)) members.set(name, member);
  }

  #report(offset: number, message: string): void {
    this.#problems.push({ place: this.#placeOf(offset), message });
  }
}

/** Returns a number with all its digits: a large integer would be rounded. */
function exactNumber(value: number, source = ''): number | bigint {
  return Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(source) ? value : BigInt(source.replace('+', ''));
}

function startOf(node: unknown, otherwise: number): number {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : otherwise;
}

function sourceOf(node: Node | Scalar): string | undefined {
  return 'source' in node && typeof node.source === 'string' ? node.source : undefined;
}

/** Messages for common mistakes. The parser's own messages address authors of parsers. */
const mistakeTexts: Partial<Readonly<Record<ErrorCode, string>>> = {
  BAD_DQ_ESCAPE: 'a backslash in double quotes is not a valid escape',
  BAD_INDENT: 'its indentation does not match',
  BAD_SCALAR_START: 'a text that begins like this needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a text with a colon in it needs quotes',
  DUPLICATE_KEY: 'duplicate field',
  MISSING_CHAR: 'a quote or bracket is not closed, or a colon or comma is missing',
  MULTILINE_IMPLICIT_KEY: 'a field has no colon after its name',
  TAB_AS_INDENT: 'it is indented with a tab; use spaces',
};

/** Describes a mistake in YAML or JSON, in words for the author of the text. */
function yamlMistakeText(code: ErrorCode, message: string): string {
  // The parser reports an unclosed bracket as a wrong indentation of the next line.
  if (/^Flow (?:sequence|map) (?:in block collection )?must/.test(message))
    return 'a bracket [ or { above is not closed, or what is in it is not indented';
  return mistakeTexts[code] ?? "it can't be read from here on";
}
