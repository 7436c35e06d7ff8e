import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../lib/errors.ts';
import { makePrivateDirectory, privateFile } from '../../lib/files/private-file.ts';
import { readRegularText } from '../../lib/files/text-input.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import type { DocumentNames } from '../../resources/bots/document-names.ts';
import { type EditableField, editableFields, editableKinds } from '../../resources/bots/editable.ts';

/** The temporary file in which a bot is edited, readable only by its owner. It exists until it is removed. */
export type EditFile = ReturnType<typeof createEditFile>;

/**
 * Creates the file in a new directory in the user's data directory, or among the temporary files if the data directory
 * is not writable.
 */
export function createEditFile(data: string, name: string, text: string) {
  const directory = privateDirectory(
    data,
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 40),
  );
  const path = join(directory, 'bot.yaml');
  writeFileSync(path, text, { mode: privateFile });
  return {
    path,
    /** @throws Failure `invalidInput` if the file no longer exists */
    read: () => readRegularText(path),
    write: (changed: string) => writeFileSync(path, changed, { mode: privateFile }),
    /** Removes the file, and the files that the editor left next to it. */
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function privateDirectory(data: string, name: string): string {
  try {
    const drafts = join(data, 'drafts');
    makePrivateDirectory(drafts);
    return mkdtempSync(join(drafts, `${name}-`));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return mkdtempSync(join(tmpdir(), 'botctl-draft-'));
  }
}

/** Returns a sample value for a field that the service doesn't return. */
function sampleOf(field: EditableField): string {
  const kind = editableKinds[field];
  if (kind === 'true or false') return 'true';
  if (kind.startsWith('list')) return '[]';
  return field === 'role' ? 'dynamic' : field === 'temperature' ? '1' : '""';
}

/** Returns the text that the editor opens: comments that explain the editing, and the writable fields as YAML. */
export async function editFileText(bot: Bot, documents: DocumentNames): Promise<string> {
  const { fileOf } = await import('../../resources/bots/check-bot.ts');
  const { toYaml } = await import('../../output/yaml.ts');
  const { values: shown } = fileOf(bot, documents);
  const hidden = editableFields.filter((field) => shown[field] === undefined);
  const head = [
    `${bot.label} (${bot.id})`,
    'Make your changes, save, and close the editor.',
    'You see the changes before they are sent.',
    'A field that you delete stays unchanged; [] empties a list.',
    'document_ids can be names or ids.',
    ...(bot.published === false
      ? []
      : [
          `It ${bot.published ? 'is' : 'may be'} published. A change unpublishes it, and the API cannot publish it again.`,
        ]),
    'To cancel, close the file without changes.',
  ];
  const tail =
    hidden.length === 0
      ? []
      : [
          '',
          "# The service doesn't show these fields, or not in an editable form. To set one, remove the #:",
          ...hidden.map((field) => `# ${field}: ${sampleOf(field)}`),
        ];
  return [
    ...head.map((line) => `# ${commentLine(line)}`),
    '',
    nameComments(toYaml(shown), documents) + tail.map((line) => `${line}\n`).join(''),
  ].join('\n');
}

/** Adds the name of each document as a comment after its id. */
function nameComments(yaml: string, { nameOf }: DocumentNames): string {
  const at = yaml.indexOf('document_ids:\n');
  if (at < 0) return yaml;
  return (
    yaml.slice(0, at) +
    yaml.slice(at).replace(/^ *- ([\da-f-]{36})$/gim, (line, id: string) => {
      const name = nameOf(id);
      return name === undefined ? line : `${line} # ${commentLine(name)}`;
    })
  );
}

/** Replaces characters that would end a comment: names are chosen by other people. */
function commentLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

const problemMark = '#! ';

/** Returns the text of an edit file with comments about its problems at the top, which replace earlier ones. */
export function annotateProblems(text: string, problems: readonly string[]): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => !line.startsWith(problemMark));
  const told = problems.map((problem) => problemMark + commentLine(problem));
  return [...told, ...lines.slice(Math.max(first, 0))].join('\n');
}

/** Returns whether a text is empty or has only comments. */
export function isBlank(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(#|$)/.test(line));
}
