// Sends statements to a PostgreSQL server together, in one write, and reads their answers as bytes.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Client, Connection } from 'pg';
import type { Cell, Row } from './engine.ts';
import { messageKind, readMessages } from './postgres-messages.ts';
import type { CompiledStatement } from './statement.ts';

/** A statement of a batch, and the recipient of its rows. */
export interface BatchedStatement {
  readonly statement: CompiledStatement;
  readonly answer: (rows: readonly Row[]) => void;
}

/**
 * Sends statements in one write; the server runs them one after the other, and each sees what those before it wrote.
 * Answers are delivered as they arrive. The promise resolves when the server is done. If a statement fails, the promise
 * rejects and the statements after it are not run: the first one without an answer is the one that failed.
 */
export function sendTogether(client: Client, asked: readonly BatchedStatement[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { connection } = client;
  let unsent = asked;
  const end = (error: unknown): void => {
    readMessages(connection, null);
    if (error === null || error === undefined) resolve();
    else reject(error);
  };
  // The functions that `pg` calls on a query object not its own: it passes on errors, including those of the
  // connection, and the end. Its time limit replaces `callback`.
  const batch = {
    callback: end,
    submit: () => {
      const sent = write(connection, unsent);
      // Anything that retains the batch longer, such as the time limit of `pg`, then retains no pages (decision 28).
      unsent = [];
      readMessages(connection, answerReader(sent));
    },
    handleError: (error: unknown) => batch.callback(error),
    handleReadyForQuery: () => batch.callback(null),
    handleEmptyQuery: () => undefined,
  };
  client.query(batch);
  return promise;
}

/** int2, int4, int8, float4, float8: integers are below 2^53 by design (decision D1). */
const numberTypes: ReadonlySet<number> = new Set([21, 23, 20, 700, 701]);

/** How the cells of a column are read. */
type ColumnKind = 'bytes' | 'number' | 'text';

/** The columns of a statement's result, once the server has described them. */
interface Description {
  columns: readonly ColumnKind[];
}

interface Sent extends BatchedStatement {
  readonly description: Description;
}

/** Statements prepared on one connection, by name; beyond this number the least recently used are closed. */
const maxPrepared = 300;
const prepared = new WeakMap<Connection, LRUCache<string, Description>>();

/** Names derived from the text: a name never stands for two texts, whatever connection it was prepared on. */
const names = new LRUCache<string, string>({ max: 2000 });

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = hash('sha256', text, 'base64url');
    names.set(text, name);
  }
  return name;
}

function write(connection: Connection, asked: readonly BatchedStatement[]): readonly Sent[] {
  const { stream } = connection;
  stream.cork();
  try {
    return asked.map((each) => {
      each.statement.sent?.(asked.length);
      return { ...each, description: writeOne(connection, each.statement) };
    });
  } finally {
    connection.sync();
    stream.uncork();
  }
}

function writeOne(connection: Connection, { text, values, plannedAnew }: CompiledStatement): Description {
  const name = plannedAnew ? '' : nameOf(text);
  const known = name === '' ? undefined : prepared.get(connection)?.get(name);
  if (known === undefined) connection.parse({ name, text, types: [] }, true);
  connection.bind(
    { statement: name, values: values.map((value) => (typeof value === 'number' ? String(value) : value)) },
    true,
  );
  if (known === undefined) connection.describe({ type: 'P', name: '' }, true);
  connection.execute({}, true);
  if (known !== undefined) return known;
  const description: Description = { columns: [] };
  if (name !== '') preparedOn(connection).set(name, description);
  return description;
}

function preparedOn(connection: Connection): LRUCache<string, Description> {
  const known = prepared.get(connection);
  if (known !== undefined) return known;
  const own = new LRUCache<string, Description>({
    max: maxPrepared,
    // Only statements that are evicted: a name is never set twice.
    dispose: (_description, name) => connection.close({ type: 'S', name }, true),
  });
  prepared.set(connection, own);
  return own;
}

/** Reads the messages that answer statements, in their order; leaves errors and the end to `pg`. */
function answerReader(sent: readonly Sent[]): (kind: number, message: Buffer) => boolean {
  let at = 0;
  let rows: Row[] = [];
  return (kind, message) => {
    const current = sent[at];
    if (current === undefined) return false;
    switch (kind) {
      case messageKind.rowDescription:
        current.description.columns = columnsOf(message);
        return true;
      case messageKind.dataRow:
        rows.push(rowOf(current.description.columns, message));
        return true;
      case messageKind.commandComplete: {
        const complete = rows;
        rows = [];
        at += 1;
        current.answer(complete);
        return true;
      }
      case messageKind.parseComplete:
      case messageKind.bindComplete:
      case messageKind.closeComplete:
      case messageKind.noData:
        return true;
      default:
        return false;
    }
  };
}

/** Bytes that follow the name of a described column, and the position of its type among them. */
const columnBytes = 18;
const typeAt = 6;
/** Where a message counts its columns, and where they begin. */
const countAt = 5;
const contentAt = 7;

function columnsOf(message: Buffer): readonly ColumnKind[] {
  let at = contentAt;
  return Array.from({ length: message.readInt16BE(countAt) }, () => {
    const end = message.indexOf(0, at);
    const name = message.toString('utf8', at, end);
    const type = message.readUInt32BE(end + 1 + typeAt);
    at = end + 1 + columnBytes;
    return numberTypes.has(type) ? 'number' : name === 'bytes' ? 'bytes' : 'text';
  });
}

function rowOf(columns: readonly ColumnKind[], message: Buffer): Row {
  let at = contentAt;
  return columns.map((kind) => {
    const length = message.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    at += length;
    return cellOf(kind, message, at - length, at);
  });
}

function cellOf(kind: ColumnKind, message: Buffer, start: number, end: number): Cell {
  switch (kind) {
    case 'number':
      return Number(message.toString('latin1', start, end));
    case 'text':
      return message.toString('utf8', start, end);
    case 'bytes':
      // Copied if it is less than half of the received buffer, so that it does not keep the rest alive.
      return 2 * (end - start) < message.buffer.byteLength
        ? Buffer.from(message.subarray(start, end))
        : message.subarray(start, end);
  }
}
