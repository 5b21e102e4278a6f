// One attack: what it does to a running server, and what may come of it for the victim, the process's memory and its
// processor.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isInTurn, rounds } from '../contract/rounds.ts';
import { machineSlowness } from './machine-slowness.ts';
import { removeOriginal } from './prepared.ts';
import { type Settings, skip, startTarget, type Target, type TargetOptions } from './target.ts';
import type { Lap } from './watcher.ts';
import { processOf } from './processes.ts';

/** What an attack did, beside the quiet state. */
export interface Measured {
  readonly quiet: Latencies;
  readonly during: Latencies;
  /** How often the victim got each status; `none`: no answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Most megabytes that the process held beyond those that it had before. */
  readonly megabytes: number;
  /** Seconds that the processor worked for the attack: without what the victim costs in as much quiet time. */
  readonly processorSeconds: number;
  readonly seconds: number;
  /** See `Lap.slowness`. */
  readonly slowness: number;
}

/** Milliseconds that the victim waited: the median, the 99th percentile, and the longest. `net`: see `Lap.net`. */
interface Latencies {
  readonly median: number;
  readonly net: number;
  readonly p99: number;
  readonly longest: number;
}

type Attack = <Result>(
  name: string,
  act: (target: Target) => Promise<Result>,
  expect: (measured: Measured, result: Result) => void,
  /** Milliseconds that it may take on a machine of its own; default: `longestAttack`. */
  longest?: number,
) => void;

/**
 * Attacks of one subject on one server. Whatever else an attack expects, the victim must be served meanwhile as in
 * quiet. What is too slow is measured once more, on a new server, before it fails.
 */
export function underAttack(
  subject: string,
  settings: Settings,
  attacks: (attack: Attack) => void,
  options: TargetOptions = {},
): void {
  const { workers = 1, ...others } = options;
  describe(`under attack${workers > 1 ? `, ${workers} workers` : ''}: ${subject}`, { skip, timeout: 900_000 }, () => {
    let running: Target | undefined;
    const target = (): Target => {
      if (running === undefined) throw new Error('the server has not been started');
      return running;
    };
    const isUsual = workers === 1 && Object.keys(settings).length === 0 && Object.keys(others).length === 0;
    const watchedMs = Math.max(shortestLap, fewestRequests * (options.pace ?? 0));
    const renew = async (): Promise<void> => {
      await running?.stop();
      running = undefined;
      running = await startTarget(settings, options);
    };
    before(async () => {
      if (!isUsual || usual === undefined) return renew();
      running = usual;
      usual = undefined;
      running.resume();
    });
    after(async () => {
      if (isUsual && running !== undefined && usual === undefined) {
        usual = running;
        usual.pause();
      } else await running?.stop();
    });
    attacks((name, act, expect, longest = longestAttack) => {
      const once = async (tell: (text: string) => void): Promise<void> => {
        await target().lap();
        const late = Symbol();
        const stretch = Math.min(target().quiet.slowness, 4) * machineSlowness;
        const [result] = await Promise.all([
          Promise.race([act(target()), wait(longest * stretch, late, { ref: false })]),
          wait(watchedMs),
        ]);
        const measured = measure(target().quiet, await target().lap());
        tell(summary(measured));
        // One attack that succeeds must not spoil the next.
        if (result === late || measured.statuses.none !== undefined) await renew();
        assertServed(measured);
        assert.ok(result !== late, `the attack still went on after ${(longest * stretch).toFixed(0)} ms`);
        expect(measured, result);
      };
      it(name, async (t) => {
        try {
          await once((text) => t.diagnostic(text));
        } catch (error) {
          if (!(error instanceof TooSlow)) throw error;
          t.diagnostic(`once more: ${error.message}`);
          await renew();
          await once((text) => t.diagnostic(text));
        }
      });
    });
  });
}

/**
 * The same attacks on a server of one process and on one of two workers, for what these could do differently; a run of
 * the gate has one of the two.
 */
export function underAttackOfWorkers(...[subject, settings, attacks, options]: Parameters<typeof underAttack>): void {
  for (const [index, workers] of [1, 2].entries())
    if (isInTurn(index, 2)) underAttack(subject, settings, attacks, { ...options, workers });
}

/** A server with the usual settings goes from one subject to the next: what an attack costs is what comes on top. */
let usual: Target | undefined;

// When all files of the run are through: they share the server and the original.
after(async () => {
  await usual?.stop();
  await removeOriginal();
});

/** Milliseconds on a machine of its own. An attack that is warded off takes far less. */
const longestAttack = 20_000;
/**
 * Milliseconds that the victim is watched at least, which is thirty requests: two hundred requests at one moment keep a
 * server for a quarter of that.
 */
