import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CampaignRow } from '../../../src/campaigns/campaign.ts';
import { createDraft } from '../../../src/campaigns/draft.ts';
import { rowNumber } from '../../../src/campaigns/number-reader.ts';
import { storeIn } from '../../../src/campaigns/store/campaign-store.ts';
import type { CampaignDraft } from '../../../src/campaigns/store.ts';
import { collect } from '../../../src/lib/iterables.ts';
import { phoneNumbers } from '../../../src/phone-numbers/national-number.ts';
import { canonicalForm } from '../../../src/phone-numbers/number-forms.ts';
import { springCampaign } from '../../support/campaign.ts';
import { newDatabasePlace } from '../../support/campaign-databases.ts';

const at = '2026-01-01T00:00:00.000Z';
const { campaign: spring } = springCampaign('https://a.example');
const columns = ['phone', 'id'];
const toNumber = phoneNumbers(undefined);

/** A recipient: a number, valid or not, and a key. */
type Person = readonly [to: string, key: string];

/** A plain model of a campaign. */
class Model {
  readonly rows: (readonly [to: string | undefined, reason: string])[] = [];
  readonly #firsts: Person[] = [];

  constructor(
    readonly isKeyed: boolean,
    readonly optedOut: readonly string[],
  ) {}

  /** Adds a list. The first one creates the campaign. */
  add(people: readonly Person[]): void {
    const isNew = this.rows.length === 0;
    const earlier = [...this.#firsts];
    for (const person of people) {
      const [to] = person;
      if (to === 'x') {
        if (isNew) this.rows.push([undefined, 'invalid']);
      } else if (!earlier.some((one) => this.#repeats(one, person)))
        this.rows.push([to, this.#reasonOf(person)]);
    }
  }

  #reasonOf(person: Person): string {
    if (this.#firsts.some((one) => this.#hasKeyOf(one, person))) return 'duplicate_key';
    if (this.#firsts.some((one) => this.#repeats(one, person))) return 'duplicate';
    this.#firsts.push(person);
    return this.optedOut.some((one) => canonicalForm(one) === canonicalForm(person[0]))
      ? 'opted_out'
      : 'planned';
  }

  #repeats(one: Person, other: Person): boolean {
    return canonicalForm(one[0]) === canonicalForm(other[0]) || this.#hasKeyOf(one, other);
  }

  #hasKeyOf(one: Person, other: Person): boolean {
    return this.isKeyed && one[1] === other[1];
  }
}

const numbers = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 10, max: 25 }).map((end) => `55119888877${end}`) },
  { weight: 3, arbitrary: fc.integer({ min: 10, max: 25 }).map((end) => `5511888877${end}`) },
  fc.constantFrom('525512345678', '5215512345678', '541123456789', '5491123456789'),
);
const person = fc.tuple(
  fc.oneof({ weight: 9, arbitrary: numbers }, fc.constant('x')),
  fc.integer({ min: 1, max: 30 }).map(String),
);
const lists = fc.array(fc.array(person, { minLength: 1, maxLength: 30 }), { minLength: 2, maxLength: 3 });

describe('the rows of a campaign', () => {
  it('have duplicate numbers and keys according to a simple model, for any added lists', async () => {
    const store = storeIn(await (await newDatabasePlace()).open());
    let services = 0;
    const samples = fc.record({
      lists,
      isKeyed: fc.boolean(),
      optedOut: fc.uniqueArray(numbers, { maxLength: 4 }),
      atOnce: fc.integer({ min: 1, max: 9 }),
    });
    const property = fc.asyncProperty(samples, async ({ lists, isKeyed, optedOut, atOnce }) => {
      services += 1;
      const origin = `https://${services}.example`;
      const optOuts = store.optOuts(origin);
      await optOuts.add(optedOut.map((number) => ({ number, added_at: at })));
      const campaign = { ...spring, origin, columns };
      const write = async (people: readonly Person[], draft: CampaignDraft, earlier: number) => {
        const plan = {
          columns,
          toColumn: 'phone',
          keyColumn: isKeyed ? 'id' : undefined,
          devices: 1,
          earlier,
        };
        const made = createDraft(
          { ...plan, template: undefined, mayBeEmpty: true, limit: undefined },
          { firstRows: draft.firstRows, optedOut: optOuts.filterOptedOut },
        );
        for (let from = 0; from < people.length; from += atOnce) {
          const recipients = people.slice(from, from + atOnce).map(([to, id], index) => ({
            line: from + index + 2,
            cells: new Map([
              ['phone', to],
              ['id', id],
            ]),
            number: rowNumber(`+${to}`, toNumber),
          }));
          const rows = await made.take(recipients);
          if (rows.length > 0) await draft.write(rows);
        }
        await draft.publish();
      };
      const stored = async () => (await collect(store.rows(campaign))).flat();
      const model = new Model(isKeyed, optedOut);
      for (const people of lists) {
        const earlier = model.rows.length;
        const list = { after: earlier, columns, source: { file: 'more.csv', sha256: '' } };
        const draft = earlier === 0 ? await store.draft(campaign) : await store.draftMore(campaign, list);
        await write(people, draft, earlier);
        model.add(people);
        const rows = await stored();
        expect(rows.map(shown)).toEqual(model.rows);
        expect(rows.map(({ row }) => row)).toEqual(rows.map((__, index) => index + 1));
      }
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

function shown({ to, state, reason }: CampaignRow) {
  return [to, reason ?? state];
}
