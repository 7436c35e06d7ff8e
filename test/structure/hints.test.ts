import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/commands/branches.ts';

const source = fileURLToPath(new URL('../../src', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

const nouns = [...new Set((await allCommands()).map(({ path }) => path.split(' ')[0] ?? '')), 'help'];

/** What looks like the beginning of a command line, in a text or before a value that goes on with it. */
const commandLine = new RegExp(String.raw`\bbotctl (?:(?:${nouns.join('|')})\b|--|…|<|$)`);

/** What a file has that has a command line in a text, or `botctl` as a word: the others need not be parsed. */
const mayHaveLines = new RegExp(
  String.raw`\bbotctl (?:(?:${nouns.join('|')})\b|--|…|<|["'\`$\\])|(["'\`])botctl\1`,
);

/** Where a person reads about commands: what a command declares of itself. */
const declared = ['description', 'summary', 'line', 'does'];

/** The pages of help, and what is written when botctl is built. A failure or a remark in there counts all the same. */
const pages = /^(?:cli\/help|build)\//;

/** Texts that only look like a command line, and what they are. */
const others: Readonly<Record<string, string>> = {
  'botctl sandbox': 'the salt of a key of the sandbox',
  'botctl ': 'the version of botctl, as doctor finds it',
};

/** Command lines that are written into texts: `path:line text`. They should be `command()` in a `remark`. */
function proseIn(path: string, code: string): readonly string[] {
  if (!mayHaveLines.test(code)) return [];
  const found: string[] = [];
  const file = ts.createSourceFile(
    path,
    code,
    { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone },
    true,
  );
  const visit = (node: ts.Node, isPage: boolean): void => {
    if (ts.isPropertyAssignment(node) && declared.includes(node.name.getText(file))) return;
    const isTold =
      (ts.isNewExpression(node) && node.expression.getText(file) === 'Failure') ||
      (ts.isTaggedTemplateExpression(node) && node.tag.getText(file) === 'remark');
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    const isWord = isText && node.text === 'botctl' && ts.isArrayLiteralExpression(node.parent);
    if (isText && !isPage && (isWord || commandLine.test(node.text))) {
      found.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1} ${node.text}`);
    }
    ts.forEachChild(node, (child) => visit(child, isPage && !isTold));
  };
  visit(file, pages.test(path));
  return found;
}

const textOf = (found: string): string => found.replace(/^\S+ /, '');

describe('a command line that a person or a script is told', () => {
  it.each([
    ['a string', `note('Look: botctl teams list')`],
    ['a template', `note(\`Look: botctl --profile \${name} teams list\`)`],
    ['a template that goes on with a value', `note(\`Look: botctl \${words}\`)`],
    ['the text of a remark', `remark\`Look: botctl help \${topic}, and go on.\``],
    ['an array of words', `['botctl', ...words].join(' ')`],
  ])('is found in %s', (_, code) => {
    expect(proseIn('commands/some.ts', code)).toHaveLength(1);
  });

  it.each([
    ['what is data', 'commands/some.ts', `remark\`Look: \${command('teams', 'list')}\``, 0],
    ['prose about botctl', 'commands/some.ts', `note('botctl applies it here.')`, 0],
    ['the example of a command', 'commands/some.ts', `[{ line: 'botctl teams list', does: 'List them' }]`, 0],
    ['a page of help', 'cli/help/some.ts', `page('See botctl help output.')`, 0],
    ['a failure on a page of help', 'cli/help/some.ts', `new Failure('usage', 'See botctl help output.')`, 1],
  ])('takes %s for what it is', (_, path, code, count) => {
    expect(proseIn(path, code)).toHaveLength(count);
  });

  it('is data, so that it can be given a profile and be run: `command()` in a `remark`', () => {
    const found = files
      // It makes the text of a command line of its words.
      .filter((path) => path !== 'lib/text/remark.ts')
      .flatMap((path) => proseIn(path, readFileSync(join(source, path), 'utf8')));
    expect(found.filter((one) => !(textOf(one) in others))).toEqual([]);
    expect(Object.keys(others).filter((text) => !found.some((one) => textOf(one) === text))).toEqual([]);
  });
});
