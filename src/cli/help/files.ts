import { join } from 'node:path';
import type { Io } from '../../lib/io.ts';
import { findPaths, type Paths } from '../../settings/paths.ts';
import type { HelpPage } from './text.ts';

/** `botctl help files`, with the paths of this user. Nothing is read or made. */
export function filesPage(env: Io['env']): HelpPage {
  return filesPageOf(findPaths(env));
}

/** What is kept below these directories. */
export function filesPageOf({ config, cache, data }: Paths): HelpPage {
  return {
    title: 'Files',
    parts: [
      { heading: 'Profiles and their keys', rows: [[join(config, 'config.json'), '']] },
      { heading: 'Rotations of keys that have not ended', rows: [[join(config, 'rotations'), '']] },
      {
        heading: 'Access tokens, names for completion, and compiled code; safe to delete',
        rows: [[cache, '']],
      },
      {
        heading: 'The device book: the API cannot list devices, so keep it',
        rows: [[join(data, 'devices.ndjson'), '']],
      },
      { heading: 'What bots edit keeps where something failed', rows: [[join(data, 'drafts'), '']] },
      { heading: 'Data of the sandbox', rows: [[join(data, 'sandbox'), '']] },
      'Whatever holds a secret is readable by you alone: files 0600 in directories 0700. BOTCTL_CONFIG_DIR puts ' +
        'everything below one directory. With a key in the environment nothing has to be written at all.',
      'Beside these botctl writes only the files that an option names, such as --secret-file and --qr-file.',
    ],
  };
}
