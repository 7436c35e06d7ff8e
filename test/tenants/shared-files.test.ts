import { statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Extracted, Extractor, type FileToRead } from '../../src/documents/count/extract.ts';
import { checkFile } from '../../src/documents/local-file.ts';
import { settleFiles } from '../../src/documents/sync/settle-files.ts';
import type { LocalFile } from '../../src/documents/sync/sync-plan.ts';
import { ShownSizes } from '../../src/documents/upload/shown-size.ts';
import { withDocuments } from '../../src/tenants/declared-documents.ts';
import { madeDocx, paragraph } from '../documents/count/made-docx.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { declared } from './world.ts';

const place = { file: 'tenants.yaml', line: 1, column: 1 };
const { signal } = new AbortController();

/** An extractor that records its requests and reads nothing. */
class ToldExtractor extends Extractor {
  readonly asked: string[] = [];

  override async extract({ path }: FileToRead): Promise<Extracted> {
    this.asked.push(basename(path));
    return { chars: path.length, digest: path };
  }
}

const reporter = {
  note: () => undefined,
  warn: () => undefined,
  done: () => undefined,
  progress: () => ({ update: () => undefined, stop: () => undefined }),
};

describe('a file that several tenants use for documents', () => {
  const madeFile = (): string => {
    const path = join(temporaryDirectory(), 'menu.docx');
    writeFileSync(path, madeDocx(paragraph('soup')));
    return path;
  };

  it('is read once', async () => {
    const path = madeFile();
    const tenant = (key: string) =>
      ({
        ...{ key, address: key, place, fields: { name: declared(key) }, administrator: undefined },
        documents: [{ key: 'menu', address: `${key}/documents/menu`, place, source: { kind: 'file', path } }],
        ...{ bots: [], devices: [] },
      }) as const;
    const [aurora, borealis] = await withDocuments([tenant('aurora'), tenant('borealis')], signal);
    expect(aurora?.documents[0]).toMatchObject({ address: 'aurora/documents/menu', name: 'menu.docx' });
    expect(aurora?.documents[0]?.file).toMatchObject({ path, size: statSync(path).size });
    expect(borealis?.documents[0]?.file).toBe(aurora?.documents[0]?.file);
  });

  it('is counted once under each name, and for none of them if it was written to since', async () => {
    const path = madeFile();
    const state = await checkFile(path);
    const fileOf = (key: string, name: string, size = state.size): LocalFile => ({
      ...{ path, key: `${key}/documents/menu`, name, sha256: 'a'.repeat(64) },
      ...{ ...state, size },
    });
    const extractor = new ToldExtractor();
    const teamOf = (file: LocalFile) => ({
      matches: [{ kind: 'other', file, line: undefined } as const],
      documents: [],
      isKnown: () => false,
    });
    const files = [
      fileOf('aurora', 'menu.docx'),
      fileOf('borealis', 'menu.docx'),
      fileOf('crux', 'carte.docx'),
      fileOf('dorado', 'menu.docx', 1),
    ];
    const settled = await settleFiles(
      { reporter },
      { counting: { extractor, signal }, asText: [] },
      files.map(teamOf),
      new ShownSizes(),
    );
    expect(extractor.asked).toEqual(['menu.docx', 'menu.docx']);
    const counted = { chars: path.length, text: path };
    expect(settled.map((one) => one.files)).toMatchObject([
      ...files.slice(0, 3).map((file) => [{ file, change: 'new', counted }]),
      [],
    ]);
    expect(settled[3]?.unread).toMatchObject([{ path: 'dorado/documents/menu', reason: 'unreadable' }]);
  });
});
