import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { inputFailure } from '../../lib/errors.ts';
import { readConfined } from '../../lib/files/confined-path.ts';
import { readTextFile } from '../../lib/files/text-input.ts';
import type { Io } from '../../lib/io.ts';
import { ownMember } from '../../lib/json-object.ts';
import { schemaProblems } from '../../lib/schema-problems.ts';
import { escapeInvisible } from '../../lib/text/characters.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { Secret } from '../../secrets/secret.ts';
import { parseSecret } from '../../settings/secret-file.ts';
import {
  type Desired,
  type DesiredTenant,
  type Move,
  type Place,
  placeWords,
  type SourceFile,
  tenantKeyOf,
} from '../desired.ts';
import { buildTenant, outsideFailure } from './build-tenant.ts';
import { asFileProblem, checkTenant } from './check-tenant.ts';
import {
  dataOf,
  type FileProblem,
  type FileValue,
  itemsOf,
  memberOf,
  membersOf,
  readFileValue,
  textIn,
} from './file-value.ts';
import { findTenantFiles } from './find-tenant-files.ts';
import { checkMoves } from './moves.ts';
import { Problems } from './problems.ts';
import { extensionPrefix, fileSchema, tenantKey } from './schema.ts';
import { readRows, readVariables, type VariableRow, type Variables } from './variable-files.ts';
import { Expander } from './variables.ts';

/** The files to read, and the variables in them. */
export interface TenantsInput {
  /** Files and folders; by default the folder `tenants`. */
  readonly paths?: readonly string[] | undefined;
  /** Variables of the command line, which override those of the file. */
  readonly var?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly vars?: string | undefined;
  /** A table of variables, with one tenant for each row. */
  readonly each?: string | undefined;
}

/** The valid declarations of the files, and all problems. */
export interface ReadTenants {
  readonly desired: Desired;
  /** In the order of files and lines. */
  readonly problems: readonly FileProblem[];
}

/**
 * Reads the files of tenants.
 * @throws Failure `invalidInput` that lists all problems, each with its place
 */
export async function loadTenants(io: Pick<Io, 'env' | 'signal'>, input: TenantsInput): Promise<Desired> {
  const { desired, problems } = await readTenants(io, input);
  if (problems.length === 0) return desired;
  throw inputFailure(
    problems.map((problem) => `${placeWords(problem.place)}: ${problem.message}`),
    remark`See the format of the files: ${command('help', 'tenants')}`,
  );
}

/**
 * Reads the files of tenants, and collects their problems.
 * @throws Failure `invalidInput` for files that can't be read at all
 */
export async function readTenants(io: Pick<Io, 'env' | 'signal'>, input: TenantsInput): Promise<ReadTenants> {
  return new TenantReader(io).read(input);
}

class TenantReader {
  readonly #io: Pick<Io, 'env' | 'signal'>;
  readonly #problems = new Problems();
  readonly #files = new Map<string, SourceFile>();
  readonly #tenants = new Map<string, DesiredTenant>();
  readonly #moved: Move[] = [];
  /** The place of each declared key, as text; includes tenants with problems. */
  readonly #declared = new Map<string, string>();
  readonly #secrets = new Map<string, Secret>();
  readonly #texts = new Map<string, string>();
  readonly #looked = new Set<string>();

  constructor(io: Pick<Io, 'env' | 'signal'>) {
    this.#io = io;
  }

