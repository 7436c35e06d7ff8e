import { Failure } from '../lib/errors.ts';
import { groupedNumber, pluralize } from '../lib/text/numbers.ts';
import { type CommandLine, command, joinRemarks, type Remark, remark } from '../lib/text/remark.ts';
import { firstFew } from '../lib/text/sentence.ts';
import { unknownDevice } from './kinds/device.ts';
import type { Risk } from './kinds/kind.ts';
import { type PlanInput, statePathFor } from './make-plan.ts';
import type { Plan } from './plan.ts';
import { planArguments } from './plan-arguments.ts';
import { isRecordedOnly } from './reasons.ts';
import { isDone, isDrift, type PlanRow } from './render/rows.ts';
import { totalsText } from './render/sections.ts';

/** More objects than these are counted but not named. */
const maxNamed = 10;

/** More suggestions than these are too many to read. */
const maxSuggestions = 5;

/** Returns the words of the risks of a plan, each once. */
export function risksOf({ objects }: Plan): readonly Risk[] {
  return [...new Set(objects.flatMap(({ risks }) => risks.map(({ risk }) => risk)))];
}

/**
 * Returns the failure of a plan if an unattended apply would not carry out all of it, or undefined. If a plan succeeds, its
 * apply does too, as far as that can be known.
 * @param input the input of the plan, for the commands that resolve ambiguous objects
 * @param allows returns whether a risk is allowed
 */
export function planFailure(
  plan: Plan,
  input: PlanInput,
  allows: (risk: Risk) => boolean,
): Failure | undefined {
  return unknownFailure(plan) ?? ambiguousFailure(plan, input) ?? refusalFailure(plan, input, allows);
}

/** Returns the failure if the outcome of a device's create is unknown. */
function unknownFailure({ objects }: Plan): Failure | undefined {
  const unknown = objects.flatMap(({ address, unknownSince: since }) =>
    since === undefined ? [] : [address],
  );
  const [first] = unknown;
  if (first === undefined) return undefined;
  const message = `It is not known whether ${unknown.join(', ')} exists: creating it was interrupted.`;
  return new Failure('outcomeUnknown', message, { hint: unknownDevice(first) });
}

/** Returns the failure if several objects match a declaration. The rest of the plan is still shown. */
function ambiguousFailure(plan: Plan, input: PlanInput): Failure | undefined {
  const lines = plan.objects.flatMap(({ address, ambiguity }) =>
    ambiguity ? [`  ${address}: ${ambiguity.says}`] : [],
  );
  if (lines.length === 0) return undefined;
  return new Failure('ambiguous', ['Several objects match:', ...lines].join('\n'), {
    hint: joinRemarks(decisionHints(plan, input)),
  });
}

/** Returns the failure if an operation is impossible, or has a risk that is not allowed. */
function refusalFailure(plan: Plan, input: PlanInput, allows: (risk: Risk) => boolean): Failure | undefined {
  const impossible = plan.objects.filter((object) => object.impossible.length > 0);
  const open = risksOf(plan).filter((risk) => !allows(risk));
  if (impossible.length + open.length === 0) return undefined;
  const named = impossible.slice(0, maxNamed).map((one) => `  ${one.address}: ${one.impossible.join(' ')}`);
  const left = impossible.length - named.length;
  const message = [
    impossible.length > 0 && `${pluralize(impossible.length, 'object')} can't be applied:`,
    ...named,
    left > 0 && `  and ${groupedNumber(left)} more`,
    open.length > 0 && `The plan has risks that are not allowed: ${open.join(', ')}.`,
  ];
  const allowed = command('tenants', 'plan', ...planArguments(input), '--allow', risksOf(plan).join(','));
  return new Failure(
    impossible.length > 0 ? 'invalidInput' : 'notConfirmed',
    message.filter((line) => line !== false).join('\n'),
    {
      hint: joinRemarks([
        impossible.length > 0 && 'Fix these and plan again. An apply would skip them and do the rest.',
        open.length > 0 && remark`To accept them, add the same --allow to plan and apply: ${allowed}`,
      ]),
    },
  );
}

/**
 * Returns the failure of a plan that must be empty and is not, or undefined.
 * @param applied the command that applies the plan
 */
export function driftFailure(rows: readonly PlanRow[], applied: CommandLine): Failure | undefined {
  // A change of the state file alone is not drift.
  const isPending = rows.some((row) => isDrift(row) || (isDone(row) && !isRecordedOnly(row.reason)));
  if (!isPending) return undefined;
  const drifted = rows.filter(isDrift).map(({ address }) => address);
  const named = `Changed in the service since the last apply: ${firstFew(drifted, maxNamed)}.`;
  const message = `The service differs from the files: ${totalsText(rows)}.`;
  return new Failure('drift', drifted.length > 0 ? `${message} ${named}` : message, {
    hint: joinRemarks([
      drifted.length > 0 && 'To keep a change that was made in the service, write it into the files.',
      remark`Apply the files with: ${applied}`,
    ]),
  });
}

/** Suggests the command that resolves each ambiguous object. */
export function decisionHints({ objects }: Plan, input: PlanInput): readonly Remark[] {
  const { paths = [], lock } = input;
  const named = lock ?? (paths.length > 0 ? statePathFor(paths) : undefined);
  const of = named === undefined ? [] : ['--lock', named];
  const all = objects.flatMap(({ address, ambiguity }) => {
    if (!ambiguity) return [];
    const { candidate } = ambiguity;
    return candidate === undefined
      ? remark`Create one at a time: ${command('tenants', 'apply', ...planArguments({ ...input, targets: [address] }))}`
      : remark`Link the right one: ${command('tenants', 'import', address, candidate, ...of)}`;
  });
  return all.slice(0, maxSuggestions);
}
