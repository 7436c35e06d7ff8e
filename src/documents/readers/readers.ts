import type { BinaryKind } from '../kind.ts';
import type { Reader } from './reader.ts';

/** The readers of the formats that are no text. Each is loaded when the first file of its kind comes. */
export const readers: Readonly<Record<BinaryKind, () => Promise<Reader>>> = {
  pdf: async () => (await import('./pdf.ts')).readPdf,
  docx: async () => (await import('./docx.ts')).readDocx,
  doc: async () => (await import('./doc.ts')).readDoc,
};
