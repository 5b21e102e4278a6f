// A peer that sends a file as a feed over HTTP, as fast as it is accepted, and reports how many records were read.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { answerTasks } from './peers.ts';

/** One message. */
interface FeedSending {
  readonly port: number;
  readonly key: string;
  readonly resource: string;
  readonly path: string;
  /** How the body travels: `http` is as it is. */
  readonly coding: 'http' | 'gzip' | 'zstd';
}

answerTasks(async (task) => {
  if (!isFeedSending(task)) throw new Error('not a feed');
  const { port, key, resource, path, coding } = task;
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  const started = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/platform/feeds/${resource}?activity=ACM&feed=bench`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-ndjson',
      ...(coding !== 'http' && { 'content-encoding': coding }),
    },
    body: Readable.toWeb(encoded(file, coding)),
    duplex: 'half',
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`the feed is answered ${answer.status}: ${text}`);
  const seconds = (performance.now() - started) / 1000;
  return { done: Number(/"read":(\d+)/.exec(text)?.[1]), seconds, cpuSeconds: 0 };
});

function encoded(file: Readable, coding: FeedSending['coding']): Readable {
  if (coding === 'gzip') return file.pipe(createGzip({ level: 1 }));
  if (coding === 'zstd') return file.pipe(createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }));
  return file;
}

function isFeedSending(task: unknown): task is FeedSending {
  return typeof task === 'object' && task !== null && 'port' in task && 'coding' in task;
}
