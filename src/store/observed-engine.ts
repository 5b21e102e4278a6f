// An engine that records its statements as parts of the work that issues them, and reports slow ones.
import { currentWork, kindOfError, type Part, type PartUnderWay } from '../model/work.ts';
import type { BulkTarget, Engine, RunStatement, WriteTransaction } from './engine.ts';
import { createSlowStatements, type LastAnswer, type SlowStatements } from './slow-statements.ts';
import { compile, type Statement } from './statement.ts';
import { summaryOf } from './statement-summary.ts';

export interface ObservedEngine extends Engine {
  /** Sets the recipient of reports on slow statements; until then there is none. */
  readonly tellSlow: (slow: SlowStatements) => void;
}

/** The same engine, observed. */
export function observedEngine(engine: Engine): ObservedEngine {
  const slow = createSlowStatements(engine);
  const { dialect } = engine;
  /** @param last when the previous statement of the transaction was answered: until then that one was running */
  const observed =
    (run: RunStatement, last: LastAnswer | null = null): RunStatement =>
    async (statement) => {
      const part = currentWork().begin(storagePart(statement, dialect));
      const sent = { at: performance.now(), together: 1 };
      const isShort = run === engine.readShort;
      return ended(part, run({ ...statement, sent: noteOf(sent) }), (rows) => {
        const since = Math.max(sent.at, last?.at ?? 0);
        slow.notice({ statement, since, together: sent.together, rows, isShort }, last);
      });
    };
  const inTransaction = (transaction: WriteTransaction): WriteTransaction => {
    const last: LastAnswer = { at: 0 };
    return {
      now: () => transaction.now(),
      query: observed(transaction.query, last),
      putRows: async (into, rows) => {
        const part = currentWork().begin(bulkPart(into, dialect));
        await ended(part, transaction.putRows(into, rows), () => {
          last.at = performance.now();
        });
      },
    };
  };
  return {
    ...engine,
    tellSlow: slow.tell,
    read: observed(engine.read),
    readShort: observed(engine.readShort),
    readLong: async (statement, reader) => {
      // The wait before it begins is reported by the statements that it waits with.
      let part: PartUnderWay | null = null;
      const sent = { at: performance.now(), together: 1 };
      const note = noteOf(sent);
      const begin = (together: number): void => {
        note(together);
        part = currentWork().begin(storagePart(statement, dialect));
      };
      const running = engine.readLong({ ...statement, sent: begin }, reader);
      return ended(
        { end: (attributes, failure) => part?.end(attributes, failure) },
        running,
        (rows) =>
          part !== null && slow.notice({ statement, since: sent.at, together: sent.together, rows, isShort: false }),
      );
    },
    writeOnce: observed(engine.writeOnce),
    write: (work) => engine.write((transaction) => work(inTransaction(transaction))),
    writeInBackground: (work) => engine.writeInBackground((transaction) => work(inTransaction(transaction))),
  };
}

function noteOf(sent: { at: number; together: number }): (together: number) => void {
  return (together) => {
    sent.at = performance.now();
    sent.together = together;
  };
}

/** Ends a part with its statement. @param answered receives the rows; null: it failed */
async function ended<T>(
  part: Pick<PartUnderWay, 'end'>,
  running: Promise<T>,
  answered: (rows: T | null) => void,
): Promise<T> {
  try {
    const result = await running;
    part.end(Array.isArray(result) ? { 'db.response.returned_rows': result.length } : {});
    answered(result);
    return result;
  } catch (error) {
    part.end({}, kindOfError(error));
    answered(null);
    throw error;
  }
}

const systems = { sqlite: 'sqlite', postgres: 'postgresql' } as const;

/** Longer texts are cut in a trace. */
const maxText = 2000;

/** The text never contains the parameter values. */
function storagePart(statement: Statement<unknown>, dialect: Engine['dialect']): Part {
  return {
    stage: 'storage',
    kind: 'client',
    describe: () => {
      const { text } = compile(statement, dialect);
      const summary = summaryOf(text);
      return {
        name: summary,
        attributes: {
          'db.system.name': systems[dialect],
          'db.query.summary': summary,
          'db.query.text': text.slice(0, maxText),
        },
      };
    },
  };
}

function bulkPart({ table }: BulkTarget, dialect: Engine['dialect']): Part {
  const name = `INSERT ${table}`;
  const attributes = { 'db.system.name': systems[dialect], 'db.query.summary': name, 'db.collection.name': table };
  return { stage: 'storage', kind: 'client', describe: () => ({ name, attributes }) };
}
