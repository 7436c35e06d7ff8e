/**
 * The exceptions of commands from the rules for all commands. All exceptions are here, each with its reason, and the
 * walk fails if one no longer applies.
 */

/** A case of the walk in which a command ends differently from the rule. */
export interface Departure {
  readonly exit: number;
  /** One sentence. */
  readonly why: string;
  /** Statuses for which the rule still holds. */
  readonly butFor?: readonly number[];
  /** Exit codes for single statuses. */
  readonly at?: Readonly<Record<number, number>>;
}

/** The cases whose exit code follows from a rule. */
export type RuledCase = 'success' | 'empty' | 'network down' | 'refused' | 'change refused';

/** The exceptions by the path of the command, then by the case. */
export const departures: Readonly<Record<string, Partial<Record<RuledCase, Departure>>>> = {
  'bots diff': {
    success: {
      exit: 11,
      why: 'The file differs from the bot, and a difference has an exit code of its own.',
    },
  },
  'campaigns run': {
    'change refused': {
      exit: 10,
      why: 'A refusal is of one message, and the others are sent, unless none can be or nobody knows.',
      butFor: [401, 429, 500],
      // Forbidden, and the book doesn't know the team: it may be banned, so no row is consumed.
      at: { 403: 9 },
    },
  },
  'campaigns test': {
    'change refused': {
      exit: 6,
      why: 'A refusal is of the message: that its device is there was seen just before.',
      butFor: [400, 401, 409, 422, 429, 500],
      at: { 403: 9 },
    },
  },
  'optouts remove': {
    empty: { exit: 5, why: 'Nobody has opted out there.' },
  },
  'desk dismiss': {
    success: { exit: 2, why: 'No database is named for a desk.' },
    refused: { exit: 2, why: 'No database is named for a desk.' },
    'change refused': { exit: 2, why: 'No database is named for a desk.' },
    'network down': { exit: 2, why: 'No database is named for a desk.' },
  },
  'campaigns migrate': {
    success: { exit: 8, why: 'The database of its example does not exist.' },
    refused: { exit: 8, why: 'It calls the database alone.' },
    'change refused': { exit: 8, why: 'It calls the database alone.' },
    'network down': { exit: 8, why: 'The database of its example does not exist.' },
  },
  'desk migrate': {
    success: { exit: 8, why: 'The database of its example does not exist.' },
    refused: { exit: 8, why: 'It calls the database alone.' },
    'change refused': { exit: 8, why: 'It calls the database alone.' },
    'network down': { exit: 8, why: 'The database of its example does not exist.' },
  },
  'desk status': {
    success: { exit: 2, why: 'No database is named for a desk.' },
    refused: { exit: 2, why: 'No database is named for a desk.' },
    'network down': { exit: 2, why: 'No database is named for a desk.' },
  },
  'device add': {
    refused: { exit: 0, why: 'With --offline, as in its first example, it only writes the device book.' },
    'network down': {
      exit: 0,
      why: 'With --offline, as in its first example, it only writes the device book.',
    },
  },
  'device forget': {
    refused: { exit: 0, why: 'It only writes the device book.' },
    'network down': { exit: 0, why: 'It only writes the device book.' },
  },
  'device watch': {
    refused: { exit: 9, why: 'The service may answer later.', butFor: [400, 401, 403, 404, 409, 422] },
    'network down': { exit: 9, why: 'The service may answer later.' },
  },
  mcp: {
    refused: { exit: 0, why: 'It calls the service only when the assistant calls a tool.' },
  },
  doctor: {
    'network down': { exit: 8, why: 'It looks at the network because that is its work.' },
  },
  login: {
    'network down': { exit: 8, why: 'It checks the key with the service before it stores it.' },
  },
  'sandbox migrate': {
    success: { exit: 8, why: 'The database of its example is nowhere.' },
    'change refused': { exit: 8, why: 'It speaks to the database alone.' },
    refused: { exit: 8, why: 'It speaks to the database alone.' },
    'network down': { exit: 8, why: 'The database of its example is nowhere.' },
  },
  'sandbox phone scan': {
    empty: { exit: 2, why: 'Nothing waits for its phone, so that the picture holds no code.' },
  },
  'tenants apply': {
    empty: { exit: 2, why: 'Nothing of it can be made as the files say, and nothing is.' },
  },
  'tenants plan': {
    empty: { exit: 2, why: 'Nothing of it can be made as the files say, and the plan shows that.' },
  },
  'tenants rebind': {
    empty: { exit: 5, why: 'Its teams have to be there.' },
  },
  'tenants import': {
    empty: { exit: 5, why: 'It takes what is there already for a tenant, and nothing is.' },
  },
  'tenants validate': {
    success: { exit: 2, why: 'Its first example is of a file with mistakes, and those are what it shows.' },
    'network down': { exit: 2, why: 'It shows the same mistakes, and asks no service.' },
  },
  token: {
    refused: { exit: 0, why: 'The access token is all that it needs, and that is in the cache.' },
  },
  whoami: {
    refused: {
      exit: 0,
      why: 'What is known here is told even where the service tells nothing, unless it refuses the key.',
      butFor: [401],
    },
    'network down': { exit: 0, why: 'What is known here is told even where the service tells nothing.' },
  },
};

