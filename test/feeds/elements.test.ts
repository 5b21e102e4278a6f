// Elements of a JSON array: each is counted. All of them may stand on one line, so each that is refused is named by its
// number, in the answer, among the refused lines, on the command line and in the file of errors.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { readRecords } from '../../src/feeds/read-records.ts';
import { run, succeed, temporaryFolder } from '../commands/fixture.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { made, mappingOf, piecesOf } from './mapping/fixture.ts';
import { dropFor } from './folder/fixture.ts';

const article = (articleReference: unknown, name = 'Lamp'): object => ({
  ...{ articleReference, longArticleDescription: name, shortArticleDescription: name },
});
/** On one line; refused are the second (a number), the fourth (no object), the fifth (the third with other content). */
const elements = [article('A'), article(7), article('C'), 'nothing', article('C', 'Candle'), article('F')];
const oneLine = JSON.stringify(elements);
const refused = [2, 4, 5];

/** The numbers of the elements of a file; null: it has none. */
async function numbersIn(text: string, piece = 1000): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const group of readRecords(piecesOf(text, piece)))
    found.push(...group.map(({ element = null, ok }) => `${element}${ok ? '' : '!'}`));
  return found;
}

for (const engine of engines)
  describe(`refused elements of one line on ${engine.name}`, { skip: engine.skip }, () => {
    it('are named in the answer, in the list, in the download, and when they are replayed', async (t) => {
      const running = await startApp(engine);
      t.after(() => running.close());
      const wanted = { name: 'feed', activityCodes: ['NOR'], roles: ['feed'] };
      const { text: token } = await addPlatformKey(running.app.store, wanted, Date.now());
      const headers = { 'content-type': 'application/json' };
      const sent = await running.send('/platform/feeds/articles?activity=NOR', oneLine, { token, headers });
      const { refusedLines, message } = sent.object();
      const placesOf = (lines: unknown): readonly unknown[] =>
        Array.isArray(lines) ? lines.map(({ line, element }) => [line, element]) : assert.fail('no lines');
      const places = refused.map((element) => [1, element]);
      assert.deepEqual(placesOf(refusedLines), places);
      assert.match(JSON.stringify(refusedLines), /Element 3 holds the same record with other content/);
      const get = (path: string) => running.get(`/platform/feeds/${path}`, { token });
      assert.deepEqual(placesOf((await get('lines')).object().lines), places);
      const download = (await get('lines.ndjson')).body.trimEnd().split('\n');
      assert.deepEqual(placesOf(download.map((line) => JSON.parse(line))), places);
      // What is replayed keeps where it came from; alone the fifth is no repetition.
      const { id } = Object(message);
      await running.send(`/platform/feeds/messages/${id}/replay`, '', { token });
      assert.deepEqual(placesOf((await get('lines')).object().lines), places.slice(0, 2));
      const single = await running.send('/platform/feeds/articles?activity=NOR', '{}\n', {
        token,
        headers: { 'content-type': 'application/x-ndjson' },
      });
      assert.deepEqual(placesOf(single.object().refusedLines), [[1, null]]);
    });
  });

