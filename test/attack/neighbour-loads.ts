// Loads of one client, by kind of work: all that its limits let it do.
import assert from 'node:assert/strict';
import { until } from '../contract/until.ts';
import { areWritten, newArticles, refusedArticles } from './articles.ts';
import { endlessFeed, feed, keyOf, lines } from './feed-wire.ts';
import { movement, shippingContext } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, ask, postArticles, together } from './wire.ts';

/** A load that goes on until it is stopped; @returns the answers to it. */
export type Load = (target: Target) => () => Promise<readonly Answer[]>;

/** All loads, by what they do. */
export function loads(): Readonly<Record<string, Load>> {
  return {
    'filters without an index, 24 at a time': withoutPause(24, (target, count) =>
      ask(target, { path: `/v1/articles/movements?filter=${encodeURIComponent(slowFilter(count))}` }),
    ),
    ...writes(),
    'a label a second': paced(60, (target, count) =>
      ask(target, {
        ...{ method: 'POST', path: `/v1/shippings/labels/${shippingContext}/sandbox`, body: label(count) },
        headers: { 'content-type': 'application/json' },
      }),
    ),
    'an upload of 19 MB a second': uploads(),
  };
}

/** Those that write many records. */
export function writes(): Readonly<Record<string, Load>> {
  const refused = (target: Target): Promise<Answer> => postArticles(target, refusedArticles());
  return {
    'two requests of 500 articles a second': paced(120, writeArticles),
    'two requests of 500 refused articles a second': paced(120, refused),
    'the writes of a minute at once, 8 at a time': withoutPause(8, writeArticles),
    'the refused writes of a minute at once, 8 at a time': withoutPause(8, refused),
    'four feeds as fast as they are taken': (target) => feeds(target, 4),
  };
}

function uploads(): Load {
  const file = Buffer.alloc(19_000_000, ' ');
  file.write('%PDF-1.4\n');
  file.write('\n%%EOF', file.length - 6);
  const part =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n';
  const form = Buffer.concat([Buffer.from(part), file, Buffer.from('\r\n--b--\r\n')]);
  return paced(60, (target, count) =>
    ask(target, {
      ...{ method: 'POST', path: `/v1/orders/EVL-${count}/docs/invoice`, body: form },
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    }),
  );
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
