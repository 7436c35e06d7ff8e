import { command, type Placeholder, placeholder, type RemarkText, remark } from '../../lib/text/remark.ts';

type Word = string | Placeholder;

const team = placeholder('<team>');
const bot = placeholder('<bot>');
const document = placeholder('<document>');
const device = placeholder('<device>');
const name = placeholder('<name>');
const number = placeholder('<number>');

const unchangeableDevice = {
  why: 'The API has no way to change a device.',
  instead: () =>
    remark`Create another one: ${command('device', 'create', name, '--team', team, '--bot', bot)}`,
};

const unchangeableKey = {
  why: 'The API has no way to change a key.',
  instead: () => remark`Replace the key in use: ${command('keys', 'rotate', '--name', name)}`,
};

const tenantsOnlyByFiles = {
  why: 'Tenants are created and updated from files.',
  instead: () =>
    remark`Write an example with ${command('tenants', 'init')}, see what it changes with ${command('tenants', 'plan')}, and run ${command('tenants', 'apply')}`,
};

const sandboxCopy = {
  why: 'Copy the data directory of a sandbox to save or restore it.',
  instead: () =>
    remark`Stop it with ${command('sandbox', 'stop')}, copy the whole directory, and start the copy: ${command('sandbox', 'start', '--data', placeholder('<copy>'))}. For a database: ${command('help', 'sandbox')}`,
};

const clockRunsOn = {
  why: 'The clock of a sandbox can only be set forward.',
  instead: () => remark`Set it forward: ${command('sandbox', 'clock', 'advance', '30s')}`,
};

const deskTables = {
  why: 'One command creates and updates the tables of a desk.',
  instead: () => remark`Run: ${command('desk', 'migrate')}. To set up a desk: ${command('help', 'desk')}`,
};

/** A verb that botctl doesn't have: the reason, and what to do instead, with the words typed after it. */
interface AbsentVerb {
  readonly why: string;
  readonly instead: (...typed: readonly Word[]) => RemarkText;
}

/** Verbs that users expect and botctl doesn't have. */
export const absentVerbs: Readonly<Record<string, AbsentVerb>> = {
  'desk list': {
    why: 'A profile has one desk.',
    instead: () => remark`See it: ${command('desk', 'status')}`,
  },
  'desk create': deskTables,
  'desk update': deskTables,
  'desk leave': {
    why: 'The desk is a setting of a profile.',
    instead: (which: Word = placeholder('<profile>')) =>
      remark`Leave it: ${command('profiles', 'set', which, '--unset', 'desk-database')}. To take the devices along: ${command('help', 'desk')}`,
  },
  'desk delete': {
    why: 'To delete a desk, its owner drops the database: drop database.',
    instead: () =>
      remark`To use files again: ${command('profiles', 'set', placeholder('<profile>'), '--unset', 'desk-database')}. If they were moved to the desk, first rename devices.ndjson.moved-DATE and device-history.ndjson.moved-DATE back.`,
  },
  'teams delete': {
    why: 'The API has no way to delete a team.',
    instead: (which: Word = team) => remark`Ban it instead: ${command('teams', 'update', which, '--ban')}`,
  },
  'docs delete': {
    why: 'The API has no way to delete a document.',
    instead: (which: Word = document) =>
      remark`Unlink it from its bots: ${command('bots', 'documents', 'remove', bot, which)}`,
  },
  'docs update': {
    why: 'Only the name of a document can change; its file cannot.',
    instead: (which: Word = document, called: Word = name) =>
      remark`Rename it with ${command('docs', 'rename', which, called)}, or upload the new file with ${command('docs', 'upload')}.`,
  },
  'device update': unchangeableDevice,
  // "Did you mean create?" would lead to a second object.
  'device rename': unchangeableDevice,
  'teams rename': {
    why: 'teams update changes the name of a team.',
    instead: (which: Word = team, called: Word = name) =>
      remark`Rename it: ${command('teams', 'update', which, '--name', called)}`,
  },
  'bots rename': {
    why: 'bots update changes the name of a bot.',
    instead: (which: Word = bot, called: Word = name) =>
      remark`Rename it: ${command('bots', 'update', which, '--name', called)}`,
  },
  'keys rename': unchangeableKey,
  'device delete': {
    why: 'The API has no way to delete a device.',
    instead: (which: Word = device) =>
      remark`Disconnect it: ${command('device', 'disconnect', which)}. To remove it from your list: ${command('device', 'forget', which)}`,
  },
  'device who': {
    why: 'The history of a device says who did what, and when.',
    instead: (which: Word = device) =>
      remark`See it: ${command('device', 'history', which)}. To see who is pairing it now: ${command('device', 'status', which)}`,
  },
  'bots publish': {
    why: 'The API has no way to publish a bot.',
    instead: (which: Word = bot) =>
      remark`Publish it on the platform. On a sandbox, run ${command('sandbox', 'publish', which)}.`,
  },
  'sandbox clock freeze': clockRunsOn,
  'sandbox clock resume': clockRunsOn,
  'sandbox clock set': clockRunsOn,
  'sandbox export': sandboxCopy,
  'sandbox import': sandboxCopy,
  'profiles create': {
    why: 'Signing in creates a profile.',
    instead: (called: Word = name) => remark`Sign in: ${command('login', '--profile', called)}`,
  },
  'keys update': unchangeableKey,
  'tenants create': tenantsOnlyByFiles,
  'tenants update': tenantsOnlyByFiles,
  'tenants delete': {
    why: 'The API has no way to delete a team.',
    // The next word may be a folder of files, which is not a team.
    instead: () =>
      remark`Ban it instead: ${command('teams', 'update', team, '--ban')}. To stop managing it as a file: ${command('tenants', 'forget', placeholder('<address>'))}`,
  },
  'campaigns update': {
    why: 'A campaign cannot be changed. You can only add rows.',
    instead: () =>
      remark`Add rows with ${command('campaigns', 'add')}, or create another one: ${command('campaigns', 'create')}`,
  },
  'docs download': {
    why: 'The API has no way to download a document.',
    instead: (which: Word = document) => remark`See its details: ${command('docs', 'get', which)}`,
  },
  'optouts get': {
    why: 'An opted-out number has only a note.',
    instead: () => remark`List them all: ${command('optouts', 'list')}`,
  },
  'optouts update': {
    why: 'An opted-out number cannot be changed.',
    instead: (which: Word = number) =>
      remark`Remove it with ${command('optouts', 'remove', which)}, and add it again: ${command('optouts', 'add', which)}`,
  },
  'sandbox list': {
    why: 'A machine has one sandbox for each data directory.',
    instead: () => remark`See the running one: ${command('sandbox', 'status')}`,
  },
  'sandbox behave': {
    why: 'sandbox behave was removed: the behaviour of the sandbox is now fixed.',
    instead: () =>
      remark`To make calls fail: ${command('sandbox', 'fault', 'add', placeholder('<target>'), '--status', '429')}. How it behaves: ${command('help', 'specification')}`,
  },
  'sandbox update': {
    why: 'A sandbox has nothing to update.',
    instead: () => remark`See its status: ${command('sandbox', 'status')}`,
  },
  'sandbox delete': {
    why: 'A sandbox is its data directory.',
    instead: () =>
      remark`Empty it with ${command('sandbox', 'reset')}, or stop it with ${command('sandbox', 'stop')} and delete the directory.`,
  },
};
