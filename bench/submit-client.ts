// A peer that posts batches of articles, several at a time, each article with a new reference.
import { readFileSync } from 'node:fs';
import { answerTasks } from './peers.ts';
import { isObject } from '../src/model/check.ts';

/** One run against a server on this machine. */
interface Submissions {
  readonly port: number;
  readonly authorization: string;
  /** File of newline-delimited articles. */
  readonly path: string;
  /** Articles per request. */
  readonly batch: number;
  /** Concurrent requests. */
  readonly connections: number;
  /** Prefix of the references, different in each run. */
  readonly prefix: string;
}

let articles: readonly Readonly<Record<string, unknown>>[] | null = null;

answerTasks(async (task) => {
  if (!isSubmissions(task)) throw new Error('not a submission');
  articles ??= readFileSync(task.path, 'utf8').trimEnd().split('\n').map(submittable);
  const bodies = bodiesOf(articles, task);
  const started = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: task.connections }, async () => {
      for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) await post(task, body);
    }),
  );
  return { done: articles.length, seconds: (performance.now() - started) / 1000, cpuSeconds: 0 };
});

/** The part of an article that a client may send: without read-only fields. */
function submittable(line: string): Readonly<Record<string, unknown>> {
  const article: unknown = JSON.parse(line);
  if (!isObject(article)) throw new Error('an article is no object');
  const { alcool: _alcool, id: _id, ...writable } = article;
  return writable;
}

function bodiesOf(
  all: readonly Readonly<Record<string, unknown>>[],
  { batch, prefix }: Submissions,
): readonly string[] {
  const bodies: string[] = [];
  for (let start = 0; start < all.length; start += batch) {
    bodies.push(
      JSON.stringify(
        all
          .slice(start, start + batch)
          .map((article, index) => ({ ...article, articleReference: `${prefix}${start + index}` })),
      ),
    );
  }
  return bodies;
}

async function post({ port, authorization, batch }: Submissions, body: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/articles`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  });
  const result: unknown = await answer.json();
  if (!isObject(result) || result.status !== 200 || !Array.isArray(result.passed) || result.passed.length > batch)
    throw new Error(`a batch was not taken: ${JSON.stringify(result).slice(0, 500)}`);
}

function isSubmissions(task: unknown): task is Submissions {
  return isObject(task) && typeof task.path === 'string' && typeof task.prefix === 'string';
}