const shortestLap = 750;
/** Of a victim that asks more slowly. */
const fewestRequests = 8;

/** Milliseconds for which an attack without end is made. */
export const sustainedMs = Math.max(1500, rounds(2500));

/**
 * Milliseconds, where a quiet machine takes one: an attack is not held back by any rate. Clients who are held back are
 * those of `neighbours.test.ts`. And most that it is stretched by where other programs have the processor.
 */
const leastBound = 8;
const mostSlowness = 10;

/** A measurement of time came out too high, which other programs can do to one. */
class TooSlow extends assert.AssertionError {}

/** Fails in a way that has it measured once more, on a new server. */
export function assertTime(isFine: boolean, message: string): void {
  if (!isFine) throw new TooSlow({ message, actual: false, expected: true, operator: 'assertTime' });
}

/** The victim was served as if nothing happened: every time, and at most twice as slowly as in quiet, by `Lap.net`. */
function assertServed({ quiet, during, statuses, slowness }: Measured): void {
  assert.deepEqual(Object.keys(statuses), ['200'], `the victim got ${JSON.stringify(statuses)}`);
  const bound = Math.max(2 * quiet.net, leastBound * machineSlowness * Math.min(slowness, mostSlowness));
  assertTime(
    during.net < bound,
    `the victim's median was ${during.net.toFixed(1)} ms net; ${bound.toFixed(1)} is allowed`,
  );
}

/** @param most megabytes */
export function assertMemory({ megabytes }: Measured, most: number): void {
  assert.ok(megabytes < most, `the process took ${megabytes.toFixed(0)} MB more; ${most} are allowed`);
}

/**
 * The victim was never held up for long by one moment of the attack, on a machine that is no slower than the one that
 * the bounds were found on.
 * @param most milliseconds beyond what it waited at most in quiet
 */
export function assertNoHold({ quiet, during, slowness }: Measured, most: number): void {
  const allowed = quiet.longest + most * machineSlowness * Math.min(slowness, mostSlowness);
  assertTime(
    during.longest < allowed,
    `the victim waited for ${during.longest.toFixed(0)} ms once; ${allowed.toFixed(0)} are allowed`,
  );
}

/** @param most seconds, on a machine that is no slower than the one that the bounds were found on */
export function assertProcessor({ processorSeconds }: Measured, most: number): void {
  const allowed = most * machineSlowness;
  assertTime(
    processorSeconds < allowed,
    `the processor worked for ${processorSeconds.toFixed(2)} s; ${allowed.toFixed(2)} are allowed`,
  );
}

/**
 * Waits until the server does nothing more than to serve its victim: what an attack makes it do is done.
 * @param mostMs after which an attack is over in any case
 */
export async function settled({ pid, quiet }: Target, mostMs: number): Promise<void> {
  const victims = quiet.processorSeconds / quiet.seconds;
  const until = performance.now() + mostMs;
  for (let calm = 0; calm < 2 && performance.now() < until; ) {
    const [before, started] = [processOf(pid).ticks, performance.now()];
    await wait(300);
    const share = (10 * (processOf(pid).ticks - before)) / (performance.now() - started);
    calm = share < victims + 0.1 ? calm + 1 : 0;
  }
}

function measure(quiet: Lap, lap: Lap): Measured {
  const { statuses, seconds, slowness } = lap;
  return {
    quiet: latenciesOf(quiet),
    during: latenciesOf(lap),
    statuses,
    megabytes: (lap.peakMemory - lap.memoryAtStart) / 1e6,
    processorSeconds: lap.processorSeconds - (quiet.processorSeconds / quiet.seconds) * seconds,
    seconds,
    slowness,
  };
}

function latenciesOf({ latencies, net }: Lap): Latencies {
  return {
    median: quantile(latencies, 0.5),
    net: quantile(net, 0.5),
    p99: quantile(latencies, 0.99),
    longest: quantile(latencies, 1),
  };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function summary({ quiet, during, statuses, megabytes, processorSeconds, seconds, slowness }: Measured): string {
  const ms = (value: number): string => value.toFixed(1);
  return (
    `${seconds.toFixed(1)} s; victim ${ms(quiet.median)} → ${ms(during.median)} ms, ` +
    `net ${ms(quiet.net)} → ${ms(during.net)} ms, ` +
    `p99 ${ms(quiet.p99)} → ${ms(during.p99)} ms, longest ${ms(quiet.longest)} → ${ms(during.longest)} ms, ` +
    `${JSON.stringify(statuses)}; +${megabytes.toFixed(0)} MB; ` +
    `${processorSeconds.toFixed(2)} s of processor, ` +
    `slowed ${slowness.toFixed(1)} times`
  );
}
