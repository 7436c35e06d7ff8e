import type { Campaign, CampaignDevice, CampaignRow, Mark } from '../../campaigns/campaign.ts';
import { paceWords } from '../../campaigns/pace.ts';
import { campaignState, type PlannedMessages, type RowCounts } from '../../campaigns/row-summary.ts';
import type { CampaignOverview } from '../../campaigns/store.ts';
import { windowWords } from '../../campaigns/window.ts';
import type { Field, Fields, Row } from '../../output/fields.ts';
import type { Tone } from '../../terminal/colour.ts';

const stateField: Field = {
  name: 'state',
  importance: 8,
  tone: (state) => (state === 'paused' || state === 'cancelled' ? 'warning' : undefined),
};

const countFields: Fields = [
  { name: 'rows', kind: 'number', importance: 7 },
  { name: 'planned', kind: 'number', importance: 8 },
  { name: 'accepted', kind: 'number', importance: 8 },
  { name: 'rejected', kind: 'number', importance: 7 },
  { name: 'unknown', kind: 'number', importance: 7 },
  { name: 'opted_out', heading: 'Opted out', kind: 'number', importance: 4 },
  { name: 'duplicates', kind: 'number', importance: 4 },
  { name: 'invalid', kind: 'number', importance: 4 },
];

/** Fields of the mark of a campaign: paused or cancelled. */
export const markFields: Fields = [
  { name: 'name' },
  { name: 'state' },
  { name: 'at', heading: 'Since', kind: 'time' },
  { name: 'left', heading: 'Left to send', kind: 'number' },
];

/** Fields of a campaign in a list. */
export const listFields: Fields = [
  { name: 'name', importance: 9 },
  stateField,
  { name: 'devices', importance: 5 },
  ...countFields,
  { name: 'created_at', heading: 'Created', kind: 'time', importance: 3 },
];

/** Fields of one campaign. */
export const campaignFields: Fields = [
  { name: 'name' },
  stateField,
  { name: 'service' },
  { name: 'devices' },
  ...countFields,
  { name: 'alike', heading: 'Identical messages', kind: 'number' },
  { name: 'pace' },
  { name: 'takes', heading: 'Takes about', kind: 'seconds' },
  { name: 'first_to', heading: 'First to', kind: 'phone' },
  { name: 'first_message', heading: 'First message' },
  { name: 'last_to', heading: 'Last to', kind: 'phone' },
  { name: 'last_message', heading: 'Last message' },
  { name: 'longest_message', heading: 'Longest message' },
  { name: 'longest_chars', heading: 'Longest length', kind: 'number' },
  { name: 'recipients' },
  { name: 'created_at', heading: 'Created', kind: 'time' },
  { name: 'made_on', heading: 'Created on', detail: true },
];

const deviceWord = ({ name, id, number }: CampaignDevice): string => `${name ?? id} (${number})`;

const shownNumber = (digits: string | undefined): string | null =>
  digits === undefined ? null : `+${digits}`;

/** Returns a campaign as a row of a list. */
export function listRow({ campaign, counts, mark }: CampaignOverview): Row {
  const { name, devices, created_at } = campaign;
  const state = campaignState(counts, mark);
  return { name, state, devices: devices.map(deviceWord), ...counts, created_at };
}

/**
 * Returns a campaign as a card.
 * @param alike the number of messages with the same text
 */
export function campaignRow(
  campaign: Campaign,
  { counts, messages }: { readonly counts: RowCounts; readonly messages: PlannedMessages },
  mark: Mark | undefined,
  alike: number,
): Row {
  const { name, origin, devices, sources, created_at, made_on } = campaign;
  const { first, last, longest } = messages;
  return {
    name,
    state: campaignState(counts, mark),
    service: origin,
    devices: devices.map(deviceWord),
    ...counts,
    alike,
    pace: paceWords(campaign),
    takes: messages.secondsNeeded(campaign),
    first_to: shownNumber(first?.to),
    first_message: first?.text ?? null,
    last_to: shownNumber(last?.to),
    last_message: last?.text ?? null,
    longest_message: longest ?? null,
    longest_chars: longest === undefined ? null : [...longest].length,
    recipients: sources.map(({ file }) => file),
    created_at,
    made_on: made_on.host,
    ...{ message: campaign.message ?? null, ...campaign.options, ...paceMembers(campaign), sources },
  };
}

function toneOf(state: unknown): Tone | undefined {
  if (state === 'accepted') return 'good';
  if (state === 'rejected' || state === 'unknown') return 'bad';
  return state === 'planned' || state === 'sending' ? undefined : 'warning';
}

function paceMembers({ gap, daily, warm_up, windows, tz }: Campaign): Row {
  return { gap, daily, warm_up, windows: windows?.map(windowWords), tz };
}

/** Fields of the result of a row, which follow its own columns. */
export const resultFields: Fields = [
  { name: 'row', kind: 'number', importance: 8 },
  { name: 'to', kind: 'phone', importance: 8 },
  { name: 'state', importance: 9, tone: toneOf },
  { name: 'reason', importance: 8 },
  { name: 'because', importance: 5 },
  { name: 'at', kind: 'time', importance: 4 },
  { name: 'attempts', kind: 'number', importance: 2 },
  { name: 'device', importance: 3 },
  { name: 'message', importance: 6 },
];

/**
 * Returns the fields of the rows of a campaign: its columns in order, then the fields of botctl. Those get names that
 * are not columns.
 */
export function fieldsOfRows(columns: readonly string[]): Fields {
  const own = resultFields.map((field): Field => {
    const name = freeName(field.name, columns);
    const named = name === field.name ? field : { ...field, name, heading: `Campaign ${field.name}` };
    return { ...named, escapesLineBreaks: true };
  });
  const its = columns.map((name): Field => ({ name, heading: name, importance: 5, escapesLineBreaks: true }));
  return [...its, ...own];
}

export function resultRow({ columns, devices }: Campaign, row: CampaignRow): Row {
  const device = row.device === undefined ? undefined : devices[row.device];
  const own = {
    row: row.row,
    to: shownNumber(row.to),
    state: row.state,
    reason: row.reason ?? null,
    because: row.because ?? null,
    at: row.at ?? null,
    attempts: row.attempts ?? 0,
    device: device ? (device.name ?? device.id) : null,
    message: row.text ?? null,
  };
  return Object.fromEntries([
    ...columns.map((name, at): [string, unknown] => [name, row.cells[at] ?? null]),
    ...Object.entries(own).map(([name, value]): [string, unknown] => [freeName(name, columns), value]),
  ]);
}

/** A column of the list keeps its name; a field of botctl with the same name is renamed. */
function freeName(name: string, columns: readonly string[]): string {
  return columns.includes(name) ? freeName(`campaign_${name}`, columns) : name;
}
