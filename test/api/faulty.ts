// An engine and a document storage that fail at one step of their work, whichever a test asks for.
import type { DocumentStorage, ReceivedDocument } from '../../src/documents/storage.ts';
import type { Engine, WriteTransaction } from '../../src/store/engine.ts';
import { statementText } from '../contract/statement-text.ts';

export interface Fault {
  /** The `at`-th step from now fails; where it `dies`, all after it fail too. */
  readonly arm: (at: number, mode: 'fails' | 'dies') => void;
  /** No step fails from now on. Returns the one that did, or null. */
  readonly disarm: () => string | null;
  /** To be called at each step. */
  readonly step: (name: string) => void;
}

export function createFault(): Fault {
  let left = Number.POSITIVE_INFINITY;
  let dies = false;
  let met: string | null = null;
  return {
    arm: (at, mode) => {
      left = at;
      dies = mode === 'dies';
      met = null;
    },
    disarm: () => {
      left = Number.POSITIVE_INFINITY;
      return met;
    },
    step: (name) => {
      left -= 1;
      if (left > 0 || (left < 0 && !dies)) return;
      met ??= name;
      throw new Error(`injected at ${name}`);
    },
  };
}

/** Steps: every statement, and beginning, committing and having committed. */
export function faultyEngine(engine: Engine, { step }: Fault): Engine {
  return {
    ...engine,
    read: async (statement) => {
      step('read');
      return engine.read(statement);
    },
    writeOnce: async (statement) => {
      step(statementText(statement).slice(0, 50));
      const rows = await engine.writeOnce(statement);
      step('committed');
      return rows;
    },
    write: (work) => faultyWrite(engine.write, step, work),
    writeInBackground: (work) => faultyWrite(engine.writeInBackground, step, work),
  };
}

async function faultyWrite<T>(
  write: Engine['write'],
  step: Fault['step'],
  work: (transaction: WriteTransaction) => Promise<T>,
): Promise<T> {
  step('begin');
  const result = await write(async (transaction) => {
    const made = await work(faultyTransaction(transaction, step));
    step('commit');
    return made;
  });
  // It is there, but nobody hears of it.
  step('committed');
  return result;
}

function faultyTransaction(transaction: WriteTransaction, step: Fault['step']): WriteTransaction {
  return {
    now: async () => {
      step('clock');
      return transaction.now();
    },
    query: async (statement) => {
      step(statementText(statement).slice(0, 50));
      return transaction.query(statement);
    },
    putRows: async (into, rows) => {
      step(`rows of ${into.table}`);
      await transaction.putRows(into, rows);
    },
  };
}

/** Steps: receiving, looking at the content, keeping, having kept, and removing. */
export function faultyStorage(storage: DocumentStorage, { step }: Fault): DocumentStorage {
  return {
    ...storage,
    receive: async (content, limits) => {
      try {
        step('receive');
      } catch (error) {
        content.destroy();
        throw error;
      }
      return faultyReceived(await storage.receive(content, limits), step);
    },
    remove: async (name) => {
      step('remove');
      await storage.remove(name);
    },
  };
}

function faultyReceived(received: ReceivedDocument, step: Fault['step']): ReceivedDocument {
  return {
    ...received,
    read: async (position, length) => {
      step('look');
      return received.read(position, length);
    },
    keep: async (name) => {
      step('keep');
      await received.keep(name);
      step('kept');
    },
  };
}
