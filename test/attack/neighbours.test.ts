// One client that does all that its limits let it: what others wait for, at the median, is at most twice what it is in
// quiet. Writes, labels and uploads come at their rate; reads and feeds as fast as they are taken.
// Quiet and loaded times take turns and count together. What counts for reads is the work of the server's thread until
// they are answered, for writes the time, since they also wait for transactions and the disk: that the load and other
// programs keep the thread waiting for a processor is no fault of the server's.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { allRounds, notInTurn } from '../contract/rounds.ts';
import { median } from '../http/load.ts';
import { settled } from './attack.ts';
import { skipExactVictim, startExactVictim } from './exact-victim.ts';
import { type Load, loads, writes } from './neighbour-loads.ts';
import { activities, removeOriginal } from './prepared.ts';
import { servingProcesses } from './processes.ts';
import { skip as skipAttacks, startTarget, type Target, victimAddress, victimPaths } from './target.ts';
import { tally } from './wire.ts';
import { startWritingVictim } from './writing-victim.ts';

/** Asks for so many milliseconds; @returns what each request waited for, in milliseconds. */
type Ask = (milliseconds: number) => Promise<readonly number[]>;

/** Another client of the server, and what ends it. */
interface Victim {
  readonly ask: Ask;
  readonly end: () => Promise<unknown>;
}

const mostTimes = 2;
/** Milliseconds of each time. */
const windowMs = 1000;
const [fewestTurns, mostTurns] = [2, 8];
const paceMs = 25;

// The other loads left writes as they are in quiet (0.9 to 1.2 times): only a run of all rounds tries them.
const ofWriters = allRounds ? loads() : writes();
const tried = [
  { which: 'who read', startVictim: startReader, loaded: loads(), skip: skipExactVictim() },
  { which: 'who write one article at a time', startVictim: startWriter, loaded: ofWriters, skip: false },
] as const;
for (const [index, { which, ...victim }] of tried.entries())
  for (const workers of [1, 2]) {
    // A run of the gate has one of the four, on the engine that the last digit chooses.
    const turn = 4 * (workers - 1) + 2 * index;
    const skip = skipAttacks || (notInTurn(turn, 8) && notInTurn(turn + 1, 8)) || victim.skip;
    besideOthers(`${which}, at a server of ${workers}`, { ...victim, workers, skip });
  }

interface Tried {
  readonly startVictim: (target: Target, workers: number) => Promise<Victim>;
  /** Processes of the server. */
  readonly workers: number;
  readonly skip: string | false;
  readonly loaded: Readonly<Record<string, Load>>;
}

function besideOthers(which: string, { startVictim, skip, loaded, workers }: Tried): void {
  describe(`others ${which}, beside one client that does all that its limits let it`, {
    skip,
    timeout: 240_000,
  }, () => {
    let target: Target | undefined;
    let victim: Victim | undefined;
    before(async () => {
      target = await startTarget({}, { pace: null, workers });
      victim = await startVictim(target, workers);
      // Code that runs for the first time is slow.
      await victim.ask(1500);
    });
    after(async () => {
      await victim?.end();
      await target?.stop();
      await removeOriginal();
    });
    for (const [name, load] of Object.entries(loaded)) {
      it(`${name}: they wait for at most twice as much as in quiet`, async (t) => {
        assert.ok(target !== undefined && victim !== undefined);
        const { alone, beside } = await waits(target, victim.ask, load);
        t.diagnostic(`${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} beside`);
        assert.ok(beside < mostTimes * alone, `${(beside / alone).toFixed(2)} times as much beside as alone`);
      });
    }
  });
}

/** Medians without the load and beside it, over as many turns as it takes to tell. */
async function waits(
  target: Target,
  ask: Ask,
  load: Load,
): Promise<{ readonly alone: number; readonly beside: number }> {
  const [alone, beside]: [number[], number[]] = [[], []];
  const isWithin = (): boolean => median(beside) < mostTimes * median(alone);
  for (let turn = 0; turn < mostTurns && (turn < fewestTurns || !isWithin()); turn += 1) {
    await settled(target, 5000);
    alone.push(...(await ask(windowMs)));
    const stop = load(target);
    await wait(windowMs / 2);
    beside.push(...(await ask(windowMs)));
    const answers = await stop();
    assert.ok(
      answers.some(({ status }) => status === 200),
      `nothing was done for the client: ${JSON.stringify(tally(answers))}, ${answers[0]?.body}`,
    );
  }
  return { alone: median(alone), beside: median(beside) };
}

async function startReader({ port, pid, database }: Target, workers: number): Promise<Victim> {
  const { ask, end } = await startExactVictim({
    ...{
      port,
      pids: servingProcesses(pid, workers),
      token: database.tokens.victim,
      paths: victimPaths,
      paceMs,
      from: victimAddress,
    },
  });
  return {
    ask: async (milliseconds) => {
      const { worked, statuses } = await ask(milliseconds);
      assert.deepEqual(Object.keys(statuses), ['200']);
      return worked;
    },
    end,
  };
}

async function startWriter({ port, pid, database }: Target, workers: number): Promise<Victim> {
  const { write, end } = await startWritingVictim({
    ...{ port, pid, workers, token: database.tokens.victim, activity: activities.victim, paceMs, from: victimAddress },
  });
  return {
    ask: async (milliseconds) => {
      const { net, statuses } = await write(milliseconds);
      assert.deepEqual(Object.keys(statuses), ['200']);
      return net;
    },
    end,
  };
}
