import { Failure } from '../lib/errors.ts';
import { counted, groupedNumber } from '../lib/text/numbers.ts';
import { command, joinRemarks, type Remark, remark } from '../lib/text/remark.ts';
import type { ObjectPlan, Risk } from './kinds/kind.ts';
import { lockBeside, type PlanInput } from './make-plan.ts';
import type { Plan } from './plan.ts';
import { lineWords } from './plan-line.ts';

/** More objects than these are counted, not named. */
const maxNamed = 10;

/** More suggestions than these are too many to read. */
const maxSuggestions = 5;

/** Returns the words of the risks of a plan, each once. */
export function risksOf({ objects }: Plan): readonly Risk[] {
  return [...new Set(objects.flatMap(({ risks }) => risks.map(({ risk }) => risk)))];
}

/**
 * Returns the failure to end a plan with if an apply in a job would not carry out all of it: something is impossible, or has a
 * risk that is not allowed. If a plan succeeds, its apply does too, as far as can be known before.
 * @param input the input of the plan, for the command that allows its risks
 * @param allows true if a risk is allowed by its word
 */
export function refusalOf(
  plan: Plan,
  input: PlanInput,
  allows: (risk: Risk) => boolean,
): Failure | undefined {
  const impossible = plan.objects.filter((object) => object.impossible.length > 0);
  const open = risksOf(plan).filter((risk) => !allows(risk));
  if (impossible.length + open.length === 0) return undefined;
  const named = impossible.slice(0, maxNamed).map((one) => `  ${one.address}: ${one.impossible.join(' ')}`);
  const left = impossible.length - named.length;
  const message = [
    impossible.length > 0 && `${counted(impossible.length, 'object')} can't be made as the files say:`,
    ...named,
    left > 0 && `  and ${groupedNumber(left)} more`,
    open.length > 0 && `The plan has risks that are not allowed: ${open.join(', ')}.`,
  ];
  const allowed = command('tenants', 'plan', ...lineWords(input), '--allow', risksOf(plan).join(','));
  return new Failure(
    impossible.length > 0 ? 'invalidInput' : 'notConfirmed',
    message.filter((line) => line !== false).join('\n'),
    {
      hint: joinRemarks([
        impossible.length > 0 && 'Correct these, and plan again. An apply would skip them and do the rest.',
        open.length > 0 && remark`To accept them, give the plan and the apply the same words: ${allowed}`,
      ]),
    },
  );
}

/** Suggests a command for each ambiguous object, which says what it is in the service. */
export function deciding({ objects }: Plan, input: PlanInput): readonly Remark[] {
  const unclear = objects.flatMap((one) => (one.unclear ? [{ ...one, unclear: one.unclear }] : []));
  return unclear.slice(0, maxSuggestions).map((one) => decidedBy(one.address, one.unclear, input));
}

function decidedBy(
  address: string,
  { candidate }: NonNullable<ObjectPlan['unclear']>,
  input: PlanInput,
): Remark {
  const { paths = [], lock } = input;
  const named = lock ?? (paths.length > 0 ? lockBeside(paths) : undefined);
  const of = named === undefined ? [] : ['--lock', named];
  return candidate === undefined
    ? remark`Make one by itself: ${command('tenants', 'apply', ...lineWords({ ...input, targets: [address] }))}`
    : remark`Say which one it is: ${command('tenants', 'import', address, candidate, ...of)}`;
}
