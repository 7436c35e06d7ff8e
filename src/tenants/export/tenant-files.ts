import { Document, isCollection, isMap, isScalar, type Scalar } from 'yaml';
import { unsendableIn } from '../../lib/text/characters.ts';
import { documentText } from '../../output/yaml.ts';
import { mask, Secret } from '../../secrets/secret.ts';
import { endpointParts, isSecretHeader, isSecretMember } from '../action-secrets.ts';
import {
  type Address,
  addressOf,
  type DeclaredValue,
  type DesiredBot,
  type DesiredTenant,
} from '../desired.ts';
import { literalText } from '../files/variables.ts';
import type { ExportedTenant } from './exported-tenant.ts';
import { Keys, keyOf } from './keys.ts';

/** A file to write, by its path below the folder of the tenants. */
export interface FileToWrite {
  readonly path: string;
  readonly text: string;
  /** For its owner only, and not to be committed. */
  readonly isSecret?: boolean;
}

/** The folder of what must not be committed, below that of the tenants. */
export const secretsFolder = 'secrets';

/** The file with the schema, which the files name for editors. */
export const schemaName = 'tenants.schema.json';

/** Instructions of more characters, or of several lines, get a file of their own. */
const longestInline = 120;

/** Returns the name of the file of a tenant. */
export function fileNameOf(key: string): string {
  return `${portableName(key)}.yaml`;
}

/** Returns the files of a tenant, its own first: what it holds stands for itself, whatever it looks like. */
export function filesOf(exported: ExportedTenant): readonly FileToWrite[] {
  return new TenantWriter(exported).files();
}

class TenantWriter {
  readonly #exported: ExportedTenant;
  readonly #others: FileToWrite[] = [];
  readonly #secretNames = new Keys();

  constructor(exported: ExportedTenant) {
    this.#exported = exported;
  }

