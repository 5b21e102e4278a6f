// One outbox entry as text, the same over HTTP and in exported files; and what an entry says about a document.
import { extensionOf } from '../documents/kinds.ts';
import { formatInstant } from '../model/instant.ts';
import { jsonLine } from '../model/json-line.ts';
import type { OutboxEntry } from '../store/outbox-contract.ts';

interface EntryLinks {
  /**
   * Base URL of the platform interface, without a slash at the end; null: the documents are stored as files next to the
   * text.
   */
  readonly platformUrl: string | null;
}

/**
 * JSON text of an entry, on one line: `position`, `kind`, `activityCode`, `operationId`, `at`, and `article` or
 * `document` as it is stored. A document also has `content`: the place of its bytes, as an address or as a path
 * relative to the exported file.
 */
export function outboxEntryText(entry: OutboxEntry, { platformUrl }: EntryLinks): string {
  const { activity, changeNumber, kind, operationId, createdAt, body } = entry;
  const head = {
    position: `${activity}:${changeNumber}`,
    kind,
    activityCode: activity,
    operationId,
    at: formatInstant(createdAt),
  };
  const text = `${JSON.stringify(head).slice(0, -1)},"${kind}":${jsonLine(body)}`;
  if (kind !== 'document') return `${text}}`;
  const { id, mediaType } = documentOf(entry);
  const content = platformUrl === null ? documentFile(id, mediaType) : `${platformUrl}/documents/${id}/content`;
  return `${text},"content":${JSON.stringify(content)}}`;
}

/** Id and media type of the document of an entry of kind `document`. */
export function documentOf(entry: OutboxEntry): { readonly id: string; readonly mediaType: string } {
  const metadata: unknown = JSON.parse(entry.body);
  if (typeof metadata === 'object' && metadata !== null && 'id' in metadata && 'mediaType' in metadata) {
    const { id, mediaType } = metadata;
    if (typeof id === 'string' && typeof mediaType === 'string') return { id, mediaType };
  }
  throw new Error(`the entry ${entry.activity}:${entry.changeNumber} holds no metadata of a document`);
}

/** Path of a document's bytes in an export folder. */
export function documentFile(id: string, mediaType: string): string {
  return `documents/${id}.${extensionOf(mediaType) ?? 'bin'}`;
}
