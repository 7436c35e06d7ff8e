import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files in which all names are their own, or objects inherit nothing. */
const exempt: Readonly<Record<string, string>> = {
  'src/cli/check-input.ts': 'writes what the command declares',
  'src/cli/commander-input.ts': 'reads and writes what the command declares',
  'src/cli/questions.ts': 'writes what the command declares',
  'src/commands/api/body.ts': 'makes objects that inherit nothing',
  'src/contract/find.ts': 'writes what our own templates name',
  'src/contract/openapi.ts': 'writes the methods of our own endpoints',
  'src/database/sqlite-driver.ts': 'converts the columns of our own statements',
};

/** Returns the source files with their types. */
function loadSource(): ts.Program {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return ts.createProgram(
    fileNames.filter((name) => name.startsWith(`${root}src/`) && !name.startsWith(`${root}src/build/`)),
    options,
  );
}

/** Returns each access to a member whose name is any text, with its line. */
function membersOfAnyName(program: ts.Program): readonly string[] {
  const checker = program.getTypeChecker();
  const isAnyText = (node: ts.Expression): boolean => {
    const type = checker.getTypeAtLocation(node);
    const parts = type.isUnion() ? type.types : [type];
    return parts.some(({ flags }) => (flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) !== 0);
  };
  /**
   * Returns whether an access is checked as in `Object.hasOwn(a, b) ? a[b] : …`, which is equivalent to ownMember().
   */
  const isLookedAt = (node: ts.Node): boolean =>
    ts.isElementAccessExpression(node) &&
    ts.isConditionalExpression(node.parent) &&
    node.parent.condition.getText() ===
      `Object.hasOwn(${node.expression.getText()}, ${node.argumentExpression.getText()})`;
  const isIn = (node: ts.Node): node is ts.BinaryExpression =>
    ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword;
  const found: string[] = [];
  for (const file of program.getSourceFiles()) {
    const path = relative(root, file.fileName);
    if (file.isDeclarationFile || !path.startsWith('src/') || Object.hasOwn(exempt, path)) continue;
    const visit = (node: ts.Node): void => {
      const name = ts.isElementAccessExpression(node)
        ? node.argumentExpression
        : isIn(node)
          ? node.left
          : undefined;
      if (name && isAnyText(name) && !isLookedAt(node)) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        found.push(`${path}:${line + 1} ${node.getText()}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

// Checking the types of the whole source takes ten seconds.
it('an external member name is read with ownMember() or from a Map, never from a prototype', () => {
  expect(membersOfAnyName(loadSource())).toEqual([]);
});
