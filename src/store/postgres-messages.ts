// The messages of a PostgreSQL server: those that answer a batch of statements are read as raw bytes, all others by
// `pg`.
import { EventEmitter } from 'node:events';
import { Client, type ClientConfig, type Connection } from 'pg';

/** Reads the answers to statements; returns true for a message that it read. */
type Reader = (kind: number, message: Buffer) => boolean;

/** First bytes of messages (PostgreSQL manual, section 55.7). */
export const messageKind = {
  parseComplete: 0x31,
  bindComplete: 0x32,
  closeComplete: 0x33,
  commandComplete: 0x43,
  dataRow: 0x44,
  noData: 0x6e,
  rowDescription: 0x54,
} as const;

/** A `pg` client whose connection passes messages to a reader before `pg` makes strings of them. */
export class MessageClient extends Client {
  constructor(options?: string | ClientConfig) {
    super(options);
    divert(this.connection);
  }
}

const readers = new WeakMap<Connection, Reader>();

/** Passes each further message of the connection to the reader; null: `pg` reads all of them. */
export function readMessages(connection: Connection, reader: Reader | null): void {
  if (reader === null) readers.delete(connection);
  else readers.set(connection, reader);
}

/**
 * `pg` listens to its stream, or to that of TLS, through this function of the connection. It is given a stream of our
 * own, which carries the messages that no reader took.
 */
function divert(connection: Connection): void {
  const attach: unknown = Reflect.get(connection, 'attachListeners');
  if (typeof attach !== 'function') throw new Error('this version of pg reads its messages in another way');
  const attachListeners = (stream: EventEmitter): void => {
    const others = new EventEmitter();
    Reflect.apply(attach, connection, [others]);
    stream.on(
      'data',
      messageSplitter((kind, message) => {
        if (readers.get(connection)?.(kind, message) !== true) others.emit('data', message);
      }),
    );
    stream.on('end', () => others.emit('end'));
  };
  Object.assign(connection, { attachListeners });
}

/** The bytes before the content of a message: its kind, and its length without the kind. */
const headerBytes = 5;

/** Finds the messages in received data; each is passed on whole, including its kind and length. */
export function messageSplitter(take: (kind: number, message: Buffer) => void): (arrived: Buffer) => void {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let wantedBytes = 0;
  return (arrived) => {
    let bytes = arrived;
    if (heldBytes > 0) {
      held.push(arrived);
      heldBytes += arrived.length;
      if (heldBytes < wantedBytes) return;
      bytes = Buffer.concat(held, heldBytes);
    }
    let at = 0;
    wantedBytes = headerBytes;
    while (at + headerBytes <= bytes.length) {
      wantedBytes = 1 + bytes.readUInt32BE(at + 1);
      if (at + wantedBytes > bytes.length) break;
      take(bytes[at] ?? 0, bytes.subarray(at, at + wantedBytes));
      at += wantedBytes;
      wantedBytes = headerBytes;
    }
    heldBytes = bytes.length - at;
    held = heldBytes === 0 ? [] : [bytes.subarray(at)];
  };
}
