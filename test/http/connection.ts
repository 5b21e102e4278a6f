// A client on a bare socket, which can stop half way, send what no library would, and see every byte of the answer.
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Connection {
  readonly socket: Socket;
  /** Resolves when the bytes were handed over, or the connection is gone. */
  readonly send: (bytes: string | Buffer) => Promise<void>;
  /**
   * The next answer, interim ones too; it needs a Content-Length, or has no body. Null where the connection ends before
   * one.
   */
  readonly answer: () => Promise<RawAnswer | null>;
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>;
}

/** Connects; what is still open when the test ends is cut. */
export async function open(t: TestContext, port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  let received = Buffer.alloc(0);
  let over = false;
  let wake = (): void => {};
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('end', () => {
    over = true;
    wake();
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      over = true;
      wake();
      resolve();
    });
  });
  await new Promise((resolve) => {
    socket.once('connect', resolve);
  });
  return {
    socket,
    closed,
    send: (bytes) =>
      new Promise((resolve) => {
        if (socket.writable) socket.write(bytes, () => resolve());
        else resolve();
      }),
    answer: async () => {
      for (;;) {
        const found = firstAnswer(received);
        if (found !== null) {
          received = received.subarray(found.length);
          return found.answer;
        }
        if (over) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function firstAnswer(bytes: Buffer): { readonly answer: RawAnswer; readonly length: number } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [first = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  );
  const length = end + 4 + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return null;
  return {
    answer: { status: Number(first.split(' ')[1]), headers, body: bytes.toString('utf8', end + 4, length) },
    length,
  };
}

/** Head of a request, with the usual token unless it is said otherwise. */
export function head(
  line: string,
  headers: Readonly<Record<string, string | number>> = {},
  authorization: string | null = 'Bearer shop',
): string {
  const all = { Host: 'x', ...(authorization !== null && { Authorization: authorization }), ...headers };
  return `${line} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
}

/** Bytes as one chunk of the chunked transfer coding. */
export function chunk(bytes: string | Buffer): Buffer {
  const data = Buffer.from(bytes);
  return Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]);
}
