import { defineCommand } from '../../cli/command.ts';
import { askYesNo, isPreconfirmed } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import { asFailure, Failure, usageFailure } from '../../lib/errors.ts';
import { type CommandLine, command, joinRemarks, remark, remarkText } from '../../lib/text/remark.ts';
import { updateOutput, updateRow } from '../../output/field-changes.ts';
import type { Row } from '../../output/fields.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import {
  type Changes,
  changesOf,
  changesTo,
  checkBotInput,
  checkUnpublished,
  checkUntouched,
  sendChanges,
} from '../../resources/bots/changes.ts';
import { readDocumentNames } from '../../resources/bots/document-names.ts';
import { readBot, readBotById } from '../../resources/bots/read-bot.ts';
import { loadPaint } from '../../terminal/colour.ts';
import { readBotInputText } from './bot-input.ts';
import { confirmChanges } from './confirm-changes.ts';
import { drawChanges } from './draw-changes.ts';
import { annotateProblems, createEditFile, type EditFile, editFileText, isBlank } from './edit-file.ts';
import { findEditor, openEditor } from './editor.ts';
import { botDetailFields } from './fields.ts';
import { botArgument, teamOption } from './options.ts';

export const edit = defineCommand({
  name: 'edit',
  summary: 'Change a bot in your editor',
  description:
    'Opens the editable fields as YAML in $VISUAL or $EDITOR. After you close the editor, botctl checks the file, ' +
    'shows the changes, asks for confirmation, and sends only the changed fields. If anything fails, your text is ' +
    'saved and its path is shown.',
  arguments: { bot: botArgument },
  options: { team: teamOption },
  examples: [
    { line: 'botctl bots edit "Front desk"', does: 'Change a bot in your editor' },
    { line: 'botctl bots edit "Front desk" --yes', does: 'Send the changes without a question' },
  ],
  needs: 'api',
  effect: 'changes',
  allow: ['unpublish', 'duplicate'],
  output: updateOutput(botDetailFields),
  async prepare(session, { bot: name, team }) {
    const { api, io, prompts } = session;
    if (!prompts.available) {
      throw usageFailure(
        ['bots edit opens an editor, so it needs a terminal with prompts.'],
        remark`Edit a file instead: ${command('bots', 'get', name, '--editable')} > bot.yaml, then ${command('bots', 'update', name, '--file', 'bot.yaml')}`,
      );
    }
    const editor = findEditor(io.env, name);
    const bot = await readBot(session, name, team);
    return { editor, bot, text: await editFileText(bot, await readDocumentNames(api, bot)) };
  },
  async run(session, _input, { editor, bot, text }) {
    const editFile = createEditFile(session.settings.paths.data, bot.label, text);
    try {
      const changes = await write(session, editor, editFile, text, bot);
      const row = await send(session, bot, changes);
      editFile.remove();
      return row;
    } catch (thrown) {
      throw keptTextFailure(text, editFile, bot, thrown);
    }
  },
});

/**
 * Opens the editor until the text is valid.
 * @param original the initial text of the edit file
 * @throws Failure as `openEditor`, and for an invalid text that the user does not correct
 */
async function write(
  session: Session,
  editor: string,
  editFile: EditFile,
  original: string,
  bot: Bot,
): Promise<Changes> {
  const { api, io, options, prompts, terminal } = session;
  for (;;) {
    await openEditor(editor, editFile.path, bot.id, io);
    const text = editFile.read();
    if (isBlank(text)) throw new Failure('declined', 'The file is empty. Nothing was sent.');
    if (text === original) return changesTo(bot, {});
    try {
      const fields = await checkBotInput(await readBotInputText(text));
      return await changesOf(api, bot, fields, undefined);
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !(thrown.isWrongInput || thrown.kind === 'notFound')) throw thrown;
      const problems = joinRemarks([thrown.message, thrown.kind === 'notFound' && thrown.hint]) ?? '';
      terminal.warn(problems);
      if (!(await prompts.yes({ message: 'Edit it again?', option: '--file', fallback: true }))) throw thrown;
      editFile.write(annotateProblems(text, remarkText(problems, options).split('\n')));
    }
  }
}

/**
 * Shows the changes, asks, checks that no other user changed the bot in the meantime, and sends them. If there are none, a
 * terminal prints no bot: the user has just seen it.
 */
async function send(session: Session, bot: Bot, changes: Changes): Promise<Row | undefined> {
  const { api, io, terminal } = session;
  if (changes.list.length === 0) {
    terminal.note('No changes. Nothing was sent.');
    return updateRow(session, bot.raw, []);
  }
  const paint = await loadPaint(terminal.colorLevel);
  const names = { before: `${bot.label} now`, after: 'after your edit' };
  io.stderr.write(await drawChanges(changes.list, names, paint));
  const usual = { level: 'yes', statement: '', question: `Send this to ${bot.label}?` } as const;
  if (!(await askYesNo((await confirmChanges(session, bot, changes)) ?? usual, session))) {
    throw new Failure('declined', 'Nothing was sent.');
  }
  const fresh = await readBotById(api, bot.id);
  checkUnpublished(bot, fresh, isPreconfirmed('unpublish', session));
  checkUntouched(session, bot, fresh, changes);
  return updateRow(session, (await sendChanges(session, fresh, changes)).raw, changes.list);
}

/** Returns the failure, with where the text is and how to go on. A text that wasn't changed is removed. */
function keptTextFailure(text: string, editFile: EditFile, bot: Bot, thrown: unknown): unknown {
  if (isUnchanged(text, editFile)) {
    editFile.remove();
    return thrown;
  }
  const failure = asFailure(thrown);
  const kept = `Your text is saved in ${editFile.path}`;
  const line = (verb: string): CommandLine => command('bots', verb, bot.id, '--file', editFile.path);
  const isWrong = failure.isWrongInput || failure.kind === 'notFound';
  const next = isWrong
    ? remark`Correct it there, then send it: ${line('update')}`
    : remark`See what it would change: ${line('diff')}\nSend it: ${line('update')}`;
  return failure.withHint(joinRemarks([failure.hint, kept, next]));
}

/** Returns whether removing an edit file would lose nothing. */
function isUnchanged(text: string, editFile: EditFile): boolean {
  try {
    const now = editFile.read();
    return now === text || isBlank(now);
  } catch (error) {
    if (error instanceof Failure) return true;
    throw error;
  }
}
