// One client that does all that its limits let it: what others wait for, at the median, is at most twice what it is in
// quiet. Writes, labels and uploads come at their rate; reads and feeds as fast as they are taken.
// Quiet and loaded times take turns and count together, and what counts is the work of the server's thread until others
// are answered: that the load and other programs keep the thread waiting for a processor is no fault of the server's.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../contract/until.ts';
import { median } from '../http/load.ts';
import { areWritten, newArticles, refusedArticles } from './articles.ts';
import { settled } from './attack.ts';
import { type ExactVictim, skipExactVictim, startExactVictim } from './exact-victim.ts';
import { endlessFeed, feed, keyOf, lines } from './feed-wire.ts';
import { movement, removeOriginal, shippingContext } from './prepared.ts';
import { skip as skipAttacks, startTarget, type Target, victimAddress, victimPaths } from './target.ts';
import { type Answer, ask, postArticles, tally, together } from './wire.ts';

/** A load that goes on until it is stopped; @returns the answers to it. */
type Load = (target: Target) => () => Promise<readonly Answer[]>;

const skip = skipAttacks || skipExactVictim();
const mostTimes = 2;
/** Milliseconds of each time. */
const windowMs = 1000;
const [fewestTurns, mostTurns] = [2, 8];

describe('others beside one client that does all that its limits let it', { skip, timeout: 240_000 }, () => {
  let target: Target | undefined;
  let victim: ExactVictim | undefined;
  before(async () => {
    target = await startTarget({}, { pace: null });
    const { port, pid, database } = target;
    victim = await startExactVictim({
      ...{ port, pid, token: database.tokens.victim, paths: victimPaths, paceMs: 25, from: victimAddress },
    });
    // Code that runs for the first time is slow.
    await victim.ask(1500);
  });
  after(async () => {
    await victim?.end();
    await target?.stop();
    await removeOriginal();
  });
  for (const [name, load] of Object.entries(loads())) {
    it(`${name}: they wait for at most twice as much as in quiet`, async (t) => {
      assert.ok(target !== undefined && victim !== undefined);
      const [alone, beside]: [number[], number[]] = [[], []];
      let times = Infinity;
      for (let turn = 0; turn < mostTurns && (turn < fewestTurns || times >= mostTimes); turn += 1) {
        await settled(target, 5000);
        alone.push(...(await workedFor(victim)));
        const stop = load(target);
        await wait(windowMs / 2);
        beside.push(...(await workedFor(victim)));
        const answers = await stop();
        assert.ok(
          answers.some(({ status }) => status === 200),
          `nothing was done for the client: ${JSON.stringify(tally(answers))}, ${answers[0]?.body}`,
        );
        times = median(beside) / median(alone);
      }
      t.diagnostic(`${median(alone).toFixed(2)} ms of work alone, ${median(beside).toFixed(2)} beside`);
      assert.ok(times < mostTimes, `${times.toFixed(2)} times as much beside as alone`);
    });
  }
});

/** Milliseconds that the server worked until each of the victim's requests was answered. */
async function workedFor(victim: ExactVictim): Promise<readonly number[]> {
  const { worked, statuses } = await victim.ask(windowMs);
  assert.deepEqual(Object.keys(statuses), ['200']);
  return worked;
}

