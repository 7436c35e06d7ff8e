import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { FileSearch } from '../../documents/find-files.ts';
import { Failure, inputFailure } from '../../lib/errors.ts';
import { confinedPath, escapesDirectory } from '../../lib/files/confined-path.ts';
import { ValueError } from '../../lib/parse.ts';
import { type Path, pathText } from '../../lib/problem.ts';
import { yamlAt, yamlPlace } from '../../lib/yaml.ts';
import { editableFields, writtenShape } from '../../resources/bots/editable.ts';
import { quotaNames } from '../../resources/teams/quotas.ts';
import { Secret } from '../../secrets/secret.ts';
import {
  type Administrator,
  addressOf,
  type BotField,
  containsSecret,
  type DeclaredField,
  type DeclaredFields,
  type DeclaredValue,
  type DesiredBot,
  type DesiredDevice,
  type DesiredDocument,
  type DesiredTenant,
  type DocumentSource,
  declaredValue,
  type Place,
  type TeamField,
  teamFields,
} from '../desired.ts';
import {
  dataOf,
  type FileProblem,
  type FileValue,
  itemsOf,
  memberOf,
  membersOf,
  textIn,
} from './file-value.ts';

/** Dependencies of `buildTenant`. */
export interface BuildContext {
  /** Returns the text of a file in or below the folder of the file that names it. @throws Failure `invalidInput` */
  readText(path: string, from: string, what: string): string;
  /** The valid files and folders of documents, so that each is checked once: all tenants of a template name the same ones. */
  readonly looked: Set<string>;
  report(problem: FileProblem): void;
}

const botFields: readonly BotField[] = editableFields.filter((name) => name !== 'document_ids');

/**
 * Returns a tenant with the texts and documents that its file names, and reports problems with those.
 * @param written the checked tenant; if it has a problem, the result must not be used
 */
export async function buildTenant(
  key: string,
  place: Place,
  written: FileValue,
  surroundings: BuildContext,
): Promise<DesiredTenant> {
  const builder = new Builder(key, written, surroundings);
  return {
    key,
    address: key,
    place,
    fields: { ...builder.teamFields(), name: builder.field(['name']) },
    administrator: await builder.administrator(),
    documents: await builder.documents(),
    bots: await builder.bots(),
    devices: builder.devices(),
  };
}

class Builder {
  readonly #key: string;
  readonly #written: FileValue;
  readonly #surroundings: BuildContext;

  constructor(key: string, written: FileValue, surroundings: BuildContext) {
    this.#key = key;
    this.#written = written;
    this.#surroundings = surroundings;
  }

