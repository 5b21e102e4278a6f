// A peer that sends a file as a feed over HTTP, as fast as it is accepted, and reports how many records were read.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { answerTasks } from './peers.ts';

/** One message. */
export interface FeedSending {
  readonly port: number;
  readonly key: string;
  readonly resource: string;
  readonly path: string;
  readonly isCompressed: boolean;
}

answerTasks(async (task) => {
  if (!isFeedSending(task)) throw new Error('not a feed');
  const { port, key, resource, path, isCompressed } = task;
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  const started = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/platform/feeds/${resource}?activity=ACM&feed=bench`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-ndjson',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    },
    body: Readable.toWeb(isCompressed ? file.pipe(createGzip({ level: 1 })) : file),
    duplex: 'half',
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`the feed is answered ${answer.status}: ${text}`);
  const seconds = (performance.now() - started) / 1000;
  return { done: Number(/"read":(\d+)/.exec(text)?.[1]), seconds, cpuSeconds: 0 };
});

function isFeedSending(task: unknown): task is FeedSending {
  return typeof task === 'object' && task !== null && 'port' in task && 'isCompressed' in task;
}
