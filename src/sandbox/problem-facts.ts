import * as z from 'zod/mini';

const none = z.strictObject({});
const ofDevice = z.strictObject({ device: z.string() });
/** Facts for the command that starts the sandbox. `onServer`: its rows are in a database on a server. */
const ofStart = z.strictObject({ onServer: z.boolean(), data: z.optional(z.string()) });

/**
 * The problems of a sandbox that a botctl command solves, each with the facts that the command needs. The service
 * reports the problem; the command line composes the command.
 */
const problemFacts = {
  // The data directory
  dataInUse: none,
  dataUnusable: none,
  dataDamaged: none,
  dataOfEarlierVersion: z.strictObject({ directory: z.string() }),
  dataOfNewerVersion: none,
  dataIsOnServer: none,
  directoryOccupied: none,

  // The database on a server, and the directory of its files
  databaseOfEarlierVersion: z.strictObject({ url: z.string() }),
  /** `mark` is the file that assigns the directory to the database with this `id`. */
  filesOfOtherDatabase: z.strictObject({
    database: z.optional(z.strictObject({ id: z.string(), mark: z.string() })),
  }),
  filesMissing: none,
  notFilesDirectory: none,

  // The start of the service
  portInUse: z.strictObject({ port: z.int() }),
  portForbidden: none,
  hostUnknown: none,
  /** `isTemporary`: the sandbox ends with the command that started it. */
  hostIsPublic: z.strictObject({ host: z.string(), isTemporary: z.boolean() }),
  /** The directory or the database (by its address without a password) that needs the key. */
  publicKeyMissing: z.union([z.strictObject({ data: z.string() }), z.strictObject({ database: z.string() })]),
  /** `sharedEmails` is the setting of this start, which differs from the other instances'. */
  sharedEmailsContradicted: z.strictObject({ sharedEmails: z.boolean() }),
  sharedEmailsNeeded: z.strictObject({ data: z.string() }),

  // The running service
  notRunning: ofStart,
  nameUnknown: z.strictObject({ noun: z.enum(['bot', 'device', 'key', 'fault']) }),
  seedUsed: none,

  // The simulated phone, and the messaging network
  pictureIsDataUrl: none,
  pictureIsText: none,
  screenIsPicture: none,
  screenHasNoCode: none,
  codeIsNegative: none,
  /** `device` is the one that now shows another code, if any. */
  codeInvalid: z.strictObject({ device: z.optional(z.string()) }),
  codeUsed: ofDevice,
  deviceNotPaired: ofDevice,
  deviceBlocked: ofDevice,
  deviceReplaced: ofDevice,
  scanNotConfirmed: ofDevice,
} as const;

export type ProblemCode = keyof typeof problemFacts;

type Empty = z.infer<typeof none>;
type FactsIn<S extends z.ZodMiniType> = z.infer<S> extends Empty ? object : z.infer<S>;

export type ProblemFacts = { readonly [C in ProblemCode]: FactsIn<(typeof problemFacts)[C]> };

/** The code of a problem, with its facts. */
export type Problem<C extends ProblemCode = ProblemCode> = {
  readonly [K in C]: { readonly code: K } & ProblemFacts[K];
}[C];

/** The schema of a problem reported by another process. */
export const problemSchema = z.custom<Problem>((value) => {
  const { code, ...facts } = z.safeParse(z.looseObject({ code: z.string() }), value).data ?? { code: '' };
  return isCode(code) && problemFacts[code].safeParse(facts).success;
});

function isCode(code: string): code is ProblemCode {
  return Object.hasOwn(problemFacts, code);
}