  files(): readonly FileToWrite[] {
    const { tenant } = this.#exported;
    const document = new Document(
      { version: 1, tenants: { [tenant.key]: this.#tenant(tenant) } },
      // Many tools still read YAML 1.1, where an unquoted yes, 012 or 1_000 is no text.
      { aliasDuplicateObjects: false, compat: 'yaml-1.1' },
    );
    document.commentBefore = ` yaml-language-server: $schema=${schemaName}`;
    this.#arrange(document.getIn(['tenants', tenant.key]));
    return [{ path: fileNameOf(tenant.key), text: documentText(document) }, ...this.#others];
  }

  #tenant({ key, fields, documents, bots, devices }: DesiredTenant): object {
    const quotas = Object.entries(fields).filter(([name]) => name.startsWith('quotas.'));
    const others = Object.entries(fields).filter(([name]) => !name.startsWith('quotas.'));
    const byKey = <T extends { readonly key: string }>(objects: readonly T[], form: (object: T) => object) =>
      Object.fromEntries(objects.map((object) => [object.key, form(object)]));
    return {
      ...Object.fromEntries(others.map(([name, { value }]) => [name, this.#written(value)])),
      ...(quotas.length > 0 && {
        quotas: Object.fromEntries(quotas.map(([name, { value }]) => [name.slice('quotas.'.length), value])),
      }),
      ...(documents.length > 0 && {
        documents: byKey(documents, ({ source }) => ({
          existing: source.kind === 'existing' ? this.#written(source.name) : '',
        })),
      }),
      ...(bots.length > 0 && { bots: byKey(bots, (bot) => this.#bot(key, bot)) }),
      ...(devices.length > 0 && {
        devices: byKey(devices, ({ name, bot }) => ({ name: this.#written(name.value), bot })),
      }),
    };
  }

  #bot(tenant: string, { key, fields, documents }: DesiredBot): object {
    const members = Object.entries(fields).map(([name, { value, isSecret }]): readonly [string, unknown] => {
      if (isSecret && name !== 'actions') return [name, this.#hidden(value, [key, name])];
      if (name === 'instructions' && typeof value === 'string' && this.#getsFile(value)) {
        const path = `${portableName(tenant)}/${portableName(`${key}.md`)}`;
        this.#others.push({ path, text: value });
        return ['instructions_file', path];
      }
      return [name, name === 'actions' ? this.#actions(value, key) : this.#written(value)];
    });
    return { ...Object.fromEntries(members), ...(documents && { documents: documents.keys }) };
  }

  /** True of a text that a file holds as it is, and that is long. */
  #getsFile(text: string): boolean {
    const isPlain = !/[\x01-\x08\x0b-\x1f\x7f]/.test(text) && unsendableIn(text) === undefined;
    // What is masked stands where validate tells it.
    return isPlain && !text.includes(mask) && (text.length > longestInline || text.includes('\n'));
  }

  /** Returns what stands for a field that is secret: for its text, or for each answer of its questions. */
  #hidden(value: DeclaredValue, words: readonly unknown[]): unknown {
    if (isList(value)) return value.map((item) => this.#hidden(item, words));
    if (isFields(value)) {
      const others = Object.entries(value).map(([name, one]) => [
        name,
        name === 'answer' ? this.#hidden(one, words) : this.#written(one),
      ]);
      return Object.fromEntries(others);
    }
    if (typeof value !== 'string' || value.trim() === '') return this.#written(value);
    // A newline at the end is not part of what is read from a file.
    const text = value.replace(/\n+$/, '');
    return `${this.#secret(text, words)}${value.slice(text.length)}`;
  }

  #actions(actions: DeclaredValue, bot: string): unknown {
    if (!isList(actions)) return this.#written(actions);
    return actions.map((action) => {
      if (!isFields(action)) return this.#written(action);
      const words = [bot, action.name];
      const members = Object.entries(action).map(([name, value]) => {
        if (name === 'endpoint' && typeof value === 'string') return [name, this.#endpoint(value, words)];
        if (name === 'headers' && isFields(value)) return [name, this.#headers(value, words)];
        return [name, name === 'body' ? this.#body(value, words) : this.#written(value)];
      });
      return Object.fromEntries(members);
    });
  }

  #headers(headers: { readonly [name: string]: DeclaredValue }, words: readonly unknown[]): object {
    const written = Object.entries(headers).map(([name, value]) => [
      name,
      isSecretHeader(name, value) ? this.#secret(value, [...words, name]) : this.#written(value),
    ]);
    return Object.fromEntries(written);
  }

  #body(body: DeclaredValue, words: readonly unknown[]): unknown {
    if (!isList(body)) return this.#written(body);
    return body.map((member) => {
      if (!isFields(member)) return this.#written(member);
      const { key, value } = member;
      const others = Object.entries(member).map(([name, one]) => [name, this.#written(one)]);
      const secret = isSecretMember(key, value) && { value: this.#secret(value, [...words, key]) };
      return { ...Object.fromEntries(others), ...secret };
    });
  }

  #endpoint(endpoint: string, words: readonly unknown[]): string {
    return endpointParts(endpoint)
      .map(({ text, secretOf }) =>
        secretOf === undefined ? literalText(text) : this.#secret(text, [...words, secretOf]),
      )
      .join('');
  }

  /**
   * Returns what stands for a secret: the file that it is in, or the mask where no file could hold it or it has one in it.
   * @param words what names it: the bot, and its field or the action with the header, the parameter or the member
   */
  #secret(value: string, words: readonly unknown[]): string {
    // Within a file nobody would tell the mask, and an apply would send it.
    if (value.includes(mask) || /[\r\n]/.test(value) || unsendableIn(value)) return mask;
    const word = words.map((one) => keyOf(String(one))).filter((one) => one !== '');
    const folder = `${secretsFolder}/${portableName(this.#exported.tenant.key)}`;
    const path = `${folder}/${portableName(this.#secretNames.free(word.join('-')))}`;
    this.#others.push({ path, text: `${value}\n`, isSecret: true });
    return `\${file:${path}}`;
  }

  #written(value: DeclaredValue): unknown {
    if (typeof value === 'string') return literalText(value);
    if (isList(value)) return value.map((item) => this.#written(item));
    if (!isFields(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#written(member)]));
  }

  /** Puts comments, blank lines, and what is short on one line. */
  #arrange(tenant: unknown): void {
    comment(tenant, [
      ' The service does not show who administers it. Only to create it again it would need:',
      ' administrator: { name: …, email: …, phone: "+…" }',
      ...this.#leftOutOf(this.#exported.tenant.address),
    ]);
    for (const { name, key, value } of membersIn(tenant)) {
      if (name === 'quotas') onOneLine(value);
      if (name === 'quotas' || !isMap(value)) continue;
      key.spaceBefore = true;
      for (const [at, object] of membersIn(value).entries()) {
        if (name === 'bots') this.#arrangeBot(object, at > 0);
        else onOneLine(object.value);
      }
    }
  }

  #arrangeBot({ name, key, value }: Member, isSeparate: boolean): void {
    if (isSeparate) key.spaceBefore = true;
    comment(value, this.#leftOutOf(addressOf(this.#exported.tenant.key, 'bots', name)));
    if (isMap(value)) onOneLine(value.get('documents'));
  }

  #leftOutOf(address: Address): readonly string[] {
    const { leftOut } = this.#exported;
    return leftOut.filter((one) => one.address === address).map(({ says }) => ` Left out: ${says}.`);
  }
}

function isList(value: DeclaredValue): value is readonly DeclaredValue[] {
  return Array.isArray(value);
}

function isFields(value: DeclaredValue): value is { readonly [member: string]: DeclaredValue } {
  return typeof value === 'object' && value !== null && !isList(value) && !(value instanceof Secret);
}

/** A member of a map that is written. */
interface Member {
  readonly name: string;
  readonly key: Scalar;
  readonly value: unknown;
}

function membersIn(map: unknown): readonly Member[] {
  if (!isMap(map)) return [];
  return map.items.flatMap(({ key, value }) =>
    isScalar(key) ? [{ name: String(key.value), key, value }] : [],
  );
}

/** Puts comments above what a map holds. */
function comment(map: unknown, lines: readonly string[]): void {
  const [first] = membersIn(map);
  if (first && lines.length > 0) first.key.commentBefore = lines.join('\n');
}

/** Writes a map or a list on one line. */
function onOneLine(node: unknown): void {
  if (isCollection(node)) node.flow = true;
}

/** The names of devices, which Windows takes for the device with any extension and in any case. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/** Returns a name under which a file can be on every system: Windows reserves some, and drops a dot or blank at the end. */
function portableName(name: string): string {
  return name.replace(reserved, '$&_').replace(/[. ]$/, '$&_');
}
