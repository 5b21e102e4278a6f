// A store of documents behind the S3 protocol that keeps its first one waiting until a test lets it go on.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

export interface HeldStore {
  /** Settings of a server that keeps its documents there. */
  readonly variables: Readonly<Record<string, string>>;
  /** The first document has arrived. */
  readonly arrived: Promise<void>;
  /** Tells the sender of the first document that it is stored. */
  readonly release: () => void;
}

/** Starts it; it ends with the test. What it takes it forgets, apart from the mark of whose documents these are. */
export async function startHeldStore(t: TestContext): Promise<HeldStore> {
  const arrived = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  let mark: string | null = null;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const content = await contentOf(request);
    const isMark = new URL(request.url ?? '', 'http://store').pathname.endsWith('/.database');
    if (request.method === 'GET' && isMark && mark === null) {
      response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
    } else if (request.method === 'GET') {
      const text = isMark ? (mark ?? '') : '<ListBucketResult/>';
      response.writeHead(200, { 'content-length': Buffer.byteLength(text) }).end(text);
    } else {
      if (isMark) mark = content;
      else {
        arrived.resolve();
        await open.promise;
      }
      response.writeHead(200, { etag: '"1"' }).end();
    }
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen on a port');
  return {
    variables: {
      DOCUMENTS_URL: `s3://documents?endpoint=http://127.0.0.1:${address.port}`,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
    arrived: arrived.promise,
    release: open.resolve,
  };
}

async function contentOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
