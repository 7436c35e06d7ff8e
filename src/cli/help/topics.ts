import type { Io } from '../../lib/io.ts';
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
  {
    name: 'install',
    summary: 'completions, the manual page, an install without the sandbox',
    load: async () => (await import('./install.ts')).installPage,
  },
  {
    name: 'names',
    summary: 'names in the place of ids, and what a slip gets',
    load: async () => (await import('./names.ts')).namesPage,
  },
  {
    name: 'numbers',
    summary: 'how phone numbers are written and compared',
    load: async () => (await import('./numbers.ts')).numbersPage,
  },
  {
    name: 'changes',
    summary: 'what is sent, and what is asked before it',
    load: async () => (await import('./changes.ts')).changesPage,
  },
  {
    name: 'scripts',
    summary: 'what a script or a CI job has to know',
    load: async () => (await import('./scripts.ts')).scriptsPage,
  },
  {
    name: 'pairing',
    summary: 'the pairing screen, its keys, its events, and what helps',
    load: async () => (await import('./pairing.ts')).pairingPage,
  },
  {
    name: 'secrets',
    summary: 'where secrets go, and the other safeguards',
    load: async () => (await import('./secrets.ts')).secretsPage,
  },
  {
    name: 'rehearsing',
    summary: 'the sandbox, its phone, and the states of a device',
    load: async () => (await import('./rehearsing.ts')).rehearsingPage,
  },
  {
    name: 'specification',
    summary: 'what the service leaves open, and what is done about it',
    load: async () => (await import('./specification.ts')).specificationPage,
  },
  {
    name: 'identity',
    summary: 'profiles, protection, and another key',
    load: async () => (await import('./identity.ts')).identityPage,
  },
];
