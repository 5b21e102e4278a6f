// Bytes in memory as a document, and what is wrong with them.
import assert from 'node:assert/strict';
import { recognizeDocument } from '../../src/documents/kinds.ts';
import type { DocumentContent } from '../../src/documents/storage.ts';

export async function reasonOf(
  bytes: Buffer,
  slug = 'invoice',
  mediaType: string | null = null,
): Promise<{ readonly code: string; readonly detail: string }> {
  const found = await recognizeDocument(contentOf(bytes), { slug, mediaType });
  assert.ok('reason' in found, `${bytes.length} bytes were taken for ${JSON.stringify(found)}`);
  return found.reason;
}

export function contentOf(bytes: Buffer, onRead: (length: number) => void = () => undefined): DocumentContent {
  return {
    size: bytes.length,
    read: async (position, length) => {
      const found = bytes.subarray(position, position + length);
      onRead(found.length);
      return found;
    },
  };
}
