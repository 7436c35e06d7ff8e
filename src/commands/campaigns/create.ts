import { hostname } from 'node:os';
import type { Campaign, CampaignDevice } from '../../campaigns/campaign.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { apiSendOptions, messageText, sendOptions } from '../../cli/message-options.ts';
import { manyOptions, nameOf, option, path, positional, requiredOption } from '../../cli/options.ts';
import { storeOptions } from '../../cli/store-options.ts';
import { Failure, usageFailure } from '../../lib/errors.ts';
import { nonEmptyText, text } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { Device } from '../../resources/devices/device.ts';
import { problemsOfWords } from '../../resources/messages/send-message.ts';
import { originOf } from '../../settings/base-url.ts';
import { campaignFields, campaignRow } from './fields.ts';
import { listOptions, newName, paceOf, paceOptions, problemsOfPace } from './options.ts';
import { storeOf } from './stored.ts';
import { writeList } from './write-list.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'Create a campaign from a list of recipients',
  description:
    'Checks the number of every row and renders its message. Numbers that have opted out and duplicates are skipped. ' +
    'The campaign keeps a copy of the list, so later changes to the file have no effect. Nothing is sent until you ' +
    'use campaigns run. See botctl help campaigns.',
  options: {
    name: positional(requiredOption('--name <name>', 'name of the campaign', newName)),
    ...listOptions,
    keyColumn: option(
      '--key-column <column>',
      'skip a row with the same value in this column as an earlier row',
      nonEmptyText,
    ),
    devices: manyOptions(
      '--device <device>',
      'device to send through, by name or id; several share the rows; at least one is required',
      nameOf('device'),
    ),
    message: option(
      '--message <text>',
      'text of the message; {{ name }} stands for the column "name" of each row',
      text,
    ),
    messageFile: option('--message-file <file>', 'file with the message; - reads stdin', path),
    ...sendOptions,
    ...paceOptions,
    ...storeOptions,
  },
  examples: [
    {
      line: 'botctl campaigns create winter --recipients people.csv --device Reception --message "Hello {{ name }}!"',
      does: 'Create a campaign from a list',
    },
    {
      line: 'botctl campaigns create winter --recipients people.csv --device Reception --message "Hello!" --daily 200 --window "mon-fri 09:00-18:00" --tz America/Sao_Paulo',
      does: 'Send at most 200 a day, during working hours',
    },
    {
      line: 'botctl campaigns create winter --recipients people.csv --device Reception --message-file offer.liquid --dry-run',
      does: 'Check a list and a message, and save nothing',
    },
  ],
  needs: 'api',
  effect: 'creates',
  output: { kind: 'record', fields: campaignFields },
  checkInput({ devices = [], message, messageFile, recipients, aiGeneratesMessage, imageUrl, ...pace }) {
    const hasMessage = message !== undefined || messageFile !== undefined || aiGeneratesMessage || imageUrl;
    const problems = [
      devices.length === 0 && '--device is missing.',
      ...problemsOfWords({ message, messageFile }),
      recipients === '-' &&
        messageFile === '-' &&
        'Only one of --recipients and --message-file can read stdin.',
      ...problemsOfPace(pace),
      !hasMessage && 'The message is missing: give --message TEXT or --message-file FILE.',
    ].filter((problem) => problem !== false);
    if (problems.length > 0) throw usageFailure(problems);
  },
  async prepare(session, input) {
    const { api } = session;
    const { nameTakenFailure } = await import('../../campaigns/campaign-failures.ts');
    const store = await storeOf(session, input, true);
    if (!input.dryRun && (await store.look(originOf(api.baseUrl), input.name)))
      throw nameTakenFailure(input.name);
    const template = await messageText(session, input);
    const devices = await devicesFor(session, input.devices);
    const { readList } = await import('../../campaigns/read-list.ts');
    return { store, devices, template, list: await readList(session.io, input) };
  },
  async run(session, input, { store, devices, template, list }) {
    const { planRows } = await import('../../campaigns/draft-list.ts');
    const { columns } = list.recipients;
    const content = { message: template, options: apiSendOptions(input), columns };
    const place = input.messageFile === undefined ? '--message' : '--message-file';
    const plan = planRows(list, { ...content, devices }, 0, place);
    const campaign: Campaign = {
      name: input.name,
      origin: originOf(session.api.baseUrl),
      created_at: new Date(session.clock.now()).toISOString(),
      made_on: { host: hostname() },
      devices: await freezeDevices(session, devices),
      ...content,
      ...paceOf(input),
      to_column: list.toColumn,
      key_column: list.keyColumn,
      sources: [{ file: list.file, sha256: list.sha256 }],
    };
    const draft = await store.draft(campaign);
    const { summary, notes } = await writeList(session, { store, draft, list, plan, input });
    const row = campaignRow(campaign, summary, undefined, notes.alike);
    if (input.dryRun) {
      session.terminal.note('Dry run: nothing was saved.');
      return row;
    }
    session.terminal.done(`Created campaign ${input.name}. Nothing was sent.`);
    session.terminal.note(
      remark`Its numbers and messages are stored ${store.place} until you delete it. See its rows: ${command('campaigns', 'results', input.name)}`,
    );
    return row;
  },
});

async function devicesFor(session: Session, typed: readonly string[]): Promise<readonly Device[]> {
  const { deviceFor } = await import('../../resources/devices/device.ts');
  const devices = new Map<string, Device>();
  for (const one of typed) {
    const device = await deviceFor(session, one);
    devices.set(device.id, device);
  }
  return [...devices.values()];
}

/**
 * @throws Failure `notReached` for a device without a number: a later run could not check that it is still the same
 *   device
 */
async function freezeDevices(
  session: Session,
  devices: readonly Device[],
): Promise<readonly CampaignDevice[]> {
  const { readAndNote } = await import('../../resources/devices/device.ts');
  const read: CampaignDevice[] = [];
  for (const device of devices) {
    const { phoneNumber } = await readAndNote(session, device);
    if (phoneNumber === undefined) {
      throw new Failure('notReached', `${device.label} has no number yet, so it can't send.`, {
        hint: remark`Pair it first: ${command('device', 'connect', device.word)}`,
      });
    }
    read.push({ id: device.id, name: device.name, number: session.redact(phoneNumber) });
  }
  return read;
}
