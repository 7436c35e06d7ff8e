import { realpathSync, statSync } from 'node:fs';
import { type Command, defineCommand } from '../../cli/command.ts';
import { flag, manyOptions, option, optionOr, path } from '../../cli/options.ts';
import { Failure, usageFailure } from '../../lib/errors.ts';
import { readFailure } from '../../lib/files/file-failure.ts';
import { integer, nonEmptyText, type Parse, ValueError } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { type WriteKind, writeKinds } from '../../mcp/tools.ts';

const kinds: Parse<readonly WriteKind[]> = (raw) =>
  raw.split(',').map((typed) => {
    const found = writeKinds.find((kind) => kind === typed.trim());
    if (found === undefined) throw new ValueError(`must be some of ${writeKinds.join(', ')}, not "${typed}"`);
    return found;
  });

const host: Parse<string> = (raw) => {
  const typed = nonEmptyText(raw).toLowerCase();
  const isHost =
    /^[a-z\d.[\]:-]+$/.test(typed) &&
    URL.canParse(`https://${typed}`) &&
    new URL(`https://${typed}`).host === typed;
  if (!isHost) throw new ValueError(`must be a host such as shop.example or shop.example:8443, not "${raw}"`);
  return typed;
};

/** Returns the command that serves tools. @param findCommand returns the declaration of a command by its words */
export function mcpCommand(findCommand: (words: string) => Promise<Command | undefined>): Command {
  return defineCommand({
    name: 'mcp',
    summary: 'Serve botctl to an AI assistant',
    description:
      'Serves tools of the Model Context Protocol (MCP) on stdin and stdout, for one profile. The assistant can ' +
      'read, and change only what --allow-writes names. It never gets secrets, pairing codes or files outside of ' +
      '--root. More: botctl help mcp',
    options: {
      allowWrites: manyOptions(
        '--allow-writes <kinds>',
        `what the assistant may change: ${writeKinds.join(', ')}`,
        kinds,
      ),
      allowHost: manyOptions(
        '--allow-host <host>',
        'host that HTTP actions of bots may call, and from which images may be sent',
        host,
      ),
      root: option('--root <folder>', 'folder whose files may be uploaded, with --allow-writes docs', path),
      maxWrites: optionOr(
        '--max-writes <number>',
        'maximum number of changes until the server is restarted',
        20,
        integer({ min: 1 }),
      ),
      showNumbers: flag('--show-numbers', 'show whole phone numbers to the assistant'),
    },
    examples: [
      { line: 'botctl mcp', does: 'Let the assistant read' },
      {
        line: 'botctl mcp --allow-writes bots,docs --root /home/ana/manuals',
        does: 'Let it change bots, and upload files of a folder',
      },
    ],
    needs: 'identity',
    effect: 'reads',
    output: { kind: 'nothing' },
    checkInput({ allowWrites = [], allowHost = [], root }) {
      const writes = new Set(allowWrites.flat());
      const problems = [
        root !== undefined && !writes.has('docs') && '--root needs --allow-writes docs.',
        writes.has('actions') && allowHost.length === 0 && '--allow-writes actions needs --allow-host.',
        allowHost.length > 0 &&
          !writes.has('actions') &&
          !writes.has('send') &&
          '--allow-host needs --allow-writes actions or send.',
      ].filter((problem) => problem !== false);
      if (problems.length > 0) throw usageFailure(problems);
    },
    async run(context, { allowWrites, allowHost, root, maxWrites, showNumbers }) {
      const { identity, terminal, io } = context;
      if (io.stdin.isTTY)
        throw new Failure(
          'usage',
          'The program of an assistant starts this command, and speaks to it on stdin.',
          {
            hint: remark`How to set it up: ${command('help', 'mcp')}`,
          },
        );
      const writes = new Set(allowWrites.flat());
      if (writes.size > 0 && identity.settings?.protected)
        throw new Failure(
          'usage',
          `Profile ${identity.profile} is protected, so an assistant can't change anything.`,
          {
            hint: 'Leave out --allow-writes, or use another profile.',
          },
        );
      const folder = root === undefined ? undefined : realFolder(root);
      const allowed = writes.size === 0 ? 'it can only read' : `it can change: ${[...writes].join(', ')}`;
      terminal.note(
        `Serving ${identity.profile ?? 'the key of the environment'} to an assistant; ${allowed}.`,
      );
      const { serve } = await import('../../mcp/server.ts');
      await serve(context, {
        findCommand,
        writes,
        maxWrites,
        showsNumbers: showNumbers,
        hosts: new Set(allowHost),
        root: folder,
      });
    },
  });
}

/** @throws Failure `invalidInput` */
function realFolder(folder: string): string {
  try {
    const found = realpathSync(folder);
    if (statSync(found).isDirectory()) return found;
  } catch (error) {
    throw readFailure(folder, error);
  }
  throw new Failure('invalidInput', `${folder} is not a folder.`);
}