  async read({ paths = [], var: typed = [], vars, each }: TenantsInput): Promise<ReadTenants> {
    const besides = [vars, each].filter((path) => path !== undefined);
    const files = await findTenantFiles(paths, besides);
    const variables = new Map(vars === undefined ? [] : await this.#variables(vars));
    for (const { name, value } of typed) variables.set(name, value);
    const rows =
      each === undefined ? undefined : { file: each, rows: await readRows(await this.#text(each), each) };
    const templates: number[] = [];
    for (const file of files) templates.push(await this.#file(file, variables, rows));
    const templateCount = templates.reduce((sum, count) => sum + count, 0);
    if (rows && templateCount === 0) this.#problems.add(withoutTemplate(files[0] ?? rows.file, rows.file));
    const byKey = [...this.#tenants].sort(([one], [other]) => (one < other ? -1 : 1));
    const tenants = byKey.map(([, tenant]) => tenant);
    const isWhole = ({ key, place }: DesiredTenant): boolean =>
      !this.#problems.concern(key, [place.file, ...besides]);
    // If a file has a problem, an object that it declares may be missing here.
    const keys = new Set(tenants.filter(isWhole).map(({ key }) => key));
    const known = this.#moved.filter(({ to }) => this.#problems.isEmpty || keys.has(tenantKeyOf(to)));
    const { moved, problems } = checkMoves(known, tenants);
    for (const problem of problems) this.#problems.add(problem);
    return {
      desired: { tenants, moved, files: [...this.#files.values()] },
      problems: this.#problems.sorted(files),
    };
  }

  /** Reads one file. Returns the number of templates in it. */
  async #file(file: string, variables: Variables, rows: Rows | undefined): Promise<number> {
    const { root, problems } = await readFileValue(await this.#text(file), file);
    for (const problem of problems) this.#problems.add(problem);
    if (!root) return 0;
    this.#checkFile(root);
    let templates = 0;
    for (const [written, { place, value }] of membersOf(memberOf(root, 'tenants'))) {
      const isTemplate = rows !== undefined && written.includes('${');
      if (isTemplate) templates += 1;
      const made = isTemplate
        ? rows.rows.map(({ line, variables: columns }) => ({
            variables: new Map([...variables, ...columns]),
            row: `${rows.file}, line ${line}`,
          }))
        : [{ variables }];
      for (const one of made) await this.#tenant({ written, place, value, ...one });
    }
    for (const move of itemsOf(memberOf(root, 'moved'))) {
      const [from, to] = [textIn(memberOf(move, 'from')), textIn(memberOf(move, 'to'))];
      if (from !== undefined && to !== undefined) this.#moved.push({ from, to, place: move.place });
    }
    return templates;
  }

  #checkFile(root: FileValue): void {
    if (root.kind !== 'fields') {
      const message = 'This is not a tenant file: it must start with version: 1 and tenants:.';
      this.#problems.add({ place: root.place, field: '', message });
      return;
    }
    const members = [...root.members].filter(([name]) => !name.startsWith(extensionPrefix));
    const data = Object.fromEntries(
      // Each tenant is checked separately, with the values of its variables.
      members.map(([name, { value }]) => [
        name,
        name === 'tenants' && value.kind === 'fields' ? {} : dataOf(value),
      ]),
    );
    for (const problem of schemaProblems(fileSchema, data)) this.#problems.add(asFileProblem(root, problem));
  }

  async #tenant({ written, place, value, variables, row }: Template): Promise<void> {
    let key = written;
    const report = (problem: FileProblem): void => this.#problems.add(problem, { key, row });
    const expander = new Expander(
      {
        env: (name) => ownMember(this.#io.env, name),
        file: (path, from) => this.#secret(path, from),
        variables,
      },
      report,
    );
    this.#problems.takeFields();
    const { value: expanded } = expander.expandText(written, { place, path: [written] });
    // If a variable in the key has no value, the tenant has no key.
    if (this.#problems.takeFields().size > 0) return;
    if (expanded instanceof Secret || schemaProblems(tenantKey, expanded).length > 0) {
      const shown = escapeInvisible(JSON.stringify(expanded instanceof Secret ? written : expanded));
      const message = `${shown} is not a valid key: use letters, digits, and inside also a dot, _ or -.`;
      report({ place, field: written, message });
      return;
    }
    key = expanded;
    const earlier = this.#declared.get(key);
    if (earlier) {
      report({ place, field: key, message: `${key} is declared twice: first ${earlier}.` });
      return;
    }
    this.#declared.set(key, row === undefined ? `at ${placeWords(place)}` : `by ${row}`);
    const checked = checkTenant(key, expander.expand(value, [key]));
    const reported = this.#problems.takeFields();
    // A field whose variable has no value was already reported.
    for (const problem of checked.problems) if (!reported.has(problem.field)) report(problem);
    const wrong = [...reported, ...checked.problems.map(({ field }) => field)];
    const tenant = await buildTenant(key, place, checked.written, {
      looked: this.#looked,
      readText: (path, from, what) => this.#textBelow(path, from, what),
      report(problem) {
        const { field } = problem;
        if (!wrong.some((one) => one === field || one.startsWith(`${field}.`))) report(problem);
      },
    });
    if (wrong.length === 0) this.#tenants.set(key, tenant);
  }

  async #variables(file: string): Promise<Variables> {
    const { variables, problems } = await readVariables(await this.#text(file), file);
    for (const problem of problems) this.#problems.add(problem);
    return variables;
  }

  async #text(file: string): Promise<string> {
    const text = await readTextFile(file, this.#io.signal);
    this.#note(file, text);
    return text;
  }

  #textBelow(path: string, from: string, what: string): string {
    const file = join(dirname(from), path);
    const known = this.#texts.get(file);
    if (known !== undefined) return known;
    const text = readConfined(path, dirname(from), outsideFailure(what, path));
    this.#note(file, text);
    this.#texts.set(file, text);
    return text;
  }

  #note(file: string, text: string): void {
    this.#files.set(file, { path: file, sha256: createHash('sha256').update(text).digest('hex') });
  }

  /** Returns the secret in a file. Nothing of it is stored. */
  #secret(path: string, from: string): string {
    const file = join(dirname(from), path);
    const known = this.#secrets.get(file);
    if (known) return known.reveal();
    const name = `\${file:${path}}`;
    const secret = parseSecret(readConfined(path, dirname(from), outsideFailure(name, path)), name);
    this.#secrets.set(file, secret);
    return secret.reveal();
  }
}

/** The rows of `--each`. */
interface Rows {
  readonly file: string;
  readonly rows: readonly VariableRow[];
}

/** A tenant as written in a file, and its variables. */
interface Template {
  /** The unexpanded key. */
  readonly written: string;
  readonly place: Place;
  readonly value: FileValue;
  readonly variables: Variables;
  readonly row?: string;
}

function withoutTemplate(file: string, each: string): FileProblem {
  const message = `No tenant uses the rows of ${each}: give a tenant a key with a column in it, such as \${var:key}.`;
  return { place: { file, line: 1, column: 1 }, field: 'tenants', message };
}
