// How hostile servers answer: with more than anybody should read.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const part = Buffer.alloc(65_536, ' ');

/** Answers with so many blanks, as fast as they are taken, until nobody takes any more. */
export async function pour(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  const parts = function* (): Generator<Buffer> {
    for (let sent = 0; sent < bytes; sent += part.length) yield part;
  };
  // Who has had enough ends the connection.
  await pipeline(Readable.from(parts()), response).catch(() => undefined);
}
