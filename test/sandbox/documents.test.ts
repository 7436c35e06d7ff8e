import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi, expectRefusal, issuePaths } from './api.ts';
import { createDocument, createTeam, documentForm } from './samples.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);

const files = (): string => sandbox.files;
const stored = (): readonly string[] =>
  readdirSync(files(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

const zip = (part: string): string => `PK\x03\x04 some bytes ${part} more bytes PK\x05\x06`;
const compound = Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]);
const wide = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'utf16le'));

describe('uploading a document', () => {
  it('stores the file at file_url', async () => {
    const { id: team_id } = await createTeam(api);
    const document = await createDocument(api, team_id, {
      name: 'hours.txt',
      bytes: 'Olá, até já.',
      chars: 12,
    });
    expect(document).toMatchObject({ team_id, name: 'hours.txt', type: 'txt', size: 15, chars: 12 });
    expect(document.provider_id).toMatch(/^file-\w+$/);
    expect(document.file_url).toBe(`${team_id}/${document.provider_id}.txt`);
    expect(readFileSync(join(files(), document.file_url), 'utf8')).toBe('Olá, até já.');
    expect((await api.ok('getDocument', { path: { id: document.id } })).data).toEqual(document);
  });

  it('accepts fields before the file and after it', async () => {
    const { id } = await createTeam(api);
    const form = new FormData();
    form.append('chars', '4');
    form.append('file', new Blob(['text']), 'a.txt');
    form.append('team_id', id);
    await api.ok('createDocument', { form });
  });

  it.each(['relatório — final.txt', '日本語.txt', 'a;b=c.txt', 'a b%20c.txt'])(
    'keeps the name %s',
    async (name) => {
      const { id } = await createTeam(api);
      expect((await createDocument(api, id, { name })).name).toBe(name);
    },
  );

  it('keeps a path in the name, and stores the file at file_url', async () => {
    const { id } = await createTeam(api);
    for (const name of ['../../etc/passwd.txt', 'C:\\menu.txt', '..', '/']) {
      const document = await createDocument(api, id, { name });
      expect(document.name).toBe(name);
      expect(document.file_url.startsWith(`${id}/file-`)).toBe(true);
    }
    expect(stored()).toHaveLength(4);
  });

  it.each([
    ['blank', '  \t'],
    ['cut within a character', 'caf\xc3'],
  ])('refuses a name that is %s', async (_, name) => {
    const { id } = await createTeam(api);
    const head = `--x\r\nContent-Disposition: form-data; name="team_id"\r\n\r\n${id}\r\n--x\r\nContent-Disposition: form-data; name="chars"\r\n\r\n1\r\n`;
    const body = `${head}--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\na\r\n--x--\r\n`;
    const answer = await api.send('POST', '/api/openapi/v1/documents', {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: Buffer.from(body, 'latin1'),
    });
    expect(issuePaths(expectRefusal(answer, 'BAD_REQUEST'))).toEqual(['file']);
    expect(stored()).toEqual([]);
  });

  it.each([
    ['report.pdf', '%PDF-1.7 …', 'pdf', 'pdf'],
    ['report', '\n%PDF-1.7 …', 'pdf', 'pdf'],
    ['letter.docx', zip('word/document.xml'), 'docx', 'docx'],
    ['letter.zip', zip('word/document.xml'), 'docx', 'docx'],
    ['letter.doc', compound, 'doc', 'doc'],
    ['letter', new Uint8Array([...compound, ...wide('WordDocument')]), 'doc', 'doc'],
    ['README.md', '# Title', 'txt', 'md'],
    ['data.CSV', 'a;b', 'txt', 'csv'],
    ['page.pdf', 'only text', 'txt', 'txt'],
    ['latin.txt', Uint8Array.from([0x41, 0xe7, 0xe3, 0x6f]), 'txt', 'txt'],
    ['wide.txt', wide('\ufeffOlá ĀĊ'), 'txt', 'txt'],
    ['wide-without-mark.txt', wide('Hello there'), 'txt', 'txt'],
  ])('detects the type of %s by its content', async (name, bytes, type, extension) => {
    const { id } = await createTeam(api);
    const document = await createDocument(api, id, { name, bytes });
    expect(document.type).toBe(type);
    expect(document.file_url.endsWith(`.${extension}`)).toBe(true);
  });

  it.each([
    ['picture.png', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])],
    ['table.xlsx', zip('xl/workbook.xml')],
    ['table.xls', compound],
    ['program.txt', Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0])],
    ['zeros.txt', new Uint8Array(100)],
    ['empty.txt', ''],
  ])('refuses %s, and keeps nothing of it', async (name, bytes) => {
    const { id } = await createTeam(api);
    const refusal = await api.refused('createDocument', 'BAD_REQUEST', {
      form: documentForm(id, { name, bytes }),
    });
    expect(refusal.error).toContain(name);
    expect(stored()).toEqual([]);
    expect((await api.ok('listDocuments')).meta.total).toBe(0);
  });

  it.each([
    ['no file', (form: FormData) => form.delete('file'), ['file']],
    ['two files', (form: FormData) => form.append('file', new Blob(['x']), 'b.txt'), ['file']],
    ['another file', (form: FormData) => form.append('picture', new Blob(['x']), 'b.txt'), ['picture']],
    ['a file that is a text', (form: FormData) => form.set('file', 'text'), ['file']],
    ['no team', (form: FormData) => form.delete('team_id'), ['team_id']],
    ['a team twice', (form: FormData) => form.append('team_id', 'x'), ['team_id']],
    ['no chars', (form: FormData) => form.delete('chars'), ['chars']],
    ['negative chars', (form: FormData) => form.set('chars', '-1'), ['chars']],
    ['an unknown field', (form: FormData) => form.set('__proto__', 'x'), ['__proto__']],
  ])('refuses %s', async (_, spoil, paths) => {
    const { id } = await createTeam(api);
    const form = documentForm(id);
    spoil(form);
    expect(issuePaths(await api.refused('createDocument', 'BAD_REQUEST', { form }))).toEqual(paths);
    expect(stored()).toEqual([]);
  });

  it('refuses a team that does not exist', async () => {
    await api.refused('createDocument', 'BAD_REQUEST', { form: documentForm(randomUUID()) });
    expect(stored()).toEqual([]);
  });

  it.each([
    ['JSON', 'application/json', '{}'],
    ['a form of another kind', 'application/x-www-form-urlencoded', 'team_id=x'],
    ['no boundary', 'multipart/form-data', '--x\r\n'],
    ['nothing', 'multipart/form-data; boundary=x', ''],
    [
      'a file that is cut short',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf a fi',
    ],
  ])('refuses %s', async (_, type, body) => {
    const answer = await api.send('POST', '/api/openapi/v1/documents', {
      headers: { 'content-type': type },
      body,
    });
    expectRefusal(answer, 'BAD_REQUEST');
    expect(stored()).toEqual([]);
  });

  it('enforces the quotas of documents and characters', async () => {
    const { id } = await createTeam(api, { quotas: { documents: 2, characters: 100 } });
    const upload = async (chars: number) =>
      (await api.send('POST', '/api/openapi/v1/documents', { body: documentForm(id, { chars }) })).status;
    expect(await upload(101)).toBe(400);
    expect(await upload(60)).toBe(200);
    expect(await upload(41)).toBe(400);
    const together = await Promise.all([upload(40), upload(40), upload(40)]);
    expect(together.toSorted()).toEqual([200, 400, 400]);
    const refusal = await api.refused('createDocument', 'BAD_REQUEST', {
      form: documentForm(id, { chars: 0 }),
    });
    expect(refusal.error).toContain('quota of 2 documents');
    expect(stored()).toHaveLength(2);
  });
});