  field(path: Path): DeclaredField {
    const written = yamlAt(this.#written, path);
    const value = written ? dataOf(written) : null;
    return { value, place: yamlPlace(this.#written, path), isSecret: containsSecret(value) };
  }

  teamFields(): DeclaredFields<TeamField> {
    const paths: readonly (readonly [TeamField, Path])[] = [
      ...teamFields.map((name) => [name, [name]] as const),
      ...quotaNames.map((name) => [`quotas.${name}`, ['quotas', name]] as const),
    ];
    return this.#declared(paths);
  }

  async administrator(): Promise<Administrator | undefined> {
    if (!memberOf(this.#written, 'administrator')) return undefined;
    const phone = this.field(['administrator', 'phone']);
    return {
      name: this.field(['administrator', 'name']),
      email: this.field(['administrator', 'email']),
      phone: { ...phone, value: await this.#phone(phone.value) },
    };
  }

  async documents(): Promise<readonly DesiredDocument[]> {
    const documents: DesiredDocument[] = [];
    for (const { key, place, value } of this.#objects('documents')) {
      const path = ['documents', key];
      const source = await this.#attempt(path, () => this.#source(value, dirname(place.file)));
      if (source) documents.push({ ...this.#named('documents', key, place), source });
    }
    return documents;
  }

  async bots(): Promise<readonly DesiredBot[]> {
    const bots: DesiredBot[] = [];
    for (const { key, place, value } of this.#objects('bots')) {
      const path = ['bots', key];
      const documents = memberOf(value, 'documents');
      const fields = this.#declared(botFields.map((name) => [name, [...path, name]] as const));
      bots.push({
        ...this.#named('bots', key, place),
        fields: {
          ...fields,
          ...this.#actions(fields.actions),
          ...(await this.#instructions(path)),
          name: this.field([...path, 'name']),
        },
        documents: documents && {
          keys: itemsOf(documents).flatMap((item) => textIn(item) ?? []),
          place: yamlPlace(this.#written, [...path, 'documents']),
        },
      });
    }
    return bots;
  }

  devices(): readonly DesiredDevice[] {
    return this.#objects('devices').map(({ key, place, value }) => ({
      ...this.#named('devices', key, place),
      name: this.field(['devices', key, 'name']),
      bot: textIn(memberOf(value, 'bot')) ?? '',
    }));
  }

  #objects(
    kind: string,
  ): readonly { readonly key: string; readonly place: Place; readonly value: FileValue }[] {
    return [...membersOf(memberOf(this.#written, kind))].map(([key, member]) => ({ key, ...member }));
  }

  #named(kind: 'documents' | 'bots' | 'devices', key: string, place: Place) {
    return { key, address: addressOf(this.#key, kind, key), place };
  }

  #declared<Name extends string>(paths: readonly (readonly [Name, Path])[]): DeclaredFields<Name> {
    const declared: Partial<Record<Name, DeclaredField>> = {};
    for (const [name, path] of paths) if (yamlAt(this.#written, path)) declared[name] = this.field(path);
    return declared;
  }

  /** Returns actions as they are sent, with the default values of omitted members. */
  #actions(actions: DeclaredField | undefined): { readonly actions?: DeclaredField } {
    if (!actions) return {};
    const { actions: value } = writtenShape({ actions: actions.value });
    return { actions: { ...actions, value: declaredValue(value) } };
  }

  async #instructions(bot: Path): Promise<{ readonly instructions?: DeclaredField }> {
    const path = [...bot, 'instructions_file'];
    const file = textIn(yamlAt(this.#written, path));
    if (file === undefined) return {};
    const place = yamlPlace(this.#written, path);
    const text = await this.#attempt(path, () =>
      this.#surroundings.readText(file, place.file, 'instructions_file'),
    );
    return text === undefined ? {} : { instructions: { value: text, place, isSecret: false } };
  }

  async #phone(value: DeclaredValue): Promise<DeclaredValue> {
    const isSecret = value instanceof Secret;
    const { phoneNumbers } = await import('../../phone-numbers/national-number.ts');
    // The region of the machine is ignored, so that files mean the same on every machine.
    const toNumber = phoneNumbers(undefined);
    const e164 = await this.#attempt(['administrator', 'phone'], () => {
      try {
        return `+${toNumber(isSecret ? value.reveal() : String(value)).digits}`;
      } catch (error) {
        // The message of a wrong secret would show it.
        if (isSecret && error instanceof ValueError)
          throw new ValueError('must be an international phone number such as +55 11 99999-0000');
        throw error;
      }
    });
    if (e164 === undefined) return value;
    return isSecret ? new Secret(e164) : e164;
  }

  async #source(written: FileValue, folder: string): Promise<DocumentSource> {
    const text = (name: string): string | undefined => textIn(memberOf(written, name));
    const [file, pattern, inner, existing] = [text('file'), text('files'), text('folder'), text('existing')];
    if (existing !== undefined) return { kind: 'existing', name: existing };
    if (pattern !== undefined) {
      if (escapesDirectory(pattern)) throw outsideFailure('files', pattern);
      const paths: string[] = [];
      for await (const { path, failure } of new FileSearch({ include: [], exclude: [] }).find([
        join(folder, pattern),
      ])) {
        if (failure) throw failure;
        // The part before the first wildcard may be a link, and so may a file with a star in its name.
        confinedPath(relative(folder, path), folder, outsideFailure('files', pattern));
        paths.push(path);
      }
      return { kind: 'files', pattern, paths };
    }
    const [what, path] = file !== undefined ? (['file', file] as const) : (['folder', inner ?? ''] as const);
    const whole = join(folder, path);
    const { looked } = this.#surroundings;
    if (!looked.has(`${what} ${whole}`)) {
      checkPath(what, path, folder);
      looked.add(`${what} ${whole}`);
    }
    return { kind: what, path: whole };
  }

  /**
   * Returns the result of `work` on a named file or value; reports a problem with that file or value.
   * @throws other errors of `work`
   */
  async #attempt<T>(path: Path, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (thrown) {
      const isValue = thrown instanceof ValueError;
      if (!isValue && !(thrown instanceof Failure && thrown.isWrongInput)) throw thrown;
      const whole = pathText([this.#key, ...path]);
      const message = isValue ? `${whole} ${thrown.message}.` : `${whole}: ${thrown.message}`;
      this.#surroundings.report({ place: yamlPlace(this.#written, path), field: whole, message });
      return undefined;
    }
  }
}

/** @throws Failure `invalidInput` if there is no such file or folder in or below the folder of the file that names it */
function checkPath(what: 'file' | 'folder', path: string, folder: string): void {
  const found = statSync(confinedPath(path, folder, outsideFailure(what, path)));
  const isRight = what === 'file' ? found.isFile() : found.isDirectory();
  if (!isRight)
    throw inputFailure([
      `${what} names ${path}, which is not a ${what === 'file' ? 'regular file' : 'folder'}.`,
    ]);
}

/** Returns the failure for a path that leads out of the folder of the file that names it. */
export function outsideFailure(what: string, path: string): Failure {
  return inputFailure([`${what} must be a path beside or below this file, not ${JSON.stringify(path)}.`]);
}
