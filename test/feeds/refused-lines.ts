// Refused lines as a feed leaves them.
import { insert, insertMissing } from '../../src/store/table-statements.ts';
import type { RowOf } from '../../src/store/table.ts';
import { feedLineTable, feedMessageTable, feedTable } from '../../src/store/tables/feeds.ts';
import type { Store } from '../../src/store/store.ts';

export const longComment = Array.from({ length: 20_000 }, (_, index) => `line ${index * 7919}`).join(' ');

/** A message of movements as a feed leaves it, with as many refused lines; every second one is no JSON. */
export async function addRefusedLines(store: Store, activity: string, id: number, refused: number): Promise<void> {
  const message: RowOf<typeof feedMessageTable> = {
    ...{ activity, id, resource: 'movements', feed: 'main', channel: 'http', source: `file-${id}.ndjson` },
    ...{ messageId: null, sequence: null, requestKey: null, mapping: null, replayOf: null, state: 'done', fault: null },
    ...{ lines: refused, skipped: 0, skippedBy: null, read: refused, added: 0, changed: 0, unchanged: 0, refused },
    ...{ warned: 0, withdrawn: 0, warnings: null, firstKey: null, lastKey: null, bytes: 0, digest: '', notes: null },
    ...{ lineCounts: null, countsOnly: false, actor: 'test', receivedAt: 1, holder: null, touchedAt: 1, finishedAt: 1 },
  };
  await store.engine.write(async (transaction) => {
    await transaction.query(insert(feedMessageTable, message));
    const feed = { activity, resource: 'movements', feed: 'main', createdAt: 1, receivedAt: 1, lastMessage: id };
    await transaction.query(insertMissing(feedTable, { ...feed, lastSequence: null, missing: '[]' }));
    const lines = Array.from({ length: refused }, (_none, index): RowOf<typeof feedLineTable> => {
      const record = index + 1;
      const isText = record % 2 === 0;
      const content = record === 7 ? JSON.stringify({ comment: longComment }) : '{"movedQuantity":"x"}';
      return {
        ...{ activity, message: id, record, resource: 'movements', line: record, element: null, state: 'refused' },
        reasons: JSON.stringify([{ code: 'wrong-type', pointer: '/movedQuantity', detail: 'must be a number' }]),
        ...{ kind: isText ? 'text' : 'record', content: isText ? `no JSON "${record}"` : content },
        ...{ naturalKey: null, edited: null, replayedBy: null, actor: null, changedAt: 1 },
      };
    });
    await transaction.putRows(feedLineTable.target, lines.map(feedLineTable.toCells));
  });
}
