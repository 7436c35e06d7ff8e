import { findUnsendable } from '../../lib/text/characters.ts';
import { toYaml } from '../../output/yaml.ts';
import { mapTexts } from '../action-secrets.ts';
import { type DesiredBot, type DesiredTenant, revealValue } from '../desired.ts';
import { literalText } from '../files/variables.ts';
import { replaceFieldSecrets } from './exported-secrets.ts';
import { Keys, keyOf } from './keys.ts';

/** A file to write, by its path below the folder of the tenants. */
export interface FileToWrite {
  readonly path: string;
  readonly text: string;
  /** True if only its owner may read it, and it must not be committed. */
  readonly isSecret?: boolean;
}

/** The folder for files that must not be committed, below that of the tenants. */
export const secretsFolder = 'secrets';

/** The name of the schema file, which the files refer to for editors. */
export const schemaName = 'tenants.schema.json';

/** Instructions with more characters, or with several lines, get a separate file. */
const longestInline = 120;

/** Returns the name of the file of a tenant. */
export function fileNameOf(key: string): string {
  return `${portableName(key)}.yaml`;
}

/** Returns the files that declare a tenant, the main file first. */
export function filesForTenant({
  key,
  fields,
  documents,
  bots,
  devices,
}: DesiredTenant): readonly FileToWrite[] {
  const others: FileToWrite[] = [];
  const names = new Keys();
  /** Returns the variable for a new file with a secret. @param of the owner of the secret: the bot, and its field or action */
  const secretFile = (value: string, of: readonly string[]): string => {
    const words = of.map(keyOf).filter((word) => word !== '');
    const path = `${secretsFolder}/${portableName(key)}/${portableName(names.free(words.join('-')))}`;
    others.push({ path, text: `${value.replace(/\n+$/, '')}\n`, isSecret: true });
    return `\${file:${path}}`;
  };
  const botOf = (bot: DesiredBot): object => {
    const members = Object.entries(bot.fields).map(([name, { value, isSecret }]) => {
      if (name === 'instructions' && !isSecret && typeof value === 'string' && needsFile(value)) {
        const path = `${portableName(key)}/${portableName(`${bot.key}.md`)}`;
        others.push({ path, text: value });
        return ['instructions_file', path] as const;
      }
      const field = { name, value: revealValue(value), isSecret };
      const secret = (text: string, of: readonly string[]): string => secretFile(text, [bot.key, ...of]);
      return [name, replaceFieldSecrets(field, secret, literalText)] as const;
    });
    return { ...Object.fromEntries(members), ...(bot.documents && { documents: bot.documents.keys }) };
  };
  const all = Object.entries(fields).map(
    ([name, { value }]) => [name, escapeVariables(revealValue(value))] as const,
  );
  const quotas = all.flatMap(([name, value]) =>
    name.startsWith('quotas.') ? [[name.slice('quotas.'.length), value] as const] : [],
  );
  const tenant = {
    ...Object.fromEntries(all.filter(([name]) => !name.startsWith('quotas.'))),
    ...section('quotas', quotas),
    ...section(
      'documents',
      documents.map((one) => [
        one.key,
        { existing: one.source.kind === 'existing' && escapeVariables(one.source.name) },
      ]),
    ),
    ...section(
      'bots',
      bots.map((bot) => [bot.key, botOf(bot)]),
    ),
    ...section(
      'devices',
      devices.map(({ key: device, name, bot }) => [
        device,
        { name: escapeVariables(revealValue(name.value)), bot },
      ]),
    ),
  };
  const head = `# yaml-language-server: $schema=${schemaName}\n\n`;
  const text = `${head}${toYaml({ version: 1, tenants: { [key]: tenant } })}`;
  return [{ path: fileNameOf(key), text }, ...others];
}

function section(name: string, members: readonly (readonly [string, unknown])[]): object {
  return members.length > 0 ? { [name]: Object.fromEntries(members) } : {};
}

/** Returns a value with escapes, so that no text in it is read as a variable. */
function escapeVariables(value: unknown): unknown {
  return mapTexts(value, literalText);
}

/** Returns whether a long text should have a file, and a file can contain it unchanged. */
function needsFile(text: string): boolean {
  const isPlain = !/[\x01-\x08\x0b-\x1f\x7f]/.test(text) && findUnsendable(text) === undefined;
  return isPlain && (text.length > longestInline || text.includes('\n'));
}

/** Names of devices in Windows, which reserves them with any extension and in any case. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/** Returns a file name that every system allows: Windows reserves some names, and drops a dot or blank at the end. */
function portableName(name: string): string {
  return name.replace(reserved, '$&_').replace(/[. ]$/, '$&_');
}
