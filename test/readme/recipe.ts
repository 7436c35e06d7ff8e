import { shellWords } from '../every-command/line.ts';
import { botctl, type Ran } from '../support/botctl.ts';

/** What a script came to: how its last command ended, and what they all said. */
export interface RecipeRan extends Pick<Ran, 'exitCode' | 'stderr'> {
  /** What the script keeps in variables. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Runs a script in this process, as `sh` does under `set -e`: its lines are calls of botctl, alone or in `name=$(…)`, and
 * it ends with the first that fails. It takes a fraction of what the processes take; that the script says the same to a
 * real shell is for another test.
 * @param args what stands for $1, $2, …
 */
export async function runRecipe(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RecipeRan> {
  const variables: Record<string, string> = Object.fromEntries(args.map((arg, at) => [String(at + 1), arg]));
  let stderr = '';
  for (const line of script.replaceAll(/\\\n\s*/g, '').split('\n')) {
    const [, name, call] = /^(?:(\w+)=\$\()?(botctl .*?)\)?\s*(?:#.*)?$/.exec(line) ?? [];
    if (call === undefined) {
      if (/^(?:#.*|set -eu|)$/.test(line)) continue;
      throw new Error(`a script is more than calls of botctl: ${line}`);
    }
    // In single quotes a value is taken as it is, as the shell does with what "$name" holds.
    const filled = call.replaceAll(/"\$(\w+)"/g, (_, some: string) => {
      const value = variables[some];
      if (value === undefined) throw new Error(`nothing sets $${some}`);
      return `'${value.replaceAll("'", `'\\''`)}'`;
    });
    const [, ...words] = shellWords(filled, {});
    const ran = await botctl(['--error-format', 'json', ...words], { env });
    stderr += ran.stderr;
    if (ran.exitCode !== 0) return { exitCode: ran.exitCode, stderr, variables };
    if (name !== undefined) variables[name] = ran.stdout.replace(/\n+$/, '');
  }
  return { exitCode: 0, stderr, variables };
}
