import type { Allowance } from '../../cli/allow.ts';
import { defineCommand, withFailure } from '../../cli/command.ts';
import { askYesNo, confirm, isPreconfirmed } from '../../cli/confirm.ts';
import type { Session } from '../../cli/context.ts';
import { flag, option, path } from '../../cli/options.ts';
import { outcomeFields } from '../../cli/several.ts';
import { Failure, usageFailure } from '../../lib/errors.ts';
import { collect, groupBy } from '../../lib/iterables.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { capitalised, inSentence } from '../../lib/text/sentence.ts';
import type { ApplyRow } from '../../tenants/apply/report.ts';
import { tenantKeyOf } from '../../tenants/desired.ts';
import type { PlanResult } from '../../tenants/make-plan.ts';
import type { Operation } from '../../tenants/operations.ts';
import type { Plan } from '../../tenants/plan.ts';
import { unusualReason } from '../../tenants/reasons.ts';
import { applyRisks, checkPlan, checkPrune, filesArgument, inputOptions, planOption } from './options.ts';
import { forUnverified, warnOfUnverified } from './unverified.ts';

export const apply = defineCommand({
  name: 'apply',
  summary: 'Apply tenant files',
  description:
    'Shows the plan, asks, and applies exactly that plan: tenants in parallel, the objects of a tenant in order. Each result ' +
    'is saved in the state file at once, so run the same command again to resume after an interruption. If a response is ' +
    'lost, apply checks whether the change was made. In a script, give --yes, --allow with each risk of the plan, and ' +
    '--secrets-file or --discard-token if the plan creates devices. See botctl help tenants.',
  arguments: { files: filesArgument },
  options: {
    ...inputOptions,
    plan: planOption,
    secretsFile: option(
      '--secrets-file <file>',
      'append the tokens of new devices to this file (JSON lines, mode 0600); a script needs this or --discard-token',
      path,
    ),
    discardToken: flag(
      '--discard-token',
      "don't save the tokens of new devices; pairing and sending need none",
    ),
    assumeCurrent: flag(
      '--assume-current',
      'if the state file has no fingerprint of a secret, assume that the service has the secret already: save the fingerprint, do not send the secret',
    ),
  },
  examples: [
    {
      line: 'botctl tenants apply --yes --discard-token',
      does: 'Apply the files in tenants/ without a question',
    },
    {
      line: 'botctl tenants apply --target aurora/bots/front-desk',
      does: 'Apply one bot',
    },
    {
      line: 'botctl tenants apply --plan plan.json',
      does: 'Apply a saved plan, if it is still current',
    },
    {
      line: 'botctl tenants apply --yes --allow unpublish --secrets-file devices.ndjson',
      does: 'Also change published bots, which unpublishes them, and save device tokens',
    },
    {
      line: 'botctl tenants apply --yes --discard-token --assume-current',
      does: 'After an update of botctl, save the fingerprints of secrets without sending them',
    },
  ],
  needs: 'api',
  effect: 'changes',
  allow: applyRisks,
  checkInput(input) {
    checkPrune(input);
    const { secretsFile, discardToken, plan } = input;
    checkPlan(plan, input);
    if (secretsFile !== undefined && discardToken)
      throw usageFailure(["--discard-token and --secrets-file can't be combined."], 'Give one of them.');
  },
  output: {
    kind: 'list',
    fields: [
      { name: 'address', importance: 9 },
      { name: 'kind', detail: true },
      { name: 'action', importance: 8 },
      ...outcomeFields.filter(({ name }) => name !== 'given'),
      { name: 'name' },
      { name: 'id', kind: 'id' },
      { name: 'reason' },
    ],
    empty: { none: 'Nothing to do.' },
  },
  async run(session, { files, target, plan: savedIn, secretsFile, discardToken, assumeCurrent, ...line }) {
    const [{ openApply }, { TokenFile }, { operationsOf }, { isOpen }] = await Promise.all([
      import('../../tenants/apply/open-apply.ts'),
      import('../../tenants/apply/token-file.ts'),
      import('../../tenants/operations.ts'),
      import('../../tenants/plan.ts'),
    ]);
    const unverified = forUnverified(session, assumeCurrent);
    const saved = savedIn === undefined ? undefined : await openSaved(session, savedIn);
    const input = saved?.input ?? { ...line, paths: files, targets: target, unverified };
    const opened = await openApply(session, {
      ...input,
      ...{ check: saved?.check, resume: saved?.resume },
    }).catch((thrown: unknown) => {
      throw saved ? saved.asStale(thrown) : thrown;
    });
    try {
      const { plan } = opened.planResult;
      // On a terminal, an empty list already says that there is nothing.
      const isForPerson = session.io.stdout.isTTY === true;
      const isNothing =
        plan.undeclared.length === 0 &&
        plan.objects.every(({ reason }) => reason === 'as-declared' || reason === 'unverifiable');
      const isShown = !(isNothing && (isForPerson || saved));
      if (isShown) await showPlan(session, plan);
      warnOfUnverified(session, plan, input);
      const operations = [...operationsOf(plan).values()].flat();
      const makesDevices = operations.some(
        ({ action, planned }) => planned.kind === 'device' && action === 'create',
      );
      const isTokenLost = makesDevices && secretsFile === undefined && !discardToken;
      if (operations.length > 0) await confirmPlan(session, plan, operations, isTokenLost, opened.statePath);
      const tokens = makesDevices && secretsFile !== undefined ? new TokenFile(secretsFile) : undefined;
      const allows = (risk: Allowance): boolean => isPreconfirmed(risk, session);
      const { rows, failure, totals } = opened.run({ tokens, allows });
      // Apply returns a row for each of these.
      const expected = groupBy([...operations, ...plan.objects.filter(isOpen)], ({ address }) =>
        tenantKeyOf(address),
      );
      const told = reportRows(session, rows, expected, (done) => {
        tokens?.close();
        if (!failure() && operations.length > 0) session.terminal.note(`${totals()}.`);
        if (isForPerson) reportNextSteps(session, done, opened.statePath);
      });
      // A table would interrupt the progress lines.
      return withFailure(isForPerson ? await collect(told) : told, failure);
    } catch (thrown) {
      opened.close();
      throw thrown;
    }
  },
});

