/** Node 20 compiles earlier and oftener than its successors do. */
const compilesEarly = process.versions.node.startsWith('20.');

/**
 * Options of the processes that run the tests. They run much code a few times each: compiling it well, as Node does
 * by itself, costs more than it saves.
 */
export const workerOptions: string[] = [
  '--max-semi-space-size=32',
  ...(compilesEarly ? ['--interrupt-budget=500000'] : []),
];

/** The same for those that run many files, whose garbage may stay: collecting a heap of 100 MB that only grows is mostly in vain. */
export const manyFilesOptions: string[] = [
  ...workerOptions,
  ...(compilesEarly ? ['--initial-old-space-size=500', '--no-memory-reducer'] : []),
];
