// What a request leaves behind: nothing of it may outlive it, or V8 copies it into old memory and looks through all of
// that again and again.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { prepare, startServer } from '../api/server-process.ts';

const requests = 4000;
/** Few: what is under way while new memory is collected may grow old, and none may be refused. */
const atOnce = 2;
/** Bytes for each request. Where an accessor kept each request, it was some 5,000. */
const mostPerRequest = 1500;

/** Loaded into the server: at each signal it tells how much old memory there is, and how often it was collected. */
const teller = (file: string): string => `
  import { PerformanceObserver, constants } from 'node:perf_hooks';
  import { writeFileSync } from 'node:fs';
  import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
  import { isMainThread } from 'node:worker_threads';
  import { runInNewContext } from 'node:vm';
  if (isMainThread && process.argv.includes('serve')) {
    setFlagsFromString('--expose_gc');
    const gc = runInNewContext('gc');
    let [first, majors] = [true, 0];
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) majors += 1;
    }).observe({ entryTypes: ['gc'] });
    process.on('SIGUSR2', () => {
      if (first) gc();
      const old = getHeapSpaceStatistics().filter(({ space_name }) => space_name.startsWith('old'))
        .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
      setTimeout(() => {
        writeFileSync(${JSON.stringify(file)}, JSON.stringify({ old, majors }));
        if (first) majors = 0;
        first = !first;
      }, 50);
    });
  }
`;

describe('a list that is read again and again', { timeout: 900_000 }, () => {
  it('leaves no request in old memory', async (t) => {
    const prepared = await prepare(t);
    const file = join(prepared.place.folder, 'memory.json');
    const source = `data:text/javascript;base64,${Buffer.from(teller(file)).toString('base64')}`;
    const place = {
      ...prepared.place,
      variables: { ...prepared.place.variables, NODE_OPTIONS: `--import=${source}`, WORKERS: '1', PAGE_CACHE_MB: '0' },
    };
    const { child, origin } = await startServer(t, { ...prepared, place });
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
    t.after(() => agent.destroy());
    const prompt = async (): Promise<void> => {
      let left = requests;
      const askNext = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await ask(agent, `${origin}/v1/orders?limit=1`, prepared.token);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, askNext));
    };
    const told = async (): Promise<{ readonly old: number; readonly majors: number }> => {
      rmSync(file, { force: true });
      process.kill(child.pid, 'SIGUSR2');
      for (;;) {
        await pause(100);
        try {
          return JSON.parse(readFileSync(file, 'utf8'));
        } catch {
          // Not written yet.
        }
      }
    };
    for (let attempt = 1; ; attempt += 1) {
      await prompt();
      const before = await told();
      await prompt();
      const after = await told();
      const each = (after.old - before.old) / requests;
      t.diagnostic(`${each.toFixed(0)} bytes each, all was looked at ${after.majors} times meanwhile`);
      // Where old memory was collected in between, nothing can be said.
      if (after.majors === 0) return assert.ok(each < mostPerRequest, `${each} bytes of each request grew old`);
      assert.ok(attempt < 5, 'old memory is collected again and again');
    }
  });
});

function ask(agent: Agent, url: string, token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`status ${answer.statusCode}`)),
      );
    })
      .once('error', reject)
      .end();
  });
}
