import { basename } from 'node:path';
import { createOrLookUp } from '../../client/lookup.ts';
import { resolveTeam } from '../../client/names.ts';
import { defineCommand } from '../../command.ts';
import type { Session } from '../../context.ts';
import { countCharacters } from '../../documents/count.ts';
import { checkFile } from '../../documents/file.ts';
import { mediaType } from '../../documents/kind.ts';
import {
  argument,
  checkedPath,
  integer,
  nameOf,
  option,
  requiredOption,
  someText,
} from '../../input/options.ts';
import { documentFields } from './fields.ts';
import { uploadProgress } from './upload-progress.ts';

export const upload = defineCommand({
  name: 'upload',
  summary: 'Upload a document',
  description:
    'Characters are counted after decoding, with every run of white space as one. Only text is counted so far: ' +
    'a PDF or Word file needs --chars, and then it is sent as it is.',
  arguments: { file: argument('path of the file', checkedPath(checkFile)) },
  options: {
    team: requiredOption('--team <team>', 'team that the document belongs to, by name or id', nameOf('team')),
    name: option('--name <name>', "name of the document (the file's own where not given)", someText),
    chars: option(
      '--chars <number>',
      'its number of characters; the file is not looked into',
      integer({ min: 0 }),
    ),
  },
  examples: [
    {
      line: 'botctl docs upload menu.txt --team "Aurora Coffee"',
      does: 'Upload a text, its characters counted',
    },
    { line: 'botctl docs upload menu.pdf --team "Aurora Coffee" --chars 18250', does: 'Upload a PDF' },
  ],
  needs: 'session',
  effect: 'creates',
  output: { kind: 'record', fields: documentFields },
  async run(session, input) {
    const { api, clock, terminal, signal } = session;
    const name = input.name ?? basename(input.file);
    const { size } = await checkFile(input.file);
    const chars = input.chars ?? (await count(session, input.file, name));
    const teamId = await resolveTeam(api, input.team, { for: 'write', signal });
    const progress = terminal.progress(`Uploading ${name}`);
    const saying = uploadProgress(name, size, clock.now);
    const onSent = (bytes: number): void => progress.update(saying(bytes));
    try {
      const call = {
        body: { team_id: teamId, chars },
        file: { path: input.file, name, type: mediaType(name), onSent },
        signal,
      };
      const { data } = await createOrLookUp(
        { api, clock, signal, onNote: terminal.note },
        { noun: 'document', name, teamId, size, chars },
        () => api.call('createDocument', call),
      );
      terminal.done(`Uploaded ${name}: ${chars} ${chars === 1 ? 'character' : 'characters'}.`);
      return data;
    } finally {
      progress.stop();
    }
  },
});

/** Counts, and says so where the encoding is a guess. */
async function count({ terminal }: Session, path: string, name: string): Promise<number> {
  const progress = terminal.progress(`Counting the characters of ${name}`);
  try {
    const { chars, encoding, guessed } = await countCharacters(path, name);
    if (guessed) {
      terminal.warn(
        `The encoding of ${name} is guessed: ${encoding}. If ${chars} characters are wrong, give --chars.`,
      );
    }
    return chars;
  } finally {
    progress.stop();
  }
}
