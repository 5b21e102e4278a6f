// Feeds that cost more than they bring: slow, endless, inflated, refused to the last line, never ended, all at once;
// and keys that ask for what other activities were sent.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { rounds } from '../contract/rounds.ts';
import { assertMemory, assertNoHold, settled, underAttack } from './attack.ts';
import { activities, type Role } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, ask, head, open, postArticles, tally, together } from './wire.ts';

const many = Math.max(5000, rounds(40_000));
/** Milliseconds: a batch, and the moments between its parts. */
const longestHold = 500;

underAttack('feeds', {}, (attack) => {
  attack(
    'four feeds that send a byte a second, and one more',
    async (target) => {
      const sockets = await beginFeeds(target, 4);
      const trickle = setInterval(() => sockets.forEach((socket) => void socket.write(' ')), 1000);
      await wait(300);
      const fifth = await feed(target, 'articles', lines(1, anArticle));
      const other = await feed(target, 'articles', lines(1, anArticle), 'victim');
      await wait(2000);
      clearInterval(trickle);
      for (const socket of sockets) socket.destroy();
      await settled(target, 3000);
      return { fifth, other, after: await feed(target, 'articles', lines(1, anArticle)) };
    },
    (measured, { fifth, other, after }) => {
      assert.deepEqual([fifth.status, Number(fifth.headers['retry-after']) > 0], [429, true], String(fifth.body));
      assert.deepEqual([other.status, after.status], [200, 200], 'another key has room, and so has this one again');
      assertNoHold(measured, longestHold);
      assertMemory(measured, 100);
    },
  );

  attack(
    'bodies that inflate a thousandfold and more: of blanks, of lines, of one line',
    async (target) => {
      const answers: Answer[] = [];
      for (const text of [' ', '\n', '[', 'x']) {
        const large = Buffer.alloc(6_000_000, text);
        answers.push(
          await feed(target, 'movements', gzipSync(large), 'attacker', { 'content-encoding': 'gzip' }),
          await feed(target, 'movements', zstdCompressSync(large), 'attacker', { 'content-encoding': 'zstd' }),
        );
      }
      return answers;
    },
    (measured, answers) => {
      for (const { status, body } of answers) assert.ok([400, 413].includes(status), `${status} ${body}`);
      assert.ok(answers.some(({ status }) => status === 413));
      assertNoHold(measured, longestHold);
      assertMemory(measured, 400);
    },
  );

  attack(
    'one line of 100 MB',
    (target) =>
      feed(
        target,
        'articles',
        Buffer.concat([Buffer.alloc(100_000_000, 'x'), Buffer.from(`\n${lines(1, anArticle)}`)]),
      ),
    (measured, answer) => {
      const { message, refusedLines } = JSON.parse(String(answer.body));
      assert.deepEqual([answer.status, message.counts.read, message.counts.refused], [200, 2, 1]);
      assert.equal(refusedLines[0].reasons[0].code, 'record-too-long');
      assertNoHold(measured, longestHold);
      assertMemory(measured, 300);
    },
  );

  attack(
    'two hundred feeds at once',
    (target) =>
      together(200, (index) =>
        feed(
          target,
          'articles',
          lines(200, (line) => anArticle(1000 * index + line)),
        ),
      ),
    (measured, answers) => {
      assertAnsweredOrShed(answers);
      assert.ok((tally(answers)[200] ?? 0) >= 4, JSON.stringify(tally(answers)));
      assertNoHold(measured, longestHold);
      assertMemory(measured, 400);
    },
  );

  attack(
    'a feed in chunks of one byte',
    async (target) => {
      const socket = await open(target);
      let heard = '';
      socket.on('data', (part) => {
        heard += String(part);
      });
      const headers = { ...headersOf(target, 'attacker'), 'Transfer-Encoding': 'chunked' };
      socket.write(head('POST', '/platform/feeds/articles', headers) + '1\r\n \r\n'.repeat(1_000_000));
      for (let times = 0; times < 100 && heard === ''; times += 1) await wait(50);
      socket.destroy();
      return heard;
    },
    (measured, heard) => {
      assert.match(heard, /^HTTP\/1\.1 400 /);
      assertNoHold(measured, longestHold);
      assertMemory(measured, 300);
    },
  );

  attack(
    `${many} lines that are all refused, each for many reasons`,
    async (target) => {
      const wrong = Object.fromEntries(Array.from({ length: 12 }, (_none, index) => [`unheardOf${index}`, index]));
      const answer = await feed(
        target,
        'movements',
        lines(many, () => wrong),
      );
      return { answer, listed: await ask(target, { path: '/platform/feeds/lines?limit=100', token: keyOf(target) }) };
    },
    (measured, { answer, listed }) => {
      const { message, refusedLines } = JSON.parse(String(answer.body));
      assert.deepEqual([answer.status, message.counts.refused, refusedLines.length], [200, many, 100]);
      assert.ok(listed.status === 200 && listed.body.length < 5_000_000);
      assertNoHold(measured, longestHold);
      assertMemory(measured, 400);
    },
  );

  attack(
    `${many} withdrawals of what never was`,
    (target) =>
      feed(
        target,
        'articles',
        lines(many, (index) => ({ withdraw: { articleReference: `NONE-${index}` } })),
      ),
    (measured, answer) => {
      const { counts } = JSON.parse(String(answer.body)).message;
      assert.deepEqual([answer.status, counts.unchanged, counts.withdrawn], [200, many, 0]);
      assertNoHold(measured, longestHold);
      assertMemory(measured, 400);
    },
  );

  attack(
    'sequence numbers far apart, and the last there is',
    async (target) => {
      const answers: Answer[] = [];
      for (const sequence of [1, 1e12, 3e12, 2 ** 53 - 1, 2])
        answers.push(await feed(target, `articles?feed=far&sequence=${sequence}`, lines(1, anArticle)));
      answers.push(await feed(target, `articles?feed=far&sequence=${2 ** 53}`, lines(1, anArticle)));
      return { answers, listed: await ask(target, { path: '/platform/feeds', token: keyOf(target) }) };
    },
    (measured, { answers, listed }) => {
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 200, 400],
      );
      const far = JSON.parse(String(listed.body)).feeds.find(({ feed: name }: { feed: string }) => name === 'far');
      assert.deepEqual(far.missing, [
        [3, 1e12 - 1],
        [1e12 + 1, 3e12 - 1],
        [3e12 + 1, 2 ** 53 - 2],
      ]);
      assertNoHold(measured, longestHold);
    },
  );

  attack(
    'replays of everything at once, while clients write',
    async (target) => {
      const sent = await feed(
        target,
        'articles',
        lines(3000, () => ({ unheardOf: 1 })),
      );
      const { id } = JSON.parse(String(sent.body)).message;
      const paths = [`/platform/feeds/messages/${encodeURIComponent(id)}/replay`, lineAt(id, 5), lineAt(id, 2999)];
      const replays = together(60, (index) =>
        ask(target, { method: 'POST', path: paths[index % 3] ?? '', token: keyOf(target) }),
      );
      const written: Answer[] = [];
      for (let count = 0; count < 10; count += 1)
        written.push(
          await postArticles(target, [{ activityCode: activities.victim, ...anArticle(count) }], {
            token: target.database.tokens.victim,
          }),
        );
      return { replays: await replays, written };
    },
    (measured, { replays, written }) => {
      assertAnsweredOrShed(replays, [200, 409]);
      assert.deepEqual(tally(written), { 200: 10 });
      assertNoHold(measured, longestHold);
      assertMemory(measured, 300);
    },
  );

  attack(
    'messages and lines of other activities, one of which begins as theirs does',
    async (target) => {
      const sent = await feed(
        target,
        'articles',
        lines(3, () => ({ unheardOf: 1 })),
        'twin',
      );
      const { id } = JSON.parse(String(sent.body)).message;
      const message = encodeURIComponent(id);
      const asked: readonly (readonly [string, string])[] = [
        ['GET', `/platform/feeds/messages/${message}`],
        ['POST', `/platform/feeds/messages/${message}/replay`],
        ['POST', `/platform/feeds/messages/${message}/drop`],
        ['GET', lineAt(id, 1).replace('/replay', '')],
        ['POST', lineAt(id, 1)],
        ['POST', lineAt(id, 1).replace('/replay', '/drop')],
        ['POST', lineAt(id, 1).replace('/replay', '/edit')],
      ];
      const refused: Answer[] = [];
      for (const role of ['attacker', 'twins', 'victim'] as const)
        for (const [method, path] of asked)
          refused.push(
            await ask(target, {
              ...{ method, path, token: keyOf(target, role) },
              ...(path.endsWith('/edit') && { body: '{}', headers: { 'content-type': 'application/json' } }),
            }),
          );
      const sentAway = await feed(target, `articles?activity=${activities.twin}`, lines(1, anArticle), 'twins');
      const listed = await ask(target, { path: '/platform/feeds/lines', token: keyOf(target, 'twins') });
      const own = await ask(target, { path: `/platform/feeds/messages/${message}`, token: keyOf(target, 'twin') });
      const left = await ask(target, { path: '/platform/feeds/lines', token: keyOf(target, 'twin') });
      return { refused, sentAway, listed, own, left };
    },
    (_measured, { refused, sentAway, listed, own, left }) => {
      assert.deepEqual(tally(refused), { 404: 21 });
      assert.equal(sentAway.status, 404);
      assert.deepEqual(JSON.parse(String(listed.body)).lines, []);
      assert.equal(JSON.parse(String(own.body)).counts.refused, 3);
      assert.equal(JSON.parse(String(left.body)).lines.length, 3);
    },
  );
});

