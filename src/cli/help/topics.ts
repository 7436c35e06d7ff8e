import type { Io } from '../../lib/io.ts';
import type { HelpPage } from './text.ts';

/** Something that `botctl help` explains beside the commands. */
export interface Topic {
  readonly name: string;
  /** Its subject, in a few words. */
  readonly summary: string;
  /** Returns its page, which is loaded only then. */
  load(env: Io['env']): Promise<HelpPage>;
}

/** Every topic, in the order in which they are listed. */
export const topics: readonly Topic[] = [
  topic('options', 'the options that every command takes', () => import('./topics/options.md?raw')),
  topic(
    'output',
    'formats, fields and streams, for people and for scripts',
    () => import('./topics/output.md?raw'),
  ),
  topic('exit-codes', 'what each exit code means', () => import('./topics/exit-codes.md?raw')),
  topic('environment', 'the variables that botctl reads', () => import('./topics/environment.md?raw')),
  topic('files', 'what botctl keeps on this machine, and where', () => import('./topics/files.md?raw')),
  topic('install', 'completions, optional packages', () => import('./topics/install.md?raw')),
  topic('names', 'names in the place of ids, and what a slip gets', () => import('./topics/names.md?raw')),
  topic('numbers', 'how phone numbers are written and compared', () => import('./topics/numbers.md?raw')),
  topic(
    'counting',
    'how the characters of documents are counted, and of which files',
    () => import('./topics/counting.md?raw'),
  ),
  topic(
    'uploading',
    'how files become documents, each once, whatever happens',
    () => import('./topics/uploading.md?raw'),
  ),
  topic('syncing', 'how a folder is brought into a team', () => import('./topics/syncing.md?raw')),
  topic(
    'recipients',
    'lists of recipients, their numbers and their messages',
    () => import('./topics/recipients.md?raw'),
  ),
  topic(
    'sending',
    'how fast campaigns are sent, and what is known of each message',
    () => import('./topics/sending.md?raw'),
  ),
  topic('changes', 'what is sent, and what is asked before it', () => import('./topics/changes.md?raw')),
  topic(
    'tenant-files',
    'whole tenants as files: their form, variables, many alike',
    () => import('./topics/tenant-files.md?raw'),
  ),
  topic(
    'tenants-ci',
    'tenants planned and applied by GitHub Actions and GitLab CI',
    () => import('./topics/tenants-ci.md?raw'),
  ),
  topic('scripts', 'what a script or a CI job has to know', () => import('./topics/scripts.md?raw')),
  topic(
    'pairing',
    'the pairing screen, its keys, its events, and what helps',
    () => import('./topics/pairing.md?raw'),
  ),
  topic('secrets', 'where secrets go, and the other safeguards', () => import('./topics/secrets.md?raw')),
  topic(
    'rehearsing',
    'the sandbox, its phone, and the states of a device',
    () => import('./topics/rehearsing.md?raw'),
  ),
  topic(
    'operating',
    'the sandbox as a service for others: proxy, health, backups',
    () => import('./topics/operating.md?raw'),
  ),
  topic(
    'specification',
    'what the service leaves open, and what is done about it',
    () => import('./topics/specification.md?raw'),
  ),
  topic('identity', 'profiles, protection, and another key', () => import('./topics/identity.md?raw')),
];

function topic(name: string, summary: string, text: () => Promise<{ readonly default: string }>): Topic {
  return {
    name,
    summary,
    load: async (env) => {
      const { readPage } = await import('./page.ts');
      const { findPaths } = await import('../../settings/paths.ts');
      return readPage((await text()).default, findPaths(env));
    },
  };
}
