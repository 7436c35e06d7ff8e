import type { Io } from '../io.ts';
import type { HelpPage } from './text.ts';

/** Something that `botctl help` explains beside the commands. */
export interface Topic {
  readonly name: string;
  /** What it explains, in a few words. */
  readonly summary: string;
  /** Its page. Loaded when it is asked for. */
  load(env: Io['env']): Promise<HelpPage>;
}

/** Every topic, in the order in which they are listed. */
export const topics: readonly Topic[] = [
  {
    name: 'options',
    summary: 'the options that every command takes',
    load: async () => (await import('./options.ts')).optionsPage,
  },
  {
    name: 'output',
    summary: 'formats, fields and streams, for people and for scripts',
    load: async () => (await import('./output.ts')).outputPage,
  },
  {
    name: 'exit-codes',
    summary: 'what each exit code means',
    load: async () => (await import('./exit-codes.ts')).exitCodesPage,
  },
  {
    name: 'environment',
    summary: 'the variables that botctl reads',
    load: async () => (await import('./environment.ts')).environmentPage,
  },
  {
    name: 'files',
    summary: 'what botctl keeps on this machine, and where',
    load: async (env) => (await import('./files.ts')).filesPage(env),
  },
];
