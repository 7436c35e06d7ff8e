import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Prints the untested cases at the end of a run, by the missing requirements of the machine: see `needing`. */
export class Untested implements Reporter {
  readonly #otherTier: string | undefined;
  #isPart = false;

  /**
   * @param otherTier a line about the tests of the other command
   */
  constructor(otherTier?: string) {
    this.#otherTier = otherTier;
  }

  onInit({ config }: Vitest): void {
    this.#isPart = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = this.#isPart
      ? []
      : [...untested(modules), ...(this.#otherTier === undefined ? [] : [this.#otherTier])];
    if (lines.length > 0) process.stderr.write(`\n${lines.join('\n')}\n`);
  }
}

/** Returns the lines about the cases that a run left out. */
export function untested(modules: readonly TestModule[]): readonly string[] {
  const all = modules.flatMap((module) => [...module.children.allTests()]);
  const skipped = all.filter((test) => test.result().state === 'skipped');
  const found = new Map<string, Map<string, number>>();
  let rest = 0;
  for (const test of skipped) {
    const lacks = lackOf(test);
    if (lacks === undefined) {
      rest += 1;
      continue;
    }
    const files = found.get(lacks) ?? new Map<string, number>();
    const file = test.module.relativeModuleId;
    found.set(lacks, files.set(file, (files.get(file) ?? 0) + 1));
  }
  const lines = [...found].flatMap(([lacks, files]) => [
    `Not tested, for lack of ${lacks}:`,
    ...[...files].map(([file, count]) => `  ${file}: ${counted(count)}`),
  ]);
  return rest === 0 ? lines : [...lines, `Not tested, for another reason: ${counted(rest)}`];
}

/** Returns the missing requirement of a test: of its group, or the note with which it skipped itself while it ran. */
function lackOf(test: TestCase): string | undefined {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  for (let one: TestCase | TestCase['parent'] = test; one.type !== 'module'; one = one.parent) {
    const { lacks } = one.meta();
    if (lacks !== undefined) return lacks;
  }
  return undefined;
}

function counted(count: number): string {
  return count === 1 ? '1 case' : `${count} cases`;
}
