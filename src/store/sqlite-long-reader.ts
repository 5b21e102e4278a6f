// The process that runs long reads of the embedded database, so that they do not hold up requests and can be ended.
import { DatabaseSync } from 'node:sqlite';
import type { LongReadAnswer, LongReadRequest } from './sqlite-long-reads.ts';

let database: DatabaseSync | null = null;

process.on('message', ({ id, path, text, values }: LongReadRequest) => {
  process.send?.(answer(id, path, text, values));
});
process.on('disconnect', () => process.exit());

function answer(id: number, path: string, text: string, values: LongReadRequest['values']): LongReadAnswer {
  try {
    database ??= new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    return { id, rows: statement.all(...values), fault: null };
  } catch (error) {
    return { id, rows: [], fault: error instanceof Error ? error.message : String(error) };
  }
}
