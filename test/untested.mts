import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Prints at the end of a run what it did not test, by what the machine lacks: see `needing`. */
export class Untested implements Reporter {
  /** Files that run once more with something, by what that is. */
  readonly #others: ReadonlyMap<string, readonly string[]>;
  #isPart = false;

  /** @param others files that run once more with what is named, and that this run leaves out */
  constructor(others: Readonly<Record<string, readonly string[]>> = {}) {
    this.#others = new Map(Object.entries(others));
  }

  onInit({ config }: Vitest): void {
    this.#isPart = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = this.#isPart ? [] : untested(modules, this.#others);
    if (lines.length > 0) process.stderr.write(`\n${lines.join('\n')}\n`);
  }
}

/** Returns the lines about what a run left out. */
export function untested(
  modules: readonly TestModule[],
  others: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const all = modules.flatMap((module) => [...module.children.allTests()]);
  // The same test may run in another project that has what it needs.
  const ran = new Set(all.filter((test) => test.result().state !== 'skipped').map(keyOf));
  const skipped = all.filter((test) => test.result().state === 'skipped' && !ran.has(keyOf(test)));
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
  const needed = [...new Set([...found.keys(), ...others.keys()])].flatMap((lacks) => [
    `Not tested, for lack of ${lacks}:`,
    ...[...(found.get(lacks) ?? [])].map(([file, count]) => `  ${file}: ${counted(count)}`),
    ...(others.has(lacks) ? [`  ${others.get(lacks)?.length} files that run once more with it`] : []),
  ]);
  return rest === 0
    ? needed
    : [...needed, `Not tested, as npm run test:long or another system does it: ${counted(rest)}`];
}

function keyOf(test: TestCase): string {
  return `${test.module.moduleId} ${test.fullName}`;
}

/** A group has it for all that is in it; a test that finds it out while it runs says it as it skips itself. */
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
