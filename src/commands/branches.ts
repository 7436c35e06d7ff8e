import { commandsOf, findCommand } from '../cli/argv.ts';
import type { Branch } from '../cli/command.ts';
import type { NounScope } from '../lib/text/remark.ts';

/** All nouns and top-level commands of `botctl`. */
export const branches: readonly Branch[] = [
  {
    name: 'login',
    summary: 'Save an API key as a profile',
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
    summary: 'Remove a profile from this machine',
    heading: 'Start',
    scope: { withoutAddress: true },
    load: async () => [(await import('./logout.ts')).logout],
  },
  {
    name: 'whoami',
    summary: 'Show the current identity',
    heading: 'Start',
    load: async () => [(await import('./whoami.ts')).whoami],
  },
  {
    name: 'profiles',
    summary: 'Manage profiles',
    heading: 'Start',
    scope: { withoutProfile: true },
    load: async () => (await import('./profiles/index.ts')).commands,
  },
  {
    name: 'token',
    summary: 'Print an access token',
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
    summary: 'Print a shell completion script',
    heading: 'Start',
    scope: { withoutProfile: true },
    load: async () => [(await import('./completion.ts')).completion],
  },
  {
    name: 'keys',
    summary: 'Create, rotate and delete API keys',
    heading: 'Work',
    load: async () => (await import('./keys/index.ts')).commands,
  },
  {
    name: 'teams',
    summary: 'Create, list and update teams',
    heading: 'Work',
    load: async () => (await import('./teams/index.ts')).commands,
  },
  {
    name: 'tenants',
    summary: 'Manage teams as files',
    heading: 'Work',
    load: async () => (await import('./tenants/index.ts')).commands,
  },
  {
    name: 'bots',
    summary: 'Create, update and delete bots',
    heading: 'Work',
    groups: {
      questions: 'Add, list and remove questions of a bot',
      actions: 'Add, list and remove actions of a bot',
      documents: 'Attach, list and detach documents of a bot',
    },
    load: async () => (await import('./bots/index.ts')).commands,
  },
  {
    name: 'docs',
    summary: 'Upload, list and rename documents',
    heading: 'Work',
    load: async () => (await import('./docs/index.ts')).commands,
  },
  {
    name: 'api',
    summary: 'Call any API endpoint',
    heading: 'Work',
    load: async () => [(await import('./api/api.ts')).api],
  },
  {
    name: 'mcp',
    summary: 'Serve botctl to an AI assistant',
    heading: 'Work',
    load: async () => {
      const [{ mcpCommand }, { history }] = await Promise.all([
        import('./mcp/mcp.ts'),
        import('./mcp/history.ts'),
      ]);
      return [mcpCommand((words) => findCommand(words, branches)), history];
    },
  },
  {
    name: 'device',
    summary: 'Create, pair and watch devices',
    heading: 'Devices and messages',
    load: async () => (await import('./device/index.ts')).commands,
  },
  {
    name: 'desk',
    summary: 'Share devices and their history',
    heading: 'Devices and messages',
    scope: { inDatabase: true, withoutAddress: true },
    load: async () => (await import('./desk/index.ts')).commands,
  },
  {
    name: 'send',
    summary: 'Send a message through a device',
    heading: 'Devices and messages',
    load: async () => [(await import('./send.ts')).send],
  },
  {
    name: 'campaigns',
    summary: 'Send a message to every row of a list',
    heading: 'Devices and messages',
    scope: { inDatabase: true },
    load: async () => (await import('./campaigns/index.ts')).commands,
  },
  {
    name: 'optouts',
    summary: 'Manage opted-out numbers',
    heading: 'Devices and messages',
    scope: { inDatabase: true },
    load: async () => (await import('./optouts/index.ts')).commands,
  },
  {
    name: 'sandbox',
    summary: 'Run the service on this machine',
    heading: 'Rehearse',
    groups: {
      phone: 'Control the simulated phone',
      key: 'Create and deactivate API keys of the sandbox',
      clock: 'Set the clock of the sandbox',
      fault: 'Inject faults into calls',
    },
    scope: { withoutAddress: true },
    load: async () => (await import('./sandbox/index.ts')).commands,
  },
  {
    name: 'tour',
    summary: 'Run a guided demo on a local sandbox',
    heading: 'Rehearse',
    scope: { withoutProfile: true },
    load: async () => [(await import('./tour.ts')).tour],
  },
];

/** Loads and returns every command with its words: `teams list`. */
export const allCommands = (): ReturnType<typeof commandsOf> => commandsOf(branches);

/**
 * Returns how the commands of a noun use the profile, the base URL and the database; undefined if in the usual way. A word
 * that is not a noun, such as `help`, uses none of them.
 */
export function scopeOf(noun: string): NounScope | undefined {
  const branch = branches.find(({ name }) => name === noun);
  return branch ? branch.scope : { withoutProfile: true };
}
