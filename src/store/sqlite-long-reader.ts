// The process that runs long reads of the embedded database, so that they do not block requests and can be ended.
import { constants, setPriority } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import type { LongReadAnswer, LongReadMessage, LongReadNews, LongReadRequest } from './sqlite-long-readers.ts';

// When the processors are all busy, requests come first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

let database: DatabaseSync | null = null;

process.on('message', (message: LongReadMessage) => {
  if (message === 'leave') {
    database?.close();
    database = null;
    process.send?.('left' satisfies LongReadNews);
    return;
  }
  process.send?.('begun' satisfies LongReadNews);
  process.send?.(answer(message) satisfies LongReadNews);
});
process.on('disconnect', () => process.exit());

function answer({ path, text, values }: LongReadRequest): LongReadAnswer {
  try {
    database ??= open(path);
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    return { rows: statement.all(...values), fault: null };
  } catch (error) {
    return { rows: [], fault: error instanceof Error ? error.message : String(error) };
  }
}

/** Sorts and joins stay in memory up to the size of the cache, and go to a file beyond it. */
function open(path: string): DatabaseSync {
  const opened = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  opened.exec('pragma cache_size = -32768; pragma mmap_size = 268435456;');
  return opened;
}
