import { defineCommand, type Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { asFailure, Failure, usageFailure } from '../../errors.ts';
import { loadPaint } from '../../terminal/colour.ts';
import { shellWord } from '../../text/shell-word.ts';
import {
  type Changes,
  changesOf,
  checkUnpublished,
  drawChanges,
  sendChanges,
  unpublishing,
  warnIfHidden,
} from './changes.ts';
import { createDraft, type Draft, draftText, isBlank, withProblems } from './draft.ts';
import { editableOf, isSameValue } from './editable.ts';
import { findEditor, openEditor } from './editor.ts';
import { botDetailFields } from './fields.ts';
import { botArgument, teamOption } from './named.ts';
import { type BotDetail, labelOf, readBot, readDocuments } from './read.ts';
import { writtenText } from './written.ts';

export const edit = defineCommand({
  name: 'edit',
  summary: 'Change a bot in your editor',
  description:
    'Opens what can be written of the bot as YAML in $VISUAL or $EDITOR, checks it, shows what changes, asks, ' +
    'and sends only that. Where anything fails, your text is kept, and you are told where.',
  arguments: { bot: botArgument },
  options: { team: teamOption },
  examples: [
    { line: 'botctl bots edit "Front desk"', does: 'Change a bot in the editor that you always use' },
    { line: 'botctl bots edit "Front desk" --yes', does: 'Send the changes unasked' },
  ],
  needs: 'session',
  effect: 'changes',
  output: { kind: 'record', fields: botDetailFields },
  async prepare({ api, io, prompts, signal }, { bot, team }) {
    if (!prompts.available) {
      throw usageFailure(
        ['bots edit opens an editor, and needs a terminal where questions may be asked.'],
        `Write a file and send it: botctl bots get ${shellWord(bot)} --editable > bot.yaml, then botctl bots update ${shellWord(bot)} --file bot.yaml`,
      );
    }
    const editor = findEditor(io.env);
    const present = await readBot(api, bot, { for: 'write', team });
    const { document_ids: ids } = editableOf(present);
    const documents = await readDocuments(api, Array.isArray(ids) ? ids.map(String) : [], signal);
    return { editor, present, text: await draftText(present, documents) };
  },
  async run(session, _input, { editor, present, text }) {
    const draft = createDraft(session.settings.paths.data, labelOf(present), text);
    try {
      const changes = await write(session, editor, draft, present);
      const bot = await send(session, present, changes);
      draft.remove();
      return bot;
    } catch (thrown) {
      throw keptUnless(text, draft, present, thrown);
    }
  },
});

/**
 * Lets a person write until it is right.
 * @throws Failure as `openEditor`; of what is wrong, where the person leaves it so
 */
async function write(session: Session, editor: string, draft: Draft, present: BotDetail): Promise<Changes> {
  const { api, io, prompts, terminal } = session;
  for (;;) {
    await openEditor(editor, draft.path, io);
    const text = draft.read();
    if (isBlank(text)) throw new Failure('declined', 'The file says nothing. Nothing was sent.');
    try {
      return await changesOf(api, present, await writtenText(text));
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !['usage', 'notFound'].includes(thrown.kind)) throw thrown;
      const problems = [thrown.message, thrown.kind === 'notFound' ? (thrown.hint ?? '') : ''].filter(
        Boolean,
      );
      terminal.warn(problems.join('\n'));
      if (!(await prompts.yes({ message: 'Edit it again?', option: '--file' }))) throw thrown;
      draft.write(withProblems(text, problems.join('\n').split('\n')));
    }
  }
}

/**
 * Shows the changes, asks, looks whether somebody else changed the bot meanwhile, and sends them. Where there
 * are none, a person has just seen the bot.
 */
async function send(session: Session, present: BotDetail, changes: Changes): Promise<Row | undefined> {
  const { api, io, options, prompts, signal, terminal } = session;
  if (changes.list.length === 0) {
    terminal.note('Nothing to change: nothing was sent.');
    return io.stdout.isTTY && options.output === undefined ? undefined : present;
  }
  const paint = await loadPaint(terminal.colorLevel);
  const names = { before: `${labelOf(present)} as it is`, after: 'as you wrote it' };
  io.stderr.write(await drawChanges(changes.list, names, paint));
  const question = unpublishing(present, changes)?.question ?? `Send this to ${labelOf(present)}?`;
  warnIfHidden(session, present, changes);
  if (!options.yes && !(await prompts.yes({ message: question, option: '--yes' }))) {
    throw new Failure('declined', 'Nothing was sent.');
  }
  const { data: fresh } = await api.call('getBot', { path: { id: present.id }, signal });
  checkUntouched(session, present, fresh, changes);
  return sendChanges(session, fresh, changes);
}

/**
 * Says what somebody else changed since the editor was opened.
 * @throws Failure `rejected` where that is what would be overwritten
 */
function checkUntouched(
  { options, terminal }: Session,
  present: BotDetail,
  fresh: BotDetail,
  { list }: Changes,
): void {
  checkUnpublished(present, fresh, options.yes);
  const [before, now] = [editableOf(present), editableOf(fresh)];
  const touched = Object.keys({ ...before, ...now }).filter(
    (field) => !isSameValue(field, before[field], now[field]),
  );
  const lost = list.filter(({ field, to }) => touched.includes(field) && !isSameValue(field, to, now[field]));
  if (lost.length > 0) {
    const fields = lost.map(({ field }) => field).join(', ');
    throw new Failure(
      'rejected',
      `Somebody else changed ${fields} of ${labelOf(fresh)} meanwhile. Nothing was sent.`,
    );
  }
  if (touched.length > 0) {
    terminal.note(`Somebody else changed ${touched.join(', ')} meanwhile; that stays.`);
  } else if (present.updated_at !== fresh.updated_at) {
    terminal.note(`${labelOf(fresh)} was changed meanwhile, in nothing that can be edited.`);
  }
}

/** The failure, with where the text is and how to go on. A text that nobody changed goes away. */
function keptUnless(text: string, draft: Draft, present: BotDetail, thrown: unknown): unknown {
  const failure = asFailure(thrown);
  if (isAsItWas(text, draft)) {
    draft.remove();
    return thrown;
  }
  const kept = `Your text is kept in ${draft.path}`;
  const file = `${present.id} --file ${shellWord(draft.path)}`;
  const next = `See what it would change: botctl bots diff ${file}\nSend it: botctl bots update ${file}`;
  const { kind, message, code, status, details } = failure;
  const hint = [failure.hint, kept, next].filter(Boolean).join('\n');
  return new Failure(kind, message, { hint, code, status, details, cause: failure });
}

/** Whether a draft has nothing in it that would be lost. */
function isAsItWas(text: string, draft: Draft): boolean {
  try {
    const now = draft.read();
    return now === text || isBlank(now);
  } catch (error) {
    if (error instanceof Failure) return true;
    throw error;
  }
}
