import { createOrLookUp } from '../../client/lookup.ts';
import { belongs } from '../../client/names.ts';
import type { Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { mediaType } from '../../documents/kind.ts';
import { Failure } from '../../errors.ts';
import { groupedNumber } from '../../terminal/numbers.ts';
import { shellWord } from '../../text/shell-word.ts';
import { uploadProgress } from './upload-progress.ts';
import type { UploadSource } from './upload-sources.ts';

/** What came of sending several files. */
export interface Sent {
  readonly rows: readonly Row[];
  /** What the command ends with after them: one could not be uploaded, and the rest was not sent. */
  readonly failure: Failure | undefined;
}

/**
 * Uploads files one after the other, up to the first that fails.
 * @param team as it was typed
 * @throws Failure where not even the first can be uploaded, and the signal's reason
 */
export async function sendDocuments(
  session: Session,
  sources: readonly UploadSource[],
  teamId: string,
  team: string,
): Promise<Sent> {
  const rows: Row[] = [];
  for (const [index, source] of sources.entries()) {
    try {
      rows.push(await sendDocument(session, source, teamId));
    } catch (thrown) {
      session.signal.throwIfAborted();
      if (!(thrown instanceof Failure) || rows.length === 0) throw thrown;
      return { rows, failure: partlyDone(thrown, sources, index, team) };
    }
  }
  return { rows, failure: undefined };
}

function partlyDone(
  failure: Failure,
  sources: readonly UploadSource[],
  index: number,
  team: string,
): Failure {
  const { kind, message, hint, details } = failure;
  // One whose answer was lost may be there: whether it has to be sent again is for its own hint to say.
  const left = sources.slice(kind === 'outcomeUnknown' ? index + 1 : index).map(({ typed }) => typed);
  const rest = `The rest: botctl docs upload ${left.map(shellWord).join(' ')} --team ${shellWord(team)}`;
  const waiting = sources.slice(index + 1).map(({ name }) => name);
  const unsent = waiting.length === 0 ? '' : ` Not sent: ${waiting.join(', ')}.`;
  return new Failure(
    'partlyDone',
    `Uploaded ${index} of ${sources.length} files. ${sources[index]?.name} failed: ${message}${unsent}`,
    {
      hint: [hint, left.length > 0 && rest].filter(Boolean).join('\n'),
      details,
      cause: failure,
    },
  );
}

/**
 * Uploads a file.
 * @throws Failure as the API
 */
export async function sendDocument(session: Session, source: UploadSource, teamId: string): Promise<Row> {
  const { api, clock, terminal, signal } = session;
  const { path, name, size, chars } = source;
  const progress = terminal.progress(`Uploading ${name}`);
  const saying = uploadProgress(name, size, clock.now);
  const onSent = (bytes: number): void => progress.update(saying(bytes));
  try {
    const call = {
      body: { team_id: teamId, chars },
      file: { path, name, type: mediaType(name), onSent },
      signal,
    };
    const { data } = await createOrLookUp(
      { api, clock, signal, onNote: terminal.note },
      { noun: 'document', name, teamId, size, chars },
      () => api.call('createDocument', call),
    );
    terminal.done(`Uploaded ${name}: ${groupedNumber(chars)} ${chars === 1 ? 'character' : 'characters'}.`);
    return data;
  } finally {
    progress.stop();
  }
}

/** Says which names documents of the team have already, or several of the files: a name then tells nothing apart. */
export async function noteNamesakes(
  session: Session,
  sources: readonly UploadSource[],
  teamId: string,
): Promise<void> {
  const names = sources.map(({ name }) => name);
  for (const name of new Set(names)) {
    const count = names.filter((other) => other === name).length;
    if (count > 1) session.terminal.note(`${count} of the files are called ${name}.`);
    if (await hasDocument(session, name, teamId))
      session.terminal.note(`The team has a document named ${name} already; this makes another one.`);
  }
}

/** Looks at the first page alone: where the service doesn't filter, knowing for sure would take too long. */
async function hasDocument({ api, signal }: Session, name: string, teamId: string): Promise<boolean> {
  try {
    for await (const page of api.pages('listDocuments', { query: { name, team_id: teamId }, signal }))
      return page.rows.some((row) => row.name === name && belongs(row, teamId));
  } catch (thrown) {
    // A note is not worth more than the upload: a service that doesn't list documents may still take one.
    if (!(thrown instanceof Failure) || !['rejected', 'notFound'].includes(thrown.kind)) throw thrown;
  }
  return false;
}