function anArticle(index: number): object {
  const name = `FEED-${index}`;
  return { articleReference: name, longArticleDescription: name, shortArticleDescription: 'fed' };
}

function lines(count: number, record: (index: number) => object): string {
  return Array.from({ length: count }, (_none, index) => `${JSON.stringify(record(index))}\n`).join('');
}

function keyOf({ database }: Target, role: Role = 'attacker'): string {
  return database.feedKeys[role];
}

function headersOf(target: Target, role: Role): Readonly<Record<string, string>> {
  return { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${keyOf(target, role)}` };
}

function feed(
  target: Target,
  path: string,
  body: string | Buffer,
  role: Role = 'attacker',
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return ask(target, {
    ...{ method: 'POST', path: `/platform/feeds/${path}`, token: keyOf(target, role), body },
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });
}

/** Begins feeds of which one line comes, and no end. */
async function beginFeeds(target: Target, count: number, query: (index: number) => string = () => '') {
  return together(count, async (index) => {
    const socket = await open(target);
    const headers = { ...headersOf(target, 'attacker'), 'Content-Length': '1000000' };
    socket.resume().write(head('POST', `/platform/feeds/articles${query(index)}`, headers) + lines(1, anArticle));
    return socket;
  });
}

function lineAt(message: string, record: number): string {
  return `/platform/feeds/lines/${encodeURIComponent(`${message}:${record}`)}/replay`;
}

/** What was not done says when to come again. */
function assertAnsweredOrShed(answers: readonly Answer[], done: readonly number[] = [200]): void {
  for (const { status, headers, body } of answers) {
    if (done.includes(status)) continue;
    assert.ok([429, 503].includes(status) && Number(headers['retry-after']) > 0, `${status} ${body}`);
  }
}
