import type { Io } from '../../lib/io.ts';
import type { HelpPage } from './text.ts';

/** Something that `botctl help` explains beside the commands. */
export interface Topic {
  /** The heading that it is listed below. */
  readonly group: 'Using botctl' | 'Doing the work' | 'The service';
  readonly name: string;
  /** Its subject, in a few words. */
  readonly summary: string;
  /** Returns its page, which is loaded only then. */
  load(env: Io['env']): Promise<HelpPage>;
}

/** Every topic, in the order in which they are listed below the heading of their group. */
export const topics: readonly Topic[] = [
  topic(
    'Using botctl',
    'options',
    'the options that every command takes',
    () => import('./topics/options.md?raw'),
  ),
  topic(
    'Using botctl',
    'output',
    'formats, fields and streams, for people and for scripts',
    () => import('./topics/output.md?raw'),
  ),
  topic(
    'Using botctl',
    'exit-codes',
    'what each exit code means',
    () => import('./topics/exit-codes.md?raw'),
  ),
  topic(
    'Using botctl',
    'environment',
    'the variables that botctl reads',
    () => import('./topics/environment.md?raw'),
  ),
  topic(
    'Using botctl',
    'files',
    'what botctl keeps on this machine, and where',
    () => import('./topics/files.md?raw'),
  ),
  topic('Using botctl', 'install', 'completions, optional packages', () => import('./topics/install.md?raw')),
  topic(
    'Using botctl',
    'names',
    'names in the place of ids, and what a slip gets',
    () => import('./topics/names.md?raw'),
  ),
  topic(
    'Using botctl',
    'numbers',
    'how phone numbers are written and compared',
    () => import('./topics/numbers.md?raw'),
  ),
  topic(
    'Doing the work',
    'counting',
    'how the characters of documents are counted, and of which files',
    () => import('./topics/counting.md?raw'),
  ),
  topic(
    'Doing the work',
    'uploading',
    'how files become documents, each once, whatever happens',
    () => import('./topics/uploading.md?raw'),
  ),
  topic(
    'Doing the work',
    'syncing',
    'how a folder is brought into a team',
    () => import('./topics/syncing.md?raw'),
  ),
  topic(
    'Doing the work',
    'recipients',
    'lists of recipients, their numbers and their messages',
    () => import('./topics/recipients.md?raw'),
  ),
  topic(
    'Doing the work',
    'sending',
    'how fast campaigns are sent, and what is known of each message',
    () => import('./topics/sending.md?raw'),
  ),
  topic(
    'Doing the work',
    'changes',
    'what is sent, and what is asked before it',
    () => import('./topics/changes.md?raw'),
  ),
  topic(
    'Doing the work',
    'tenant-files',
    'whole tenants as files: their form, variables, many alike',
    () => import('./topics/tenant-files.md?raw'),
  ),
  topic(
    'Doing the work',
    'tenants-ci',
    'tenants planned and applied by GitHub Actions and GitLab CI',
    () => import('./topics/tenants-ci.md?raw'),
  ),
  topic(
    'Using botctl',
    'scripts',
    'what a script or a CI job has to know',
    () => import('./topics/scripts.md?raw'),
  ),
  topic(
    'Doing the work',
    'pairing',
    'the pairing screen, its keys, its events, and what helps',
    () => import('./topics/pairing.md?raw'),
  ),
  topic(
    'Using botctl',
    'secrets',
    'where secrets go, and the other safeguards',
    () => import('./topics/secrets.md?raw'),
  ),
  topic(
    'The service',
    'rehearsing',
    'the sandbox, its phone, and the states of a device',
    () => import('./topics/rehearsing.md?raw'),
  ),
  topic(
    'The service',
    'operating',
    'the sandbox as a service for others: proxy, health, backups',
    () => import('./topics/operating.md?raw'),
  ),
  topic(
    'The service',
    'specification',
    'what the service leaves open, and what is done about it',
    () => import('./topics/specification.md?raw'),
  ),
  topic(
    'Using botctl',
    'identity',
    'profiles, protection, and another key',
    () => import('./topics/identity.md?raw'),
  ),
];

function topic(
  group: Topic['group'],
  name: string,
  summary: string,
  text: () => Promise<{ readonly default: string }>,
): Topic {
  return {
    group,
    name,
    summary,
    load: async (env) => {
      const { readPage } = await import('./page.ts');
      const { findPaths } = await import('../../settings/paths.ts');
      return readPage((await text()).default, findPaths(env));
    },
  };
}
