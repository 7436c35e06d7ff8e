import type { Io } from '../../lib/io.ts';
import type { HelpPage } from './text.ts';

/** A topic of `botctl help`. */
export interface Topic {
  /** The heading for the list of topics. */
  readonly group: 'Using botctl' | 'Doing the work' | 'The service';
  readonly name: string;
  /** Its subject, in a few words. */
  readonly summary: string;
  /** Loads its page. */
  load(env: Io['env']): Promise<HelpPage>;
}

type Text = () => Promise<{ readonly default: string }>;

/** The topics by group: a summary, and the text. */
const pages: readonly (readonly [Topic['group'], Readonly<Record<string, readonly [string, Text]>>])[] = [
  [
    'Using botctl',
    {
      output: ['formats, fields and the options of every command', () => import('./topics/output.md?raw')],
      'exit-codes': ['exit codes and error codes', () => import('./topics/exit-codes.md?raw')],
      environment: ['installation, files and variables', () => import('./topics/environment.md?raw')],
      names: ['names instead of ids, and phone numbers', () => import('./topics/names.md?raw')],
      scripts: ['questions, retries, several names, changes', () => import('./topics/scripts.md?raw')],
      security: ['profiles, protection and secrets', () => import('./topics/security.md?raw')],
      stability: ['what a version promises', () => import('./topics/stability.md?raw')],
    },
  ],
  [
    'Doing the work',
    {
      documents: ['count and upload files, sync a folder', () => import('./topics/documents.md?raw')],
      tenants: ['teams as files: form, variables, plan, apply, CI', () => import('./topics/tenants.md?raw')],
      campaigns: [
        'messages to a list: rows, pace, states, several hosts',
        () => import('./topics/campaigns.md?raw'),
      ],
      pairing: [
        'the pairing screen, its keys and events, and the device book',
        () => import('./topics/pairing.md?raw'),
      ],
      desk: ['devices and their history shared by several people', () => import('./topics/desk.md?raw')],
      mcp: ['what an AI assistant may do, and what never', () => import('./topics/mcp.md?raw')],
    },
  ],
  [
    'The service',
    {
      sandbox: ['faults, the phone, copies, operation', () => import('./topics/sandbox.md?raw')],
      specification: [
        'what the service leaves open, and what is done about it',
        () => import('./topics/specification.md?raw'),
      ],
    },
  ],
];

/** Every topic, in the order of the list below the heading of its group. */
export const topics: readonly Topic[] = pages.flatMap(([group, texts]) =>
  Object.entries(texts).map(([name, [summary, text]]) => ({
    group,
    name,
    summary,
    load: async (env) => {
      const { readPage } = await import('./page.ts');
      const { findPaths } = await import('../../settings/paths.ts');
      return readPage((await text()).default, findPaths(env));
    },
  })),
);
