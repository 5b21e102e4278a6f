// An outbox to export from: a store with written articles and documents, a folder, and the warehouse that takes files
// away.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { IncomingRecord } from '../../src/model/record.ts';
import type { DocumentSource } from '../../src/platform/documents.ts';
import { type ExportStep, exportOutbox, type OutboxExport } from '../../src/platform/export.ts';
import { article } from '../../src/resources/index.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { storeOn } from '../contract/engines.ts';
import { copySqlite } from '../contract/prepared-databases.ts';

export interface Outbox {
  readonly store: Store;
  readonly source: DocumentSource;
  /** Kept bytes by name. */
  readonly kept: Map<string, Buffer>;
  /** Where files are dropped. */
  readonly folder: string;
  /** Where the warehouse puts what it took. */
  readonly taken: string;
  write(activity: string, ...references: readonly string[]): Promise<void>;
  attach(activity: string, orderId: string, bytes: Buffer): Promise<void>;
  /** One export; `changes` replace its options. */
  run(changes?: Partial<OutboxExport>): Promise<readonly ExportStep[]>;
  /** The warehouse takes away every file that it sees, documents too. */
  take(): void;
}

/** An outbox with the activities ACM and BIO. */
export async function openOutbox(t: TestContext): Promise<Outbox> {
  const root = mkdtempSync(join(tmpdir(), 'export-'));
  const path = join(root, 'logistics-connect.db');
  await copySqlite(path);
  const store = await storeOn(openSqlite(path, Date.now));
  t.after(async () => {
    await store.close();
    rmSync(root, { recursive: true, force: true });
  });
  for (const code of ['ACM', 'BIO']) await store.activities.add(code, code);
  const [folder, taken] = [join(root, 'out'), join(root, 'taken')];
  for (const made of [folder, taken]) mkdirSync(made);
  const kept = new Map<string, Buffer>();
  const source: DocumentSource = {
    open: async (name) => {
      const bytes = kept.get(name);
      if (bytes === undefined) throw new Error(`there is no ${name}`);
      return { stream: Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]), size: bytes.length };
    },
  };
  return {
    store,
    source,
    kept,
    folder,
    taken,
    write: async (activity, ...references) => {
      for (let at = 0; at < references.length; at += 500)
        await store.records.submit([activity], (unit) =>
          unit.write(article, activity, references.slice(at, at + 500).map(articleRecord), randomUUID()),
        );
    },
    attach: async (activity, orderId, bytes) => {
      const storedAs = `${activity}/${randomUUID()}`;
      kept.set(storedAs, bytes);
      await store.records.submit([activity], (unit) =>
        unit.addDocument({
          activity,
          orderId,
          orderUniqueId: null,
          slug: 'invoice',
          sha256: createHash('sha256').update(bytes).digest('hex'),
          mediaType: 'application/pdf',
          size: bytes.length,
          fileName: 'a.pdf',
          storedAs,
          operationId: randomUUID(),
          clientId: 'shop',
        }),
      );
    },
    run: async (changes = {}) => {
      const steps: ExportStep[] = [];
      await exportOutbox({
        store,
        source,
        folder,
        consumer: 'files',
        activityCodes: ['ACM', 'BIO'],
        user: 'olga',
        resend: false,
        stopped: new AbortController().signal,
        alone: async () => true,
        observe: (step) => void steps.push(step),
        ...changes,
      });
      return steps;
    },
    take: () => takeFiles(folder, taken),
  };
}

/** What the exported lines of some folders say, file after file in the order of their names. */
export function linesIn(...folders: readonly string[]): readonly Record<string, unknown>[] {
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ndjson') && !name.startsWith('.'))
      .map((name) => ({ name, path: join(folder, name) })),
  );
  return files
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ path }) =>
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line): Record<string, unknown> => JSON.parse(line)),
    );
}

/** Positions of lines, such as `ACM:1`. */
export function positionsOf(lines: readonly Record<string, unknown>[]): readonly string[] {
  return lines.map(({ position }) => String(position));
}

export function takeFiles(folder: string, taken: string): void {
  for (const name of readdirSync(folder))
    if (name.endsWith('.ndjson') && !name.startsWith('.')) renameSync(join(folder, name), join(taken, name));
  const documents = join(folder, 'documents');
  if (!existsSync(documents)) return;
  mkdirSync(join(taken, 'documents'), { recursive: true });
  for (const name of readdirSync(documents))
    if (!name.startsWith('.')) renameSync(join(documents, name), join(taken, 'documents', name));
}

export function articleRecord(articleReference: string): IncomingRecord {
  return {
    value: { articleReference, barcodes: [], logisticalVariants: [] },
    naturalKey: articleReference,
    contentHash: articleReference,
  };
}
