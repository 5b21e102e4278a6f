// Feeds that cost more than they bring: slow, endless, inflated, refused to the last line, never ended, all at once;
// and keys that ask for what other activities were sent.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { rounds } from '../contract/rounds.ts';
import {
  assertMemory,
  assertNoHold,
  assertProcessor,
  type Measured,
  settled,
  sustainedMs,
  underAttack,
} from './attack.ts';
import {
  anArticle,
  assertAnsweredOrShed,
  beginFeeds,
  type EndlessFeed,
  endlessFeed,
  feed,
  headersOf,
  keyOf,
  lines,
} from './feed-wire.ts';
import { activities, movement } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, ask, head, open, postArticles, tally, together } from './wire.ts';

const many = Math.max(5000, rounds(40_000));
/** Milliseconds: a batch, and the moments between its parts. */
const longestHold = 500;

underAttack('feeds', {}, (attack) => {
  /** Begun by the first attack, so that the others pass the time that they are waited for. */
  let standing: Promise<readonly EndlessFeed[]> | undefined;

  attack(
    'four feeds that never end, as fast as they are taken: of one record, of new ones, of refused ones, of blank lines',
    async (target) => {
      standing = standStill(target);
      return poured(target, [
        { path: 'articles', text: lines(1000, () => anArticle(1)) },
        { path: 'movements', text: lines(1000, movement) },
        { path: 'articles', text: lines(1000, () => ({ unheardOf: 1 })) },
        { path: 'articles', text: '\n'.repeat(65_536) },
      ]);
    },
    assertPoured,
    60_000,
  );

  attack(
    'feeds whose one line, whose one array, whose one text never ends, and one that is compressed',
    (target) =>
      poured(target, [
        { path: 'articles', text: 'x'.repeat(65_536) },
        { path: 'articles', start: '[', text: lines(1000, anArticle).replaceAll('\n', ',') },
        { path: 'articles', start: '[{"articleReference":"', text: 'x'.repeat(65_536) },
        { path: 'articles', text: gzipSync(lines(1000, anArticle)), headers: { 'Content-Encoding': 'gzip' } },
      ]),
    assertPoured,
    60_000,
  );

  attack(
    'two hundred feeds that send a byte now and then',
    async (target) => {
      const feeds = await together(200, () => endlessFeed(target, 'articles', 'attacker'));
      for (const { send } of feeds) await send(Buffer.from(lines(1, anArticle)));
      const trickle = setInterval(() => feeds.forEach(({ send }) => void send(Buffer.from(' '))), 200);
      await wait(1500);
      const other = await feed(target, 'articles', lines(1, anArticle), 'victim');
      clearInterval(trickle);
      const turnedAway = feeds.map(({ heard }) => heard()).filter((text) => text !== '');
      for (const { cut } of feeds) cut();
      await settled(target, 3000);
      return { other, turnedAway };
    },
    (measured, { other, turnedAway }) => {
      assert.equal(other.status, 200, String(other.body));
      assert.equal(turnedAway.length, 196, 'a key has four places');
      for (const text of turnedAway) assert.match(text, /^HTTP\/1\.1 429 .*retry-after: [1-9]/is);
      assertNoHold(measured, longestHold);
      assertMemory(measured, 150);
    },
  );

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
    'bodies of fifty bytes that inflate to a hundred thousand records, as lines and as an array',
    async (target) => {
      const answers: Answer[] = [];
      for (const text of ['1\n', '{}\n', '{"withdraw":1}\n', '[1,'])
        for (const path of ['articles', 'movements'])
          answers.push(
            await feed(target, path, zstdCompressSync(text + text.replace('[', '').repeat(100_000)), 'attacker', {
              'content-encoding': 'zstd',
            }),
          );
      return answers;
    },
    (measured, answers) => {
      for (const { status, body } of answers) {
        assert.equal(status, 413, String(body).slice(0, 300));
        assert.match(String(body), /send it uncompressed.* records of message .* have been dealt with/);
      }
      assertNoHold(measured, longestHold);
      assertProcessor(measured, 4);
    },
    60_000,
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
    'a hundred refused lines of 48 kB, listed by eight at a time',
    async (target) => {
      const long = { unheardOf: Array.from({ length: 16_000 }, () => []) };
      const answer = await feed(
        target,
        'movements?feed=long',
        lines(100, () => long),
      );
      const { id } = JSON.parse(String(answer.body)).message;
      const path = `/platform/feeds/lines?message=${encodeURIComponent(id)}`;
      const until = performance.now() + sustainedMs;
      const pages = await together(8, async () => {
        const listed: Answer[] = [];
        while (performance.now() < until) listed.push(await ask(target, { path, token: keyOf(target) }));
        return listed;
      });
      return { answer, pages: pages.flat() };
    },
    (measured, { answer, pages }) => {
      assert.deepEqual([answer.status, JSON.parse(String(answer.body)).message.counts.refused], [200, 100]);
      assertAnsweredOrShed(pages);
      for (const { status, body } of pages) assert.ok(status !== 200 || body.length < 1_200_000, String(body.length));
      assert.ok((tally(pages)[200] ?? 0) >= 8, JSON.stringify(tally(pages)));
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

  attack(
    'feeds that stand still, send a byte a second, or stop within their compression: 408, and one is gone on with',
    async (target) => {
      const feeds = await (standing ?? standStill(target));
      await Promise.all(feeds.map(({ ended }) => ended));
      const told = feeds.map(({ heard }) => heard());
      const messages: Answer[] = [];
      for (const text of told) messages.push(await messageIn(target, text));
      return { told, messages, again: await feed(target, 'articles', half + half, 'twin', stoodStill) };
    },
    (measured, { told, messages, again }) => {
      for (const text of told) assert.match(text, /^HTTP\/1\.1 408 .*"type":"[^"]*\/request-timeout"/s);
      const ended = messages.map(({ body }) => JSON.parse(String(body)));
      assert.deepEqual(
        ended.map(({ state, counts: { read } }) => [state, read]),
        [
          // A batch has a thousand records: what came of the next one is read again.
          ['open', 1000],
          ['interrupted', 0],
          ['interrupted', 2000],
        ],
      );
      const { message } = JSON.parse(String(again.body));
      assert.deepEqual([again.status, message.id, message.counts.read], [200, ended[0].id, 2400]);
      assertNoHold(measured, longestHold);
      assertMemory(measured, 100);
    },
    60_000,
  );
});

const half = lines(1200, anArticle);
const stoodStill = { 'Idempotency-Key': '"stood-still"' };

/** Begins three feeds that come too slowly in three ways. Nothing more has to be done for that. */
async function standStill(target: Target): Promise<readonly EndlessFeed[]> {
  const [still, trickling, cut] = [
    await endlessFeed(target, 'articles', 'twin', stoodStill),
    await endlessFeed(target, 'articles', 'twin'),
    await endlessFeed(target, 'articles', 'twin', { 'Content-Encoding': 'gzip' }),
  ];
  await still.send(Buffer.from(half));
  const trickle = setInterval(() => void trickling.send(Buffer.from(' ')), 1000).unref();
  void trickling.ended.then(() => clearInterval(trickle));
  const compressed = gzipSync(half + half);
  await cut.send(compressed.subarray(0, compressed.length - 20));
  return [still, trickling, cut];
}

interface Poured {
  readonly path: string;
  readonly start?: string;
  /** Comes again and again. */
  readonly text: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends bodies without an end for as long as an attack lasts; then they are cut, and one is sent that ends. */
async function poured(
  target: Target,
  bodies: readonly Poured[],
): Promise<{ readonly messages: Answer; readonly next: Answer }> {
  const until = performance.now() + sustainedMs;
  await Promise.all(
    bodies.map(async ({ path, start, text, headers = {} }) => {
      const { send, cut } = await endlessFeed(target, path, 'attacker', headers);
      if (start !== undefined) await send(Buffer.from(start));
      const bytes = Buffer.from(text);
      // What is sent last may be taken only after a while: the server gives way to the victim.
      setTimeout(cut, until - performance.now());
      while (performance.now() < until) await send(bytes);
    }),
  );
  // What was read of them is written to its end, in the time that the victim leaves.
  for (let times = 1; ; times += 1) {
    await settled(target, 1000);
    const next = await feed(target, 'articles', lines(1, anArticle));
    const path = `/platform/feeds/messages?limit=${bodies.length + times}`;
    const messages = await ask(target, { path, token: keyOf(target) });
    const isOver = next.status === 200 && !String(messages.body).includes('"state":"open"');
    if (isOver || times === 30) return { messages, next };
  }
}

function assertPoured(measured: Measured, { messages, next }: Awaited<ReturnType<typeof poured>>): void {
  for (const { state, counts } of JSON.parse(String(messages.body)).messages) {
    assert.ok(['interrupted', 'done'].includes(state), state);
    assert.equal(counts.read, counts.new + counts.changed + counts.unchanged + counts.refused);
  }
  assert.equal(next.status, 200, String(next.body));
  assertNoHold(measured, 2 * longestHold);
  assertMemory(measured, 500);
}

/** The message that an answer tells of, as the platform interface has it. */
function messageIn(target: Target, text: string): Promise<Answer> {
  const id = /"message":"([^"]+)"/.exec(text)?.[1] ?? '';
  return ask(target, { path: `/platform/feeds/messages/${encodeURIComponent(id)}`, token: keyOf(target, 'twin') });
}

function lineAt(message: string, record: number): string {
  return `/platform/feeds/lines/${encodeURIComponent(`${message}:${record}`)}/replay`;
}