/**
 * Opens a saved plan, which is then planned again. `asStale` returns the failure of a stale plan.
 * @throws Failure as `readPlan`
 */
async function openSaved(session: Session, path: string) {
  const [{ inputOf, replanCommand, readPlan }, { asStale, checkCurrent }] = await Promise.all([
    import('../../tenants/saved-plan/plan-file.ts'),
    import('../../tenants/saved-plan/stale.ts'),
  ]);
  const saved = readPlan(path, session.api.baseUrl);
  return {
    input: inputOf(saved),
    resume: remark`Plan again: ${replanCommand(path, saved)}`,
    check: (result: PlanResult) => checkCurrent(session, path, saved, result),
    asStale: (thrown: unknown) => asStale(path, saved, thrown),
  };
}

/** Shows the plan, as `tenants plan` does. */
async function showPlan({ io, terminal, clock, redact }: Session, plan: Plan): Promise<void> {
  const [{ drawPlan }, { planRows }, { loadPaint }, { logGroup }, { totalsText }] = await Promise.all([
    import('../../tenants/render/draw.ts'),
    import('../../tenants/render/rows.ts'),
    import('../../terminal/colour.ts'),
    import('../../output/log-group.ts'),
    import('../../tenants/render/sections.ts'),
  ]);
  const { unicode, colorLevel } = terminal;
  const columns = io.stderr.isTTY === true ? terminal.columns : Number.POSITIVE_INFINITY;
  const paint = await loadPaint(colorLevel);
  const rows = planRows(plan);
  const now = clock.now();
  const drawn = await drawPlan(rows, { columns, unicode, paint, now, redact });
  const isRead = io.stderr.isTTY === true;
  io.stderr.write(isRead ? drawn : logGroup(`Plan: ${totalsText(rows)}`, drawn, { env: io.env, now }));
}

/**
 * Asks once for confirmation of the whole plan. Without a terminal, options must confirm it.
 * @param isTokenLost true if no option says what to do with the tokens of new devices
 * @throws Failure `declined`, or `notConfirmed` if no question can be asked
 */
