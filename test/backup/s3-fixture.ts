// What tests of archives with document files in S3 share: rows that name files, and a proxy that does harm to requests.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { activityTables } from '../../src/store/activity-copy.ts';
import type { Engine } from '../../src/store/engine.ts';
import { addCopiedRows, type StoredTable, storedTables } from '../../src/store/table-copy.ts';

/** Adds a document of the activity ACM for each name of a file. */
export async function addDocuments(engine: Engine, names: readonly string[]): Promise<void> {
  const tables = activityTables(await storedTables(engine.read), 'ACM');
  const table = tables.find((each) => each.table.name === 'order_document')?.table;
  assert.ok(table);
  const rows = names.map((name, row) => table.columns.map((column) => cellOf(column, name, row)));
  await engine.write((transaction) => addCopiedRows(transaction, table, rows));
}

function cellOf({ name, type }: StoredTable['columns'][number], storedAs: string, row: number): string | number {
  if (name === 'owner') return 'ACM';
  if (name === 'stored_as') return storedAs;
  return type === 'text' ? `${name} ${row}` : row + 1;
}

/** What may happen to a request on its way. */
type Fault = '503' | '403' | 'reset' | 'cut' | undefined;

/** Passes requests on to a port, and does harm to some; `count` is that of requests of this method so far. */
export async function startProxy(
  t: TestContext,
  port: number,
  faultOf: (method: string, url: string, count: number) => Fault,
): Promise<{ readonly endpoint: string; readonly requests: (method: string) => readonly string[] }> {
  const seen: (readonly [method: string, url: string])[] = [];
  const requests = (wanted: string): readonly string[] =>
    seen.filter(([method]) => method === wanted).map(([, url]) => url);
  const server = createServer((incoming, answer) => {
    const { method = '', url = '' } = incoming;
    seen.push([method, url]);
    const fault = faultOf(method, url, requests(method).length);
    if (fault === 'reset') incoming.socket.resetAndDestroy();
    else if (fault === '503' || fault === '403') answer.writeHead(Number(fault), { connection: 'close' }).end();
    else pass(port, incoming, answer, fault === 'cut');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return { endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, requests };
}

function pass(port: number, incoming: IncomingMessage, answer: ServerResponse, cut: boolean): void {
  const { method, url: path, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    if (cut) response.once('data', (chunk: Buffer) => answer.write(chunk, () => answer.destroy()));
    else response.pipe(answer);
  });
  onward.on('error', () => {
    if (!answer.headersSent) incoming.socket.destroy();
  });
  incoming.pipe(onward);
}
