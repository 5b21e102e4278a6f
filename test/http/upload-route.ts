// A route that takes one file of a form, for tests, and bodies for it.
import { hash } from 'node:crypto';
import type { Call, Route } from '../../src/http/route.ts';
import { readSingleFile } from '../../src/http/multipart.ts';
import { json, route } from './sample-server.ts';

/** Most bytes of the file; the form may be twice as long. */
export const fileLimit = 100_000;

/** Answers what it read: name, declared type, length and hash of the file. */
export function uploadRoute(handle: Route['handle'] = read): Route {
  const body = { types: ['multipart/form-data'], limit: 2 * fileLimit, encodings: [], schema: {}, example: null };
  return { ...route('/upload', handle), method: 'POST', rate: 'label', body };
}

async function read(call: Call) {
  const { name, type, content } = await readSingleFile(call, fileLimit);
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return json(JSON.stringify({ name, type, ...facts(Buffer.concat(chunks)) }));
}

/** What the answer says of a content. */
export function facts(content: Buffer): { readonly length: number; readonly sha256: string } {
  return { length: content.length, sha256: hash('sha256', content) };
}

export const formType = 'multipart/form-data; boundary=frontier';
export const disposition = 'Content-Disposition: form-data; name="file"; filename="a.pdf"';

/** A form of parts, each its header lines and its content, between boundaries as they should be. */
export function form(...parts: readonly (readonly [headers: readonly string[], content: string | Buffer])[]): Buffer {
  const pieces = parts.map(([headers, content]) =>
    Buffer.concat([
      Buffer.from(`--frontier\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`, 'latin1'),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
  );
  return Buffer.concat([...pieces, Buffer.from('--frontier--\r\n')]);
}
