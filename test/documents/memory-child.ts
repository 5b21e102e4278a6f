// Takes twenty documents of 20 MiB in at once, keeps them, and reports how much the memory of this process grew.
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { openDocumentStorage } from '../../src/documents/open.ts';
import { newName } from './contract.ts';

const [dataDir = '', url = ''] = process.argv.slice(2);
const settings = {
  dataDir,
  documentsUrl: url === '' ? null : url,
  awsAccessKeyId: 'test:tester',
  awsSecretAccessKey: 'testing',
  awsSessionToken: null,
};
const storage = await openDocumentStorage(settings, {
  database: 'ours',
  failed: (error) => {
    throw error;
  },
});
const size = 20 * 1_048_576;
const chunk = randomBytes(65_536);

/** Each chunk is memory of its own, as it is when it comes from a socket. */
async function* content(): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < size; sent += chunk.length) yield Buffer.from(chunk);
}

async function keepOne(): Promise<void> {
  const received = await storage.receive(Readable.from(content(), { objectMode: true, highWaterMark: 1 }), { size });
  await received.keep(newName());
}

await keepOne();
const before = process.memoryUsage.rss();
let most = before;
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, 5);
await Promise.all(Array.from({ length: 20 }, keepOne));
clearInterval(watch);
const count = (await Array.fromAsync(storage.list())).length;
console.log(JSON.stringify({ before, growth: most - before, count }));