/** Commands that print a result on stdout although they fail, and why; if exit codes are listed, only with those. */
const resultsOfFailures: Readonly<
  Record<string, { readonly why: string; readonly exits?: readonly number[] }>
> = {
  doctor: { why: 'Its findings are its result; the exit code is that of the first thing that is broken.' },
  api: { why: 'The body of a refusal is what was asked for, and is printed as it came.' },
  'campaigns run': { why: 'What became of messages stands in a row of their device.', exits: [9, 10, 12] },
  'docs sync': { why: 'Each file that was refused has a row with the reason, also a single one.' },
  'device watch': { why: 'Its events say what failed.', exits: [6, 7, 8, 9] },
  'tenants apply': { why: 'What it takes for a tenant stands in a row, although what it sends is refused.' },
  'tenants plan': { why: 'The rows show what can not be made.', exits: [2] },
};

/** Returns whether a command that fails with an exit code still prints a result. */
export function printsResult(path: string, exit: number): boolean {
  const result = resultsOfFailures[path];
  return result !== undefined && (result.exits?.includes(exit) ?? true);
}

/** Commands whose rows depend on how the service was filled, which happens again now and then, and why. */
export const madeAnew: Readonly<Record<string, string>> = {
  'sandbox log': 'Its newest rows are of the calls that filled the service.',
  'sandbox messages': 'The message was sent when the service was filled.',
};

/** Commands whose output is declared as nothing but that print other commands' output, and why. */
export const showing: Readonly<Record<string, string>> = {
  'campaigns migrate': 'The database of its example does not exist; its tests have a server.',
  'desk dismiss': 'No database is named for a desk; its tests have a server.',
  'desk migrate': 'The database of its example does not exist; its tests have a server.',
  'desk status': 'No database is named for a desk; its tests have a server.',
  'sandbox migrate': 'The database of its example is nowhere; it has tests of its own on a server.',
  tour: 'It shows each command that it runs, with what that prints.',
};

/** Commands that always run for seconds, so that they run only once, and why. */
export const shownOnce: Readonly<Record<string, string>> = {
  tour: 'It starts a sandbox and runs a dozen commands; it has tests of its own.',
};

/** Commands that run until they are stopped, and why. */
export const staying: Readonly<Record<string, string>> = {
  'sandbox start': 'It serves until Ctrl-C, which is how it is meant to end.',
};

/** Commands that run until a timeout, which is short here, and why. */
export const watching: Readonly<Record<string, string>> = {
  'device watch': 'It goes on where the service does not answer, and until the device is paired.',
};

