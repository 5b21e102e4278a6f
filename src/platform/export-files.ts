// Writes the next file of an export: its entries under a temporary name, and the documents that they name, durably on
// disk.
import { join } from 'node:path';
import { syncFolder } from '../documents/sync-folder.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { OutboxEntry } from '../store/outbox-contract.ts';
import type { OrderDocument, Store } from '../store/store.ts';
import type { DocumentSource } from './documents.ts';
import { copyDocument, exportName, partName, writeSynced, writing } from './export-folder.ts';
import { documentFile, documentOf, outboxEntryText } from './outbox-entry.ts';

/** The most entries of one file. */
const maxFileEntries = 1000;
/** Entries held in memory at a time. */
const readAtOnce = 100;

export interface ExportedFile {
  /** Named as in the output of `outbox export --json`. */
  readonly activityCode: string;
  /** Absolute. */
  readonly file: string;
  /** Null for a file that an earlier export wrote and this one completed. */
  readonly entries: number | null;
  readonly documents: number | null;
}

/** A complete file, and the change number of the last entry in it. */
export interface WrittenFile {
  readonly file: ExportedFile;
  readonly to: number;
}

/** What to write to a file, and where. */
interface FileTask {
  readonly store: Pick<Store, 'outbox' | 'documents'>;
  readonly source: DocumentSource;
  /** Absolute; must exist. */
  readonly folder: string;
  /** Aborting it abandons the file. */
  readonly stopped: AbortSignal;
  /** Called for each document that was copied, and for the file that was written. */
  readonly observe: (step: { readonly done: 'document' | 'written'; readonly file: ExportedFile }) => void;
}

/**
 * Writes the next file of an activity under its temporary name, after its documents.
 * @param after change number of the entry after which it begins
 * @returns null when nothing is waiting, or the export was stopped
 */
export async function writeNext(task: FileTask, activity: string, after: number): Promise<WrittenFile | null> {
  const {
    store: { outbox },
    folder,
    stopped,
    observe,
  } = task;
  let chunk = await outbox.read([activity], { [activity]: after }, readAtOnce);
  const first = chunk.entries[0];
  if (first === undefined) return null;
  let last = first;
  let [entries, documents] = [0, 0];
  const soFar = (): ExportedFile => ({
    activityCode: activity,
    file: join(folder, exportName(first, last)),
    entries,
    documents,
  });
  await writeFile(folder, partName(activity), async (append) => {
    while (chunk.entries.length > 0 && !stopped.aborted) {
      for (const entry of chunk.entries) {
        last = entry;
        entries += 1;
        if (entry.kind !== 'document' || stopped.aborted) continue;
        await exportDocument(task, entry);
        documents += 1;
        observe({ done: 'document', file: soFar() });
      }
      await append(chunk.entries.map((entry) => `${outboxEntryText(entry, { platformUrl: null })}\n`).join(''));
      if (entries >= maxFileEntries) break;
      chunk = await outbox.read([activity], chunk.next, Math.min(readAtOnce, maxFileEntries - entries));
    }
  });
  if (stopped.aborted) return null;
  // The names must be durable too, before a note that relies on them is stored.
  await writing(folder, async () => {
    if (documents > 0) await syncFolder(join(folder, 'documents'));
    await syncFolder(folder);
  });
  observe({ done: 'written', file: soFar() });
  return { file: soFar(), to: last.changeNumber };
}

async function writeFile(
  folder: string,
  name: string,
  write: (append: (text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  await writing(folder, () => writeSynced(join(folder, name), (handle) => write((text) => handle.writeFile(text))));
}

async function exportDocument({ store, source, folder }: FileTask, entry: OutboxEntry): Promise<void> {
  const { id, mediaType } = documentOf(entry);
  const document = await store.documents.find([entry.activity], id);
  if (document === null)
    throw new OperatorError(
      `The document ${id} of the entry ${entry.activity}:${entry.changeNumber} is not in the database.`,
      'Restore the database from a backup.',
    );
  await copyDocument(join(folder, documentFile(id, mediaType)), document, bytesOf(source, document));
}

async function* bytesOf(source: DocumentSource, { id, activity, storedAs }: OrderDocument): AsyncGenerator<Uint8Array> {
  try {
    yield* (await source.open(storedAs)).stream;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      `The bytes of the document ${id} of ${activity} cannot be read: ${reason}`,
      'Check the document storage, then run the export again.',
      { cause: error },
    );
  }
}
