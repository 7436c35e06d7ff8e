import { setFlagsFromString } from 'node:v8';

/** A flag of V8 as it is to be, and as it is by itself. */
type Flag = readonly [set: string, unset: string];

const major = Number.parseInt(process.versions.node, 10);

export const isNode20 = major === 20;

const wasmBudgets: Readonly<Record<number, number>> = {
  20: 1_800_000,
  22: 13_000_000,
  24: 13_000_000,
  25: 13_000_000,
  26: 13_000_000,
};

/**
 * How much of a function of WebAssembly runs before V8 by itself compiles it a second time. Undefined in versions of Node that
 * were not tried: they may not know the flag, and would say so.
 */
const ownWasmBudget: number | undefined = wasmBudgets[major];

/** What unsets the flags that are set. */
const taken = new Set<string>();

let wasmBudget: number | undefined;

/** Sets flags of V8 that are not set yet, until the process exits; on Node 20 alone, whose flags and effects they are. */
export function setV8Flags(flags: readonly Flag[]): void {
  if (!isNode20) return;
  for (const [set, unset] of flags) if (!taken.has(unset)) take(set, unset);
}

/**
 * Has V8 compile a function of WebAssembly a second time, optimised, only after more of it has run than it does by itself,
 * in modules that are made from now on. The first budget holds until the process exits.
 * Does nothing in versions of Node that were not tried.
 * @param budget about the bytes of a function that are run
 */
export function delayWasmCompiler(budget: number): void {
  if (ownWasmBudget === undefined || wasmBudget !== undefined) return;
  wasmBudget = budget;
  take(wasmBudgetFlag(budget), wasmBudgetFlag(ownWasmBudget));
}

function wasmBudgetFlag(budget: number): string {
  return `--wasm-tiering-budget=${budget}`;
}

/**
 * Sets a flag. When the process exits it is as it was at the start before anything else happens: compiled code is kept for the
 * next start, and is of use only under the flags it was kept with.
 */
function take(set: string, unset: string): void {
  if (taken.size === 0) process.prependOnceListener('exit', unsetAll);
  taken.add(unset);
  setFlagsFromString(set);
}

function unsetAll(): void {
  for (const unset of taken) setFlagsFromString(unset);
}

/**
 * Lets V8 take no more memory for what it has just made than it has by now, for work that goes through very much and keeps
 * little of it. A list of 100,000 bots takes 92 MiB so on Node 20, and 110 otherwise, for as much CPU.
 */
export function keepYoungGenerationSmall(): void {
  setV8Flags([['--semi-space-growth-factor=1', '--semi-space-growth-factor=2']]);
}

/**
 * Keeps the young generation small, and lets the rest of the heap grow by half as much again as is in it. A campaign of
 * 1,000,000 rows in a database took 74 MiB more than one of 1,000 otherwise, and takes 38 to 57 so, for a tenth more of CPU.
 */
export function keepHeapSmall(): void {
  keepYoungGenerationSmall();
  setV8Flags([['--heap-growing-percent=50', '--heap-growing-percent=0']]);
}