async function confirmPlan(
  session: Session,
  plan: Plan,
  operations: readonly Operation[],
  isTokenLost: boolean,
  lock: string,
): Promise<void> {
  const { risksOf } = await import('../../tenants/plan-failure.ts');
  const open = risksOf(plan).filter((word) => !isPreconfirmed(word, session));
  const { available } = session.prompts;
  if (!available && (open.length > 0 || isTokenLost)) {
    const why = [
      open.length > 0 && `The plan has risks that are not allowed: ${open.join(', ')}.`,
      isTokenLost && 'The tokens of new devices would be lost: the service shows each token only once.',
    ].filter((sentence) => sentence !== false);
    // All missing options are reported at once.
    const yes = isPreconfirmed(undefined, session) ? undefined : '--yes';
    const allowed = open.length > 0 ? `--allow ${open.join(',')}` : undefined;
    const kept = isTokenLost
      ? '--secrets-file FILE to save the tokens, or --discard-token (pairing and sending need none)'
      : undefined;
    const imports = operations.flatMap(({ address, planned: { booked } }) =>
      booked === undefined ? [] : [command('tenants', 'import', address, booked, '--lock', lock)],
    );
    throw new Failure('notConfirmed', `${why.join('\n')}\nNothing was changed.`, {
      hint: joinRemarks([
        ...imports.map((line) => remark`To use the device in the device book: ${line}`),
        `To apply it anyway, add:\n${[yes, allowed, kept].filter(Boolean).join('\n')}`,
      ]),
    });
  }
  const statement = isTokenLost
    ? 'The service shows the tokens of new devices only once, and they will not be saved. Pairing and sending need none.'
    : '';
  const question = open.length > 0 ? 'Apply it, including the risks above?' : 'Apply it?';
  if (!(await askYesNo({ level: 'yes', statement, question }, session)))
    throw new Failure('declined', 'Nothing was changed.');
  await confirmDeletions(session, operations, plan);
}

/**
 * Asks the user to type the name of each bot that will be deleted, or its id if several bots share the name, unless an
 * option allows the deletion. `--yes` is not enough.
 * @throws Failure `declined`
 */
async function confirmDeletions(
  session: Session,
  operations: readonly Operation[],
  { objects }: Plan,
): Promise<void> {
  if (session.allows('delete-bot')) return;
  for (const { action, reason, address, planned } of operations) {
    const { name, id } = planned;
    // If the service has already deleted it, it is only removed from the state file.
    if (action !== 'delete' || reason === 'deleted' || id === undefined) continue;
    const isShared = objects.filter((other) => other.kind === 'bot' && other.name === name).length > 1;
    const statement = `This deletes bot ${inSentence(name)} (${address}, ${id}) permanently.`;
    await confirm({ level: 'name', statement, names: isShared ? [id] : [name, id] }, session);
  }
}

/** Reports each object at once on a terminal, and each finished tenant in a log. */
async function* reportRows(
  { terminal, io }: Session,
  rows: AsyncIterable<ApplyRow>,
  expected: ReadonlyMap<string, readonly unknown[]>,
  atTheEnd: (done: readonly ApplyRow[]) => void,
): AsyncGenerator<ApplyRow> {
  const isForPerson = io.stdout.isTTY === true;
  const done: ApplyRow[] = [];
  const outcomes = new Map<string, ApplyRow['outcome'][]>();
  const tellTenant = (key: string): void => {
    const counts = groupBy(outcomes.get(key) ?? [], (outcome) => outcome);
    const words = [...counts].map(([outcome, all]) => `${all.length} ${outcome}`).join(', ');
    terminal.note(`${key}: ${words}`);
    outcomes.delete(key);
  };
  try {
    for await (const row of rows) {
      if (!isForPerson) {
        const key = tenantKeyOf(row.address);
        const all = [...(outcomes.get(key) ?? []), row.outcome];
        outcomes.set(key, all);
        if (all.length === expected.get(key)?.length) tellTenant(key);
      }
      const { action, reason, kind, name, address, outcome } = row;
      const what = capitalised(`${action} ${kind} ${inSentence(name)} (${address})`);
      if (outcome === 'done') done.push(row);
      if (isForPerson && outcome === 'done')
        terminal.done([what, unusualReason(reason)].filter(Boolean).join(': '));
      else if (isForPerson && outcome !== 'impossible') terminal.warn(`${what}: ${outcome}`);
      yield row;
    }
  } finally {
    for (const key of [...outcomes.keys()]) tellTenant(key);
    atTheEnd(done);
  }
}

/** The maximum number of new devices that are named. */
const mostDevices = 3;

/** Suggests the next steps: pair phones, and commit the state file. */
function reportNextSteps({ terminal }: Session, done: readonly ApplyRow[], lock: string): void {
  const devices = done.filter(({ kind, action }) => kind === 'device' && action === 'create');
  for (const { id, name } of devices.slice(0, mostDevices))
    if (id !== null) terminal.note(remark`Pair ${inSentence(name)}: ${command('device', 'connect', id)}`);
  if (done.length > 0) terminal.note(`Commit ${lock} together with the files.`);
}
