import { commandsOf } from '../cli/argv.ts';
import type { Branch } from '../cli/command.ts';
import type { NounScope } from '../lib/text/remark.ts';

/** Everything that may follow `botctl`. */
export const branches: readonly Branch[] = [
  {
    name: 'login',
    summary: 'Store an API key as a profile',
    heading: 'Start',
    scope: {
      asksFor: [
        ['--base-url', 'URL'],
        ['--key-id', 'ID'],
        ['--key-secret-file', 'FILE'],
      ],
    },
    load: async () => [(await import('./login.ts')).login],
  },
  {
    name: 'logout',
    summary: 'Forget the API key of a profile',
    heading: 'Start',
    scope: { withoutAddress: true },
    load: async () => [(await import('./logout.ts')).logout],
  },
  {
    name: 'whoami',
    summary: 'Show who you are, and where that came from',
    heading: 'Start',
    load: async () => [(await import('./whoami.ts')).whoami],
  },
  {
    name: 'profiles',
    summary: 'List, choose, change, rename and remove profiles',
    heading: 'Start',
    scope: { withoutProfile: true },
    load: async () => (await import('./profiles/index.ts')).commands,
  },
  {
    name: 'token',
    summary: 'Print a valid access token for a script',
    heading: 'Start',
    load: async () => [(await import('./token.ts')).token],
  },
  {
    name: 'doctor',
    summary: 'Diagnose problems and suggest fixes',
    heading: 'Start',
    load: async () => [(await import('./doctor/doctor.ts')).doctor],
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    heading: 'Start',
    scope: { withoutProfile: true },
    load: async () => [(await import('./completion.ts')).completion],
  },
  {
    name: 'keys',
    summary: 'Create, list, show, rotate and delete API keys',
    heading: 'Work',
    load: async () => (await import('./keys/index.ts')).commands,
  },
  {
    name: 'teams',
    summary: 'Create, list, show and update teams',
    heading: 'Work',
    load: async () => (await import('./teams/index.ts')).commands,
  },
  {
    name: 'tenants',
    summary: 'Keep teams and what is in them as files',
    heading: 'Work',
    load: async () => (await import('./tenants/index.ts')).commands,
  },
  {
    name: 'bots',
    summary: 'Create, list, show, update and delete bots',
    heading: 'Work',
    groups: {
      questions: 'Add, list and remove the questions that a bot answers',
      actions: 'Add, list and remove the HTTP actions of a bot',
      documents: 'Add, list and remove the documents that a bot knows',
    },
    load: async () => (await import('./bots/index.ts')).commands,
  },
  {
    name: 'docs',
    summary: 'Upload, list, show and rename knowledge documents',
    heading: 'Work',
    load: async () => (await import('./docs/index.ts')).commands,
  },
  {
    name: 'api',
    summary: 'Call any endpoint, and print its answer as it comes',
    heading: 'Work',
    load: async () => [(await import('./api/api.ts')).api],
  },
  {
    name: 'device',
    summary: 'Create, pair, watch and disconnect messaging devices',
    heading: 'Devices and messages',
    load: async () => (await import('./device/index.ts')).commands,
  },
  {
    name: 'send',
    summary: 'Send a message through a paired device',
    heading: 'Devices and messages',
    load: async () => [(await import('./send.ts')).send],
  },
  {
    name: 'campaigns',
    summary: 'Make and send messages for the rows of a list',
    heading: 'Devices and messages',
    scope: { inDatabase: true },
    load: async () => (await import('./campaigns/index.ts')).commands,
  },
  {
    name: 'optouts',
    summary: 'Keep the numbers that are not to be written to',
    heading: 'Devices and messages',
    scope: { inDatabase: true },
    load: async () => (await import('./optouts/index.ts')).commands,
  },
  {
    name: 'sandbox',
    summary: 'Run the whole service on this machine',
    heading: 'Rehearse',
    groups: {
      phone: 'Scan codes with the simulated phone, and see what may happen to a device',
      key: 'Deactivate an API key of the sandbox',
      clock: 'Set the clock of the sandbox, stop it, let it go on',
      fault: 'Let calls of the sandbox fail on purpose',
    },
    scope: { withoutAddress: true },
    load: async () => (await import('./sandbox/index.ts')).commands,
  },
  {
    name: 'tour',
    summary: 'See the main job done from start to end on a sandbox',
    heading: 'Rehearse',
    scope: { withoutProfile: true },
    load: async () => [(await import('./tour.ts')).tour],
  },
];

/** Every command with the words that name it: `teams list`. Loads them all. */
export const allCommands = (): ReturnType<typeof commandsOf> => commandsOf(branches);

/** Returns what a profile, an address and a database mean to the commands of a noun; nothing to help. */
export function scopeOf(noun: string): NounScope | undefined {
  const branch = branches.find(({ name }) => name === noun);
  return branch ? branch.scope : { withoutProfile: true };
}