for (const engine of engines)
  describe(`an array over HTTP on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let token: string;
    before(async () => {
      running = await startApp(engine);
      const wanted = { name: 'feed', activityCodes: ['NOR'], roles: ['feed'] };
      token = (await addPlatformKey(running.app.store, wanted, Date.now())).text;
    });
    after(() => running.close());

    const send = (path: string, body: string): Promise<Answered> =>
      running.send(`/platform/feeds/${path}`, body, { token, headers: { 'content-type': 'application/json' } });
    const answerTo = async (path: string, body: string): Promise<ArrayAnswer> => {
      const { status, body: told } = await send(path, body);
      assert.equal(status, 200, told);
      const { message, refusedLines } = JSON.parse(told);
      const { read, new: added, changed, unchanged, refused: ofThem } = message.counts;
      assert.equal(read, added + changed + unchanged + ofThem, told);
      return { read, refused: ofThem, lines: refusedLines };
    };

    it('has as many records read as it has elements, those that are refused among them', async () => {
      // A batch has a thousand.
      for (const length of [1, 2, 999, 1000, 1001, 2500]) {
        const wrong = [7, null, 'a "],[" text', [], {}, [article('A')], article(7)];
        const all = Array.from({ length }, (_none, index) =>
          index % 3 === 1 ? wrong[index % wrong.length] : article(`${length}-${index}`, 'a "],{" name'),
        );
        for (const body of [JSON.stringify(all), JSON.stringify(all, null, 1)]) {
          const { read, refused: ofThem, lines } = await answerTo('articles', body);
          assert.deepEqual([read, ofThem], [length, all.filter((_each, index) => index % 3 === 1).length]);
          for (const { element } of lines) assert.equal(Number(element) % 3, 2);
        }
      }
    });

    it('without elements has no records: it is refused, unless it is a stock image without rows', async () => {
      for (const body of ['[]', ' [\n ]\n']) {
        const { status, body: told } = await send('articles', body);
        assert.deepEqual([status, JSON.parse(told).fault], [400, 'no-records'], told);
        const image = await answerTo('stock?extractionDate=2026-03-02T04:00:00Z', body);
        assert.deepEqual([image.read, image.refused], [0, 0]);
      }
    });

    it('that is cut has one more than it has whole elements: what was cut is refused, wherever that is', async () => {
      const whole = ['A', 'B', 'C'].map((reference) => JSON.stringify(article(reference)));
      const body = `[${whole.join(', ')}]`;
      const ends = whole.map((text) => body.indexOf(text) + text.length);
      for (let length = 1; length < body.length; length += 1) {
        const cut = body.slice(0, length);
        const { read, refused: ofThem, lines } = await answerTo('articles', cut);
        const codes = lines.map(({ reasons }) => reasons[0]?.code);
        assert.deepEqual(
          [read, ofThem, codes],
          [ends.filter((end) => end <= length).length + 1, 1, ['truncated']],
          cut,
        );
      }
      assert.deepEqual(await answerTo('articles', body), { read: 3, refused: 0, lines: [] });
    });
  });

interface ArrayAnswer {
  readonly read: number;
  readonly refused: number;
  readonly lines: readonly {
    readonly element: number | null;
    readonly reasons: readonly { readonly code: string }[];
  }[];
}

describe('refused elements of one line', () => {
  it('are named in the file of errors, with a mapping too', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/day.json', oneLine);
    const mapping = {
      format: { kind: 'json', records: '/items' },
      resources: {
        articles: {
          fields: { articleReference: 'sku', longArticleDescription: 'name', shortArticleDescription: 'name' },
        },
      },
    };
    await drop.put('mappings/goods.json', JSON.stringify(mapping));
    const items = [{ sku: 'X', name: 'Vase' }, { sku: '' }, 7, { sku: 'Y', name: 'x'.repeat(1000) }];
    await drop.put('inbox/ACM/goods/day.json', JSON.stringify({ items }));
    await drop.round();
    const elementsIn = (path: string): readonly unknown[] =>
      readFileSync(join(drop.root, path), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).element);
    assert.deepEqual(elementsIn('error/ACM/articles/day.json.refused.ndjson'), refused);
    assert.deepEqual(elementsIn('error/ACM/goods/day.json.refused.ndjson'), [2, 3, 4]);
  });

  it('are named on the command line', async (t) => {
    const place = await placeWithFile(t);
    assert.equal((await run(place, 'import', 'articles', 'day.json', '--activity', 'ACM')).code, 3);
    const written = readFileSync(join(place.folder, 'day.json.refused.ndjson'), 'utf8').trimEnd().split('\n');
    assert.deepEqual(
      written.map((line) => JSON.parse(line).element),
      refused,
    );
    assert.match(await succeed(place, 'feed', 'lines'), /^ACM:1:2\tarticles\t.*day\.json:1, element 2\t/m);
    const tried = await run(place, 'feed', 'try', 'articles', 'day.json');
    assert.match(tried.stdout, /refused, element 2: /);
  });

  it('are counted whatever stands between them, however the bytes come', async () => {
    for (const piece of [1, 3, 1000]) {
      assert.deepEqual(await numbersIn('[{"a":1}, ,{"a":2},\n{"a":]', piece), ['1', '2!', '3', '4!']);
      assert.deepEqual(await numbersIn('[{"a":1},{"a"', piece), ['1', '2!']);
      assert.deepEqual(await numbersIn('{"a":1}\n{"a"\n', piece), ['null', 'null!']);
      assert.deepEqual(await numbersIn('[]', piece), []);
    }
  });

  it('that are gathered come in their order, and name each other', async () => {
    const rows = [{ o: '1', l: '1' }, 7, { o: '2', l: '1' }, { o: '1', l: '2' }];
    const orders = (group: object): object => ({
      format: { kind: 'json' },
      resources: {
        orders: {
          group: { by: ['o'], ...group },
          fields: { orderUniqueID: 'o' },
          lists: { orderEntries: { fields: { orderLineID: 'l' } } },
        },
      },
    });
    const text = JSON.stringify(rows);
    const gathered = await made(mappingOf(orders({ apart: 'gather' })), text);
    assert.deepEqual(
      gathered.all.map(({ element, ok }) => [element, ok]),
      [
        [1, false],
        [2, false],
        [3, false],
      ],
    );
    const apart = await made(mappingOf(orders({})), text);
    assert.deepEqual(
      apart.all.map(({ element }) => element),
      [1, 2, 3, 4],
    );
    assert.match(JSON.stringify(apart.all), /Element 2 beside it cannot be read/);
    assert.match(JSON.stringify(apart.all), /began at element 1, with other lines/);
  });
});

async function placeWithFile(t: TestContext): Promise<{ readonly folder: string }> {
  const folder = temporaryFolder(t);
  await succeed({ folder }, 'activity', 'add', 'ACM', 'Acme');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'day.json'), oneLine);
  return { folder };
}
