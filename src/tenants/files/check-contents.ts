import type { CharacterCount } from '../../documents/count/count.ts';
import type { RefusedFile } from '../../documents/upload/refused-files.ts';
import { groupBy } from '../../lib/iterables.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { type CountedQuota, countedQuotas } from '../../resources/teams/usage.ts';
import { type DeclaredTenant, documentNameProblems, withDocuments } from '../declared-documents.ts';
import { type Address, type DesiredTenant, fieldText, quotaOf } from '../desired.ts';
import type { FileProblem } from './file-value.ts';

/**
 * Checks declarations beyond the format of the files, as far as possible without the service: documents that can't be
 * uploaded, duplicate names, and quotas in the files that are exceeded.
 * @param isKnown returns whether the state file has an object at an address, so that it is not created
 * @throws the signal's reason
 */
export async function contentProblems(
  { signal, reporter }: Pick<ResourceContext, 'signal' | 'reporter'>,
  desired: readonly DesiredTenant[],
  isKnown: (address: Address) => boolean,
): Promise<readonly FileProblem[]> {
  const tenants = await withDocuments(desired, signal);
  const counts = await countAll(tenants, signal, reporter);
  const found = new Map<string, FileProblem>();
  for (const problem of [
    ...tenants.flatMap((tenant) => [...uploadProblems(tenant, counts), ...quotaProblems(tenant, counts)]),
    ...documentNameProblems(tenants).map((one) => ({ ...one, field: '' })),
    ...twinTeams(tenants, isKnown),
  ]) {
    const { place, message } = problem;
    // Tenants of a template share their problems.
    const mark = JSON.stringify([place, message]);
    if (!found.has(mark)) found.set(mark, problem);
  }
  return [...found.values()];
}

type Counts = ReadonlyMap<string, CharacterCount | RefusedFile>;

/** Counts each file once, by its path. */
async function countAll(
  tenants: readonly DeclaredTenant[],
  signal: AbortSignal,
  reporter: ResourceContext['reporter'],
): Promise<Counts> {
  const [{ FileCounter }, { countFound }] = await Promise.all([
    import('../../documents/count/count.ts'),
    import('../../documents/upload/count-files.ts'),
  ]);
  const counts = new Map<string, CharacterCount | RefusedFile>();
  const counter = new FileCounter({ signal });
  const progress = reporter.progress('Counting characters');
  try {
    for (const { name, file } of tenants.flatMap(({ documents }) => documents)) {
      if (!file || file.problem !== undefined || counts.has(file.path)) continue;
      progress.update(`Counting the characters of ${file.path}`);
      counts.set(file.path, await countFound(counter, { path: file.path, below: '' }, [], name));
    }
  } finally {
    progress.stop();
    await counter.close();
  }
  return counts;
}

function uploadProblems({ documents }: DeclaredTenant, counts: Counts): readonly FileProblem[] {
  return documents.flatMap(({ address, place, file }) => {
    if (!file) return [];
    const count = counts.get(file.path);
    const problem = file.problem ?? (count && 'failure' in count ? count.failure.message : undefined);
    return problem === undefined
      ? []
      : [{ place, field: dotted(address), message: `${file.path} can't be uploaded: ${problem}` }];
  });
}

/** Compares the declared objects of a tenant with its declared quotas. */
function quotaProblems(tenant: DeclaredTenant, counts: Counts): readonly FileProblem[] {
  const { address, fields, bots, documents } = tenant;
  const charsOf = ({ file }: DeclaredTenant['documents'][number]): number | undefined => {
    if (!file) return 0;
    const count = counts.get(file.path);
    return count && 'chars' in count ? count.chars : undefined;
  };
  // A document that can't be uploaded uses no quota.
  const chars = documents.map(charsOf).filter((one) => one !== undefined);
  const declared: Readonly<Record<CountedQuota, number>> = {
    bots: bots.length,
    documents: chars.length,
    characters: chars.reduce((sum, one) => sum + one, 0),
  };
  return countedQuotas.flatMap((quota) => {
    const field = fields[`quotas.${quota}`];
    const [allowed, needed] = [quotaOf(tenant, quota), declared[quota]];
    if (!field || allowed === undefined || needed <= allowed) return [];
    const message = `${address} declares ${groupedNumber(needed)} ${quota}, and its quota is ${groupedNumber(allowed)}. Set quotas.${quota} to at least ${needed}, or declare less.`;
    return [{ place: field.place, field: dotted(`${address}/quotas/${quota}`), message }];
  });
}

/** Teams of one name that are created at once can't be told apart after a lost response. */
function twinTeams(
  tenants: readonly DeclaredTenant[],
  isKnown: (address: Address) => boolean,
): readonly FileProblem[] {
  const created = tenants.filter(({ address }) => !isKnown(address));
  const named = groupBy(created, ({ fields }) => fieldText(fields.name));
  return [...named].flatMap(([name, [first, ...others]]) =>
    others.map(({ address, fields }) => ({
      place: fields.name.place,
      field: dotted(`${address}/name`),
      message: `${address} has the same name as ${first?.address}, ${inSentence(name)}. After a lost response botctl could not tell them apart. Rename one, or create them one at a time with --target.`,
    })),
  );
}

function dotted(address: string): string {
  return address.replaceAll('/', '.');
}
