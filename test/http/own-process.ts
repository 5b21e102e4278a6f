// Runs the sample server in a process of its own and asks it what it uses.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Limits } from '../../src/http/server.ts';

/** Bytes, and milliseconds of processor time since the start. */
interface Usage {
  readonly rss: number;
  /** In the heap and outside of it, live or not collected yet. */
  readonly held: number;
  /** Highest resident memory so far. */
  readonly peak: number;
  readonly cpuMs: number;
}

export interface OwnProcess {
  readonly port: number;
  readonly pid: number;
  readonly usage: () => Promise<Usage>;
}

/** Ends with the test. */
export async function ownProcess(t: TestContext, limits: Partial<Limits> = {}): Promise<OwnProcess> {
  // Those that make of this process one that runs tests are not for the server.
  const execArgv = process.execArgv.filter((argument) => !/^--(test|single-threaded)/.test(argument));
  const child = fork(join(import.meta.dirname, 'server-process.ts'), [JSON.stringify(limits)], { execArgv });
  t.after(() => child.kill());
  const [{ port }] = await once(child, 'message');
  return {
    port,
    pid: child.pid ?? 0,
    usage: async () => {
      child.send('usage');
      const [usage] = await once(child, 'message');
      return usage;
    },
  };
}
