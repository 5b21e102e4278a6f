// A peer that creates articles one at a time over several connections, or opens many connections at once, and reports
// the slowest.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isObject } from '../src/model/check.ts';
import { activity } from './data.ts';
import type { Measured } from './measure.ts';
import { answerTasks } from './peers.ts';

/** One run against a server on this machine. */
export interface SingleWrites {
  readonly port: number;
  readonly authorization: string;
  /** Persistent connections that write one article after another; with `path` new ones, all at once, that read it. */
  readonly connections: number;
  readonly path: string | null;
  readonly seconds: number;
  /** Prefix of the references, different in each run. */
  readonly prefix: string;
}

answerTasks(async (task) => {
  if (!isSingleWrites(task)) throw new Error('not a task');
  const times: number[] = [];
  const started = performance.now();
  const until = started + 1000 * task.seconds;
  await Promise.all(
    Array.from({ length: task.connections }, async (_, index) => {
      const agent = new Agent({ keepAlive: task.path === null, maxSockets: 1 });
      for (let count = 0; count === 0 || (task.path === null && performance.now() < until); count += 1) {
        const sent = performance.now();
        await ask(task, agent, `${task.prefix}-${index}-${count}`);
        times.push(performance.now() - sent);
      }
      agent.destroy();
    }),
  );
  return timed(times, performance.now() - started);
});

function timed(times: readonly number[], ms: number): Measured {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return {
    ...{ done: times.length, seconds: ms / 1000, cpuSeconds: 0 },
    times: { median: at(0.5), p99: at(0.99), slowest: at(1) },
  };
}

async function ask({ port, authorization, path }: SingleWrites, agent: Agent, reference: string): Promise<void> {
  const sent = request({
    ...{ host: '127.0.0.1', port, agent, path: path ?? '/v1/articles', method: path === null ? 'POST' : 'GET' },
    headers: { authorization, 'content-type': 'application/json' },
  });
  const article = {
    activityCode: activity.code,
    articleReference: reference,
    longArticleDescription: 'One of many',
    shortArticleDescription: 'One',
  };
  sent.end(path === null ? JSON.stringify([article]) : undefined);
  const [answer] = await once(sent, 'response');
  const body = (await buffer(answer)).toString();
  if (answer.statusCode !== 200) throw new Error(`a request was answered with ${answer.statusCode}: ${body}`);
}

function isSingleWrites(task: unknown): task is SingleWrites {
  return isObject(task) && typeof task.prefix === 'string' && 'path' in task;
}
