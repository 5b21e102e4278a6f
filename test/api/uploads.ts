// What tests upload, and what they find in the storage afterwards.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDocumentName } from '../../src/documents/names.ts';
import { pdf } from '../documents/samples.ts';

/** @param length bytes; no less than some hundred */
export function pdfOfLength(length: number): Buffer {
  let filling = length - pdf().length;
  for (;;) {
    const made = pdf('x'.repeat(filling));
    if (made.length === length) return made;
    filling -= made.length - length;
  }
}

/** Kept files, by their names in the storage. */
export function filesIn(folder: string): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isDocumentName).toSorted()
    : [];
}

export function temporaryIn(folder: string): readonly string[] {
  const incoming = join(folder, '.incoming');
  return existsSync(incoming) ? readdirSync(incoming) : [];
}