/** Commands that wait after a lost answer until the outcome of the call is certain, which takes no time here. */
export const settling: Readonly<Record<string, string>> = {
  'docs sync': 'it sends as docs upload does',
  'docs upload': 'a document can be listed, and never deleted',
  'tenants apply': 'what it has made can be listed, but for devices',
};

/** Commands that retry for minutes if the service refuses, with a clock on which that takes no time here, and why. */
export const patient: Readonly<Record<string, string>> = {
  'campaigns run': 'it sends for hours, and the service may be busy in between',
};

/** Commands that can determine the outcome of a create after a server error, and why. */
export const knowing: Readonly<Record<string, string>> = {
  'docs sync': 'it has looked what was there before, and looks again until nothing can come any more',
  'tenants apply': 'it has looked what was there before, and looks again until nothing can come any more',
};

/** Commands that need a person at a terminal; anywhere else they exit with 2 before any side effect. */
export const terminalOnly: Readonly<Record<string, string>> = {
  'bots edit': 'It opens an editor.',
};

/** Commands that another program communicates with; on a terminal they exit with 2 before any side effect. */
export const pipedOnly: Readonly<Record<string, string>> = {
  mcp: 'The program of an assistant speaks to it on stdin.',
};

/** Commands that may change something, but whose first example changes nothing at the service, and why. */
export const writingNothing: Readonly<Record<string, string>> = {
  api: 'Its first example reads.',
  'campaigns create': 'It only writes what this machine keeps.',
  'device add': 'It only writes the device book.',
  'device connect': 'The device of its first example is connected already.',
  'device forget': 'It only writes the device book.',
  'device repair': 'The device of its first example is ready, which needs no repair.',
  'tenants import': 'It only writes the lock.',
  'tenants rebind': 'It only writes the lock.',
};

/** Lists that don't come from the service, or are never empty, with the number of rows at each size. */
export const ownLists: Readonly<
  Record<string, { readonly rows: readonly [number, number, number]; readonly why: string }>
> = {
  'keys list': { rows: [1, 2, 2], why: 'The key that calls is always there.' },
  'mcp history': { rows: [1, 1, 1], why: 'What assistants changed is on this machine.' },
  'profiles list': { rows: [1, 1, 1], why: 'Profiles are on this machine; "sandbox" is the only one.' },
  'campaigns list': { rows: [0, 2, 2], why: 'Campaigns are on this machine.' },
  'optouts list': { rows: [0, 1, 1], why: 'Opt-outs are on this machine.' },
  'device list': { rows: [0, 3, 123], why: 'The device book is on this machine.' },
  'sandbox fault list': { rows: [0, 1, 1], why: 'The faults are those of the sandbox, beside its data.' },
};

/**
 * Returns the exit code of a command in a case.
 * @param ruled the exit code by the rule of the case
 * @param where on a terminal or not, and the status with which the service refused
 * @throws Error if an exception equals the rule and is therefore unnecessary
 */
export function exitOf(
  path: string,
  of: RuledCase,
  ruled: number,
  where: { readonly terminal: unknown; readonly status?: number },
): number {
  const { terminal, status } = where;
  if (path in terminalOnly && terminal === false) return 2;
  if (path in pipedOnly && terminal !== false) return 2;
  const departure = departures[path]?.[of];
  const own = status === undefined ? undefined : departure?.at?.[status];
  if (own !== undefined) return own;
  if (status !== undefined && departure?.butFor?.includes(status)) return ruled;
  if (departure?.exit === ruled) throw new Error(`${path} no longer departs from the rule: ${departure.why}`);
  return departure?.exit ?? ruled;
}

/** The commands in any of these tables. */
export const departing: readonly string[] = [
  ...[
    departures,
    resultsOfFailures,
    madeAnew,
    showing,
    shownOnce,
    staying,
    settling,
    patient,
    knowing,
    watching,
  ],
  ...[terminalOnly, pipedOnly, writingNothing, ownLists],
].flatMap(Object.keys);