function loads(): Readonly<Record<string, Load>> {
  const file = Buffer.alloc(19_000_000, ' ');
  file.write('%PDF-1.4\n');
  file.write('\n%%EOF', file.length - 6);
  const part =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n';
  const form = Buffer.concat([Buffer.from(part), file, Buffer.from('\r\n--b--\r\n')]);
  return {
    'filters without an index, 24 at a time': withoutPause(24, (target, count) =>
      ask(target, { path: `/v1/articles/movements?filter=${encodeURIComponent(slowFilter(count))}` }),
    ),
    'two requests of 500 articles a second': paced(120, writeArticles),
    'two requests of 500 refused articles a second': paced(120, (target) => postArticles(target, refusedArticles())),
    'the writes of a minute at once, 8 at a time': withoutPause(8, writeArticles),
    'the refused writes of a minute at once, 8 at a time': withoutPause(8, (target) =>
      postArticles(target, refusedArticles()),
    ),
    'a label a second': paced(60, (target, count) =>
      ask(target, {
        ...{ method: 'POST', path: `/v1/shippings/labels/${shippingContext}/sandbox`, body: label(count) },
        headers: { 'content-type': 'application/json' },
      }),
    ),
    'an upload of 19 MB a second': paced(60, (target, count) =>
      ask(target, {
        ...{ method: 'POST', path: `/v1/orders/EVL-${count}/docs/invoice`, body: form },
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      }),
    ),
    'four feeds as fast as they are taken': (target) => feeds(target, 4),
  };
}

/** Writes 500 articles; 422 stands for an answer that says of any of them that it was not written. */
async function writeArticles(target: Target): Promise<Answer> {
  const answer = await postArticles(target, newArticles());
  return areWritten(answer) ? answer : { ...answer, status: 422 };
}

/** Asks so many times a minute, the first time at once, whatever became of what was asked before. */
function paced(perMinute: number, work: (target: Target, count: number) => Promise<Answer>): Load {
  return (target) => {
    const asked = [work(target, 0)];
    const timer = setInterval(() => asked.push(work(target, asked.length)), 60_000 / perMinute);
    return () => {
      clearInterval(timer);
      return Promise.all(asked);
    };
  };
}

/** Of all times, so that nothing is asked for twice. */
let asked = 0;

/** Asks on so many connections, each again as soon as it is answered. */
function withoutPause(connections: number, work: (target: Target, count: number) => Promise<Answer>): Load {
  return (target) => {
    const answers: Answer[] = [];
    let isOver = false;
    const asking = together(connections, async () => {
      while (!isOver) {
        asked += 1;
        answers.push(await work(target, asked));
      }
    });
    return async () => {
      isOver = true;
      await asking;
      return answers;
    };
  };
}

/** Feeds that are cut when they are stopped; what is told of them afterwards is the answer to them all. */
function feeds(target: Target, count: number): () => Promise<readonly Answer[]> {
  const text = Buffer.from(lines(1000, movement));
  let isOver = false;
  const begun = together(count, () => endlessFeed(target, 'movements', 'attacker'));
  const sending = begun.then((all) =>
    Promise.all(
      all.map(async ({ send, heard }) => {
        // What is sent on a connection that the server has ended is gone at once: this would go on without a pause.
        while (!isOver && heard() === '') await send(text);
      }),
    ),
  );
  return async () => {
    isOver = true;
    for (const { cut, heard } of await begun) {
      assert.equal(heard(), '', 'the server ended a feed');
      cut();
    }
    await sending;
    // The next ones find no place before the server has ended these.
    const oneLine = (): Promise<Answer> => feed(target, 'movements', lines(1, movement));
    await until(async () => (await together(count, oneLine)).every(({ status }) => status === 200), 30);
    return [await ask(target, { path: '/platform/feeds', token: keyOf(target) })];
  };
}

/** Looks at every record for as long as the language lets it. */
function slowFilter(seed: number): string {
  return Array.from({ length: 28 }, (_none, index) => `movementReason==Q${seed}${index}*`).join(',');
}

function label(count: number): string {
  return JSON.stringify({
    ...{ modeCol: 'CCC', modeLiv: 'HOM', weight: '1200', nbPackage: '1', outputType: 'PdfUrl' },
    ...{ expAddr1: 'Evil Trading', expAddr2: '4 rue des Entrepots', expCity: 'Lesquin', expZip: '59810' },
    ...{
      expCountry: 'FR',
      destAddr1: `Camille ${count}`,
      destAddr2: '6 place des Vosges',
      destCity: 'Paris',
      destZip: '75004',
    },
    ...{ destCountry: 'FR', destTel1: '0612345678' },
  });
}