describe('listing documents', () => {
  it('lists those of all teams, and filters by team, part of the name and type', async () => {
    const one = await createTeam(api);
    const two = await createTeam(api);
    await createDocument(api, one.id, { name: 'Hours.txt' });
    await createDocument(api, one.id, { name: 'prices.pdf', bytes: '%PDF-1.7' });
    await createDocument(api, two.id, { name: 'opening HOURS 100%.md' });
    const names = async (query: Readonly<Record<string, string | number>>) =>
      (await api.ok('listDocuments', { query })).data.map(({ name }) => name);
    expect(await names({})).toEqual(['Hours.txt', 'prices.pdf', 'opening HOURS 100%.md']);
    expect(await names({ team_id: two.id })).toEqual(['opening HOURS 100%.md']);
    expect(await names({ name: 'hours' })).toEqual(['Hours.txt', 'opening HOURS 100%.md']);
    expect(await names({ name: '100%' })).toEqual(['opening HOURS 100%.md']);
    expect(await names({ type: 'pdf' })).toEqual(['prices.pdf']);
    expect(await names({ type: 'txt', team_id: one.id })).toEqual(['Hours.txt']);
    expect((await api.ok('listDocuments', { query: { limit: 1, page: 3 } })).meta).toEqual({
      page: 3,
      limit: 1,
      total: 3,
      totalPages: 3,
    });
  });

  it('refuses an unknown type', async () => {
    const refusal = await api.refused('listDocuments', 'BAD_REQUEST', {
      query: { type: 'odt', team_id: 'acme' },
    });
    expect(issuePaths(refusal)).toEqual(['team_id', 'type']);
  });
});

describe('renaming a document', () => {
  it('changes only the name, and reports that', async () => {
    const { id: teamId } = await createTeam(api);
    const document = await createDocument(api, teamId);
    sandbox.advance(1000);
    const { data, meta } = await api.ok('updateDocument', {
      path: { id: document.id },
      body: { name: 'new.pdf' },
    });
    expect(meta).toEqual({ changes: ['name'] });
    expect(data).toEqual({ ...document, name: 'new.pdf', updated_at: data.updated_at });
    expect(data.updated_at > document.updated_at).toBe(true);
    expect(existsSync(join(files(), data.file_url))).toBe(true);
  });

  it.each([{}, { name: 'hours.txt' }])('changes nothing for %j', async (body) => {
    const { id: teamId } = await createTeam(api);
    const document = await createDocument(api, teamId, { name: 'hours.txt' });
    const { data, meta } = await api.ok('updateDocument', { path: { id: document.id }, body });
    expect(meta).toEqual({ changes: [] });
    expect(data).toEqual(document);
  });

  it.each([
    [{ name: '' }, ['name']],
    [{ chars: 3 }, ['chars']],
    [{ name: 'x', file: 'x' }, ['file']],
  ])('refuses %j', async (body, paths) => {
    const { id: teamId } = await createTeam(api);
    const { id } = await createDocument(api, teamId);
    expect(issuePaths(await api.refused('updateDocument', 'BAD_REQUEST', { path: { id }, body }))).toEqual(
      paths,
    );
  });

  it.each([randomUUID(), 'hours.txt'])('does not find %s', async (id) => {
    await api.refused('getDocument', 'NOT_FOUND', { path: { id } });
    await api.refused('updateDocument', 'NOT_FOUND', { path: { id }, body: { name: 'x' } });
  });
});
