// The bytes of requests as load generators send them.

/** Placeholder in a body for a text that is unique to each request. */
export const uniqueMark = '~unique~';

/**
 * Prepares a request.
 * @param headers lines, each ended by CRLF
 * @param body of a POST; null: a GET. Each `uniqueMark` in it becomes a different text in each request
 * @returns a function that returns the bytes of the next one
 */
export function requestBytes(port: number, path: string, headers: string, body: string | null = null): () => Buffer {
  const host = `Host: 127.0.0.1:${port}\r\n${headers}`;
  if (body === null) {
    const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\n${host}\r\n`, 'latin1');
    return () => bytes;
  }
  return () => {
    sent += 1;
    const own = Buffer.from(body.replaceAll(uniqueMark, `${run}${sent.toString(36)}`));
    const about = `Content-Type: application/json\r\nContent-Length: ${own.length}\r\n`;
    const head = `POST ${path} HTTP/1.1\r\n${host}${about}\r\n`;
    return Buffer.concat([Buffer.from(head, 'latin1'), own]);
  };
}

let sent = 0;
/** Different in each process, because several may send at once. */
const run = process.pid.toString(36);
