// Replaying refused lines over the whole HTTP path, on every engine: what came in wrong is mended and taken in, once,
// and overwrites nothing that was written meanwhile.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { importRecords, type ImportSummary } from '../../src/feeds/import.ts';
import { replayLines } from '../../src/feeds/replay.ts';
import type { Resource } from '../../src/model/resource.ts';
import { article, articleStock, articleStockMovement, order } from '../../src/resources/index.ts';
import { LinesSettled } from '../../src/store/feed-contract.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';

for (const engine of engines) {
  describe(`replayed lines on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let key = '';
    before(async () => {
      running = await startApp(engine);
      const wanted = { name: 'wms', activityCodes: ['NOR'], roles: ['feed'] };
      key = (await addPlatformKey(running.app.store, wanted, Date.now())).text;
    });
    after(() => running.close());

    const send = (path: string, body: unknown = null): Promise<Answered> =>
      body === null
        ? running.get(`/platform/feeds/${path}`, { token: key, method: 'POST' })
        : running.send(`/platform/feeds/${path}`, body, { token: key });
    const line = async (id: string): Promise<Record<string, unknown>> =>
      (await running.get(`/platform/feeds/lines/${id}`, { token: key })).object();
    const take = (resource: Resource, records: readonly unknown[]): Promise<ImportSummary> =>
      importRecords({
        store: running.app.store,
        resource,
        activity: 'NOR',
        activityName: 'North Trading',
        source: { kind: 'stream', bytes: bytesOf(records) },
        refusedLines: {
          add: () => undefined,
          flush: async () => undefined,
          finish: async () => null,
          discard: async () => undefined,
        },
      });
    const articleOf = (reference: string, description: string, more: object = {}) => ({
      ...{ activityCode: 'NOR', activityName: 'North Trading', articleReference: reference },
      ...{ longArticleDescription: description, shortArticleDescription: 'Short', ...more },
    });
    const described = async (reference: string): Promise<unknown> =>
      (await running.get(`/v1/articles?articleReference=${reference}`)).list()[0]?.longArticleDescription;

    it('takes a mended record in, by a message of its own, once', async () => {
      const { message, refused } = await take(article, [
        articleOf('R1', 'right'),
        articleOf('R2', 'wrong', { netWeightPerUVC: 'heavy' }),
        articleOf('R3', 'wrong too', { netWeightPerUVC: 'light' }),
      ]);
      assert.equal(refused, 2);
      const again = (await send(`lines/${message}:2/replay`)).object();
      assert.deepEqual([again.read, again.new, again.refused], [1, 0, 1], 'it is as wrong as before');
      assert.deepEqual(
        [(await line(`${message}:2`)).state, (await line(`${message}:2`)).replayedBy],
        ['replayed', again.message],
      );
      assert.equal((await send(`lines/${message}:2/replay`)).status, 409);
      const [mended] = [`${String(again.message)}:1`];
      assert.equal((await line(mended)).line, 2, 'its line is that of the file it came in');
      assert.equal((await send(`lines/${mended}/edit`, articleOf('R2', 'mended'))).status, 200);
      assert.equal((await send(`lines/${message}:3/edit`, articleOf('R3', 'mended too'))).status, 200);
      const done = (await send(`messages/${String(again.message)}/replay`)).object();
      assert.deepEqual([done.read, done.new, done.changed, done.unchanged, done.refused], [1, 1, 0, 0, 0]);
      assert.equal(await described('R2'), 'mended');
      const rest = (await send(`messages/${message}/replay`)).object();
      assert.deepEqual([rest.read, rest.new], [1, 1]);
      assert.equal(await described('R3'), 'mended too');
      const empty = await send(`messages/${message}/replay`);
      assert.equal(empty.status, 409, empty.body);
    });

    it('is left as it is where somebody edits it after it was read', async () => {
      const { message } = await take(article, [articleOf('E1', 'wrong', { netWeightPerUVC: 'heavy' })]);
      const { feeds, feedLines } = running.app.store;
      const row = await feeds.message('NOR', Number(/\d+$/.exec(message)));
      assert.ok(row !== null);
      const list: typeof feedLines.list = async (query) => {
        const page = await feedLines.list(query);
        if (query.limit > 1)
          assert.equal((await send(`lines/${message}:1/edit`, articleOf('E1', 'mended'))).status, 200);
        return page;
      };
      const replay = replayLines({
        ...{ store: { feeds, feedLines: { ...feedLines, list } }, resource: article, activity: 'NOR' },
        ...{ activityName: 'North Trading', message: row, records: null, force: false, actor: 'mia' },
        turns: createFeedTurns(),
        audit: () => assert.fail('nothing is replayed'),
      });
      await assert.rejects(replay, LinesSettled);
      assert.equal((await line(`${message}:1`)).state, 'refused');
      assert.equal((await send(`messages/${message}/replay`)).object().new, 1);
      assert.equal(await described('E1'), 'mended');
    });

    it('withdraws the record that a mended line names', async () => {
      const { message } = await take(article, [articleOf('W1', 'here'), { withdraw: { articleReference: null } }]);
      const mended = { withdraw: { articleReference: 'W1' } };
      assert.equal((await send(`lines/${message}:2/edit`, mended)).status, 200);
      const done = (await send(`lines/${message}:2/replay`)).object();
      assert.deepEqual([done.read, done.changed, done.refused], [1, 1, 0]);
      assert.equal(await described('W1'), undefined);
    });

    it('refuses a line that is older than what anybody has written since, unless it is forced', async () => {
      const { message } = await take(article, [
        articleOf('O1', 'old', { netWeightPerUVC: 'heavy' }),
        articleOf('O2', 'old', { netWeightPerUVC: 'heavy' }),
        articleOf('O3', 'old', { netWeightPerUVC: 'heavy' }),
      ]);
      const newer = await take(article, [articleOf('O1', 'of a feed')]);
      const posted = await running.send('/v1/articles', [articleOf('O2', 'of a client')]);
      assert.equal(posted.status, 200, posted.body);
      for (const number of [1, 2, 3])
        assert.equal((await send(`lines/${message}:${number}/edit`, articleOf(`O${number}`, 'mended'))).status, 200);
      const replay = (await send(`messages/${message}/replay`)).object();
      assert.deepEqual([replay.read, replay.new, replay.changed, replay.refused], [3, 1, 0, 2]);
      assert.deepEqual(
        [await described('O1'), await described('O2'), await described('O3')],
        ['of a feed', 'of a client', 'mended'],
      );
      const [first, second] = [await line(`${String(replay.message)}:1`), await line(`${String(replay.message)}:2`)];
      assert.match(
        JSON.stringify(first.reasons),
        new RegExp(`older-than-stored.*message ${newer.message} has written`),
      );
      assert.match(JSON.stringify(second.reasons), /; a client has written/);
      const once = (await send(`lines/${String(replay.message)}:2/replay`)).object();
      assert.equal(once.refused, 1, 'a replay of a replay is as old as the first line');
      const forced = (await send(`lines/${String(replay.message)}:1/replay?force=true`)).object();
      assert.deepEqual([forced.changed, forced.refused], [1, 0]);
      assert.equal(await described('O1'), 'mended');
    });

    it('refuses a line of which a later one has said what was stored already', async () => {
      const wrong = { netWeightPerUVC: 'heavy' };
      await take(article, [articleOf('U1', 'stored'), articleOf('U2', 'stored'), articleOf('U3', 'stored')]);
      const { message } = await take(article, [
        articleOf('U1', 'between', wrong),
        articleOf('U2', 'between', wrong),
        articleOf('U2', 'stored'),
        articleOf('U3', 'between', wrong),
        articleOf('U3', 'of nobody', wrong),
      ]);
      assert.equal((await send(`lines/${message}:5/edit`, articleOf('U4', 'between'))).status, 200);
      const later = await take(article, [articleOf('U1', 'stored'), articleOf('U4', 'stored')]);
      assert.deepEqual([later.new, later.unchanged], [1, 1]);
      const repeated = await take(article, [articleOf('U4', 'stored')]);
      assert.equal(repeated.unchanged, 1);
      for (const number of [1, 2])
        assert.equal((await send(`lines/${message}:${number}/edit`, articleOf(`U${number}`, 'between'))).status, 200);
      assert.equal((await send(`lines/${message}:4/edit`, articleOf('U3', 'mended'))).status, 200);
      const replay = (await send(`messages/${message}/replay`)).object();
      assert.deepEqual([replay.read, replay.changed, replay.refused], [4, 1, 3]);
      assert.deepEqual(await Promise.all(['U1', 'U2', 'U3', 'U4'].map(described)), [
        ...['stored', 'stored', 'mended', 'stored'],
      ]);
      const reasons = async (record: number): Promise<string> =>
        JSON.stringify((await line(`${String(replay.message)}:${record}`)).reasons);
      assert.match(await reasons(1), new RegExp(`older-than-stored.*message ${later.message}, which came since, has`));
      assert.match(await reasons(2), /older-than-stored.*Line 3, which stands behind it/);
      const forced = (await send(`lines/${String(replay.message)}:1/replay?force=true`)).object();
      assert.deepEqual([forced.changed, forced.refused], [1, 0]);
    });

    it('refuses a line of a record that was withdrawn since, though it was not there', async () => {
      const wrong = { netWeightPerUVC: 'heavy' };
      const gone = (reference: string) => ({ withdraw: { articleReference: reference } });
      const { message } = await take(article, [
        ...[articleOf('G1', 'before', wrong), articleOf('G2', 'before', wrong), gone('G2')],
        ...[articleOf('G3', 'behind its withdrawal', wrong)],
      ]);
      const first = await take(article, [gone('G1')]);
      assert.deepEqual([first.unchanged, first.refused], [1, 0]);
      for (const [number, reference] of [
        [1, 'G1'],
        [2, 'G2'],
        [4, 'G3'],
      ] as const)
        assert.equal((await send(`lines/${message}:${number}/edit`, articleOf(reference, 'mended'))).status, 200);
      const replay = (await send(`messages/${message}/replay`)).object();
      assert.deepEqual([replay.read, replay.new, replay.refused], [3, 1, 2]);
      assert.deepEqual(await Promise.all(['G1', 'G2', 'G3'].map(described)), [undefined, undefined, 'mended']);
      const reasons = async (record: number): Promise<string> =>
        JSON.stringify((await line(`${String(replay.message)}:${record}`)).reasons);
      assert.match(await reasons(1), new RegExp(`older-than-stored.*message ${first.message} has withdrawn`));
      assert.match(await reasons(2), /older-than-stored.*Line 3, which stands behind it, has withdrawn/);
      const forced = (await send(`lines/${String(replay.message)}:1/replay?force=true`)).object();
      assert.deepEqual([forced.new, forced.refused], [1, 0]);
    });

    it('refuses what a later line of the same message repeated, though that line changed nothing', async () => {
      const { message } = await take(article, [
        articleOf('V2', 'at last'),
        articleOf('V2', 'between', { netWeightPerUVC: 'heavy' }),
        articleOf('V2', 'at last'),
      ]);
      assert.equal((await send(`lines/${message}:2/edit`, articleOf('V2', 'between'))).status, 200);
      const replay = (await send(`lines/${message}:2/replay`)).object();
      assert.deepEqual([replay.read, replay.changed, replay.refused], [1, 0, 1]);
      assert.equal(await described('V2'), 'at last');
    });

    it('refuses a line of a record that was withdrawn once more since, by its message or another', async () => {
      const wrong = { netWeightPerUVC: 'heavy' };
      const gone = (reference: string) => ({ withdraw: { articleReference: reference } });
      const { message } = await take(article, [
        ...[articleOf('H1', 'there'), gone('H1'), articleOf('H1', 'between', wrong), gone('H1')],
        ...[articleOf('H2', 'there'), gone('H2'), articleOf('H2', 'at last', wrong)],
        ...[gone('H3'), articleOf('H3', 'at last', wrong)],
      ]);
      const other = await send('articles?activity=NOR&feed=another', [gone('H2'), gone('H3')]);
      assert.equal(other.status, 200, other.body);
      for (const [number, reference] of [
        [3, 'H1'],
        [7, 'H2'],
        [9, 'H3'],
      ] as const)
        assert.equal((await send(`lines/${message}:${number}/edit`, articleOf(reference, 'mended'))).status, 200);
      const replay = (await send(`messages/${message}/replay`)).object();
      assert.deepEqual([replay.read, replay.refused], [3, 3]);
      assert.deepEqual(await Promise.all(['H1', 'H2', 'H3'].map(described)), [undefined, undefined, undefined]);
      const reasons = async (record: number): Promise<string> =>
        JSON.stringify((await line(`${String(replay.message)}:${record}`)).reasons);
      assert.match(await reasons(1), /older-than-stored.*Line 4, which stands behind it, has withdrawn/);
      assert.match(await reasons(2), /older-than-stored.*message NOR:\d+ has withdrawn this record since/);
      assert.match(await reasons(3), /older-than-stored.*message NOR:\d+ has withdrawn this record since/);
    });

    it('knows a movement by the number of its source, and a line that withdraws by what it names', async () => {
      const moved = (id: number, movedQuantity: unknown) => ({
        ...{ id, articleReference: 'N1', movementTimestamp: '2026-03-02T08:00:00.000Z' },
        ...{ movementDirection: 'I', movedQuantity },
      });
      const { message } = await take(articleStockMovement, [moved(71, 'many'), moved(72, 'many'), moved(73, 3)]);
      const { message: last } = await take(articleStockMovement, [{ withdraw: { id: 73, reason: 'a mistake' } }]);
      const since = await take(articleStockMovement, [{ withdraw: { id: 71 } }, moved(72, 2), moved(73, 3)]);
      assert.deepEqual([since.new, since.unchanged, since.refused], [1, 2, 0]);
      assert.equal((await send(`lines/${message}:1/edit`, moved(71, 1))).status, 200);
      assert.equal((await send(`lines/${message}:2/edit`, moved(72, 1))).status, 200);
      assert.equal((await send(`lines/${last}:1/edit`, { withdraw: { id: 73 } })).status, 200);
      const replays = [
        (await send(`messages/${message}/replay`)).object(),
        (await send(`messages/${last}/replay`)).object(),
      ];
      assert.deepEqual(
        replays.map(({ read, refused }) => [read, refused]),
        [
          [2, 2],
          [1, 1],
        ],
      );
      const { id: _, ...unnumbered } = moved(0, 4);
      const { message: bare } = await take(articleStockMovement, [{ ...unnumbered, movedQuantity: 'many' }]);
      assert.equal((await send(`lines/${bare}:1/edit`, unnumbered)).status, 200);
      assert.equal((await take(articleStockMovement, [{ withdraw: unnumbered }])).unchanged, 1);
      assert.equal((await send(`messages/${bare}/replay`)).object().refused, 1, 'named by all that is said of it');
      const listed = (await running.get('/v1/articles/movements?articleReference=N1')).list();
      assert.deepEqual(listed.map(({ movedQuantity }) => movedQuantity).toSorted(), [2, 3]);
    });

    it('refuses what a later line repeated that was replayed together with an earlier one', async () => {
      const wrong = { netWeightPerUVC: 'heavy' };
      const { message } = await take(article, [
        articleOf('V3', 'at last', wrong),
        articleOf('V3', 'between', wrong),
        articleOf('V3', 'at last', wrong),
      ]);
      const between = (await send(`lines/${message}:2/replay`)).object();
      assert.equal(between.refused, 1, 'it waits under another message');
      for (const record of [1, 3])
        assert.equal((await send(`lines/${message}:${record}/edit`, articleOf('V3', 'at last'))).status, 200);
      const both = (await send(`messages/${message}/replay`)).object();
      assert.deepEqual([both.read, both.new, both.unchanged], [2, 1, 1]);
      const waiting = `${String(between.message)}:1`;
      assert.equal((await send(`lines/${waiting}/edit`, articleOf('V3', 'between'))).status, 200);
      const replay = (await send(`lines/${waiting}/replay`)).object();
      assert.deepEqual([replay.read, replay.changed, replay.refused], [1, 0, 1]);
      assert.equal(await described('V3'), 'at last');
    });

    it('does not take what an older line repeats for something newer', async () => {
      const wrong = { netWeightPerUVC: 'heavy' };
      const { message } = await take(article, [
        articleOf('V1', 'at last', wrong),
        articleOf('V1', 'between', wrong),
        articleOf('V1', 'at last'),
      ]);
      assert.equal((await send(`lines/${message}:1/edit`, articleOf('V1', 'at last'))).status, 200);
      assert.equal((await send(`lines/${message}:2/edit`, articleOf('V1', 'between'))).status, 200);
      assert.equal((await send(`lines/${message}:1/replay`)).object().unchanged, 1);
      assert.equal((await send(`lines/${message}:2/replay`)).object().refused, 1);
      assert.equal(await described('V1'), 'at last');
    });

    it('refuses a line of a late message of which a message with a higher number has written the record', async () => {
      const numbered = (sequence: number, records: readonly unknown[]) =>
        send(`articles?feed=late&sequence=${sequence}`, records);
      await numbered(1, [articleOf('N1', 'of one')]);
      await numbered(3, [articleOf('N1', 'of three'), articleOf('N2', 'of three')]);
      const late = await numbered(2, [
        articleOf('N1', 'of two'),
        articleOf('N2', 'of two', { netWeightPerUVC: 'heavy' }),
      ]);
      const { id, counts } = Object(late.object().message);
      assert.equal(counts.refused, 2, late.body);
      assert.equal((await send(`lines/${id}:2/edit`, articleOf('N2', 'of two, mended'))).status, 200);
      const replay = (await send(`messages/${id}/replay`)).object();
      assert.deepEqual([replay.read, replay.changed, replay.refused], [2, 0, 2]);
      assert.deepEqual([await described('N1'), await described('N2')], ['of three', 'of three']);
      assert.match(JSON.stringify((await line(`${String(replay.message)}:1`)).reasons), /number 2, and number 3 has/);
      const forced = (await send(`lines/${String(replay.message)}:2/replay?force=true`)).object();
      assert.deepEqual([forced.changed, forced.refused], [1, 0]);
      assert.equal(await described('N2'), 'of two, mended');
    });

    it('gives what it writes the sequence number of the message in which the line came', async () => {
      const numbered = (sequence: number, records: readonly unknown[]) =>
        send(`articles?feed=mended&sequence=${sequence}`, records);
      await numbered(1, [articleOf('M2', 'the same')]);
      const wrong = { netWeightPerUVC: 'heavy' };
      const fifth = await numbered(5, [articleOf('M1', 'of five', wrong), articleOf('M2', 'the same', wrong)]);
      const { id } = Object(fifth.object().message);
      assert.equal((await send(`lines/${id}:1/edit`, articleOf('M1', 'of five'))).status, 200);
      assert.equal((await send(`lines/${id}:2/edit`, articleOf('M2', 'the same'))).status, 200);
      const replay = (await send(`messages/${id}/replay`)).object();
      assert.deepEqual([replay.new, replay.unchanged, replay.refused], [1, 1, 0]);
      const late = await numbered(4, [articleOf('M1', 'of four'), articleOf('M2', 'of four')]);
      assert.equal(Object(late.object().message).counts.refused, 2, late.body);
      assert.deepEqual([await described('M1'), await described('M2')], ['of five', 'the same']);
    });

    it('refuses a line of which one behind it in the same message has written the record', async () => {
      const { message } = await take(article, [
        articleOf('B1', 'before', { netWeightPerUVC: 'heavy' }),
        articleOf('B1', 'behind'),
        articleOf('B2', 'before'),
        articleOf('B2', 'behind'),
      ]);
      assert.equal((await send(`lines/${message}:1/edit`, articleOf('B1', 'before, mended'))).status, 200);
      const replay = (await send(`messages/${message}/replay`)).object();
      assert.deepEqual([replay.read, replay.changed, replay.refused], [2, 1, 1]);
      assert.deepEqual([await described('B1'), await described('B2')], ['behind', 'behind']);
      assert.match(
        JSON.stringify((await line(`${String(replay.message)}:1`)).reasons),
        /older-than-stored.*Line 2, which/,
      );
    });

    it('knows which element of an array is behind another, though all stand on one line', async () => {
      const sent = await send('articles?feed=array', [
        articleOf('E1', 'before', { netWeightPerUVC: 'heavy' }),
        articleOf('E2', 'before'),
        articleOf('E1', 'behind'),
        articleOf('E2', 'behind', { netWeightPerUVC: 'heavy' }),
        { withdraw: { articleReference: 'E2' } },
        articleOf('E2', 'at last', { netWeightPerUVC: 'heavy' }),
      ]);
      const { id } = Object(sent.object().message);
      for (const [number, reference, description] of [
        [1, 'E1', 'before, mended'],
        [4, 'E2', 'behind, mended'],
        [6, 'E2', 'at last, mended'],
      ] as const)
        assert.equal((await send(`lines/${id}:${number}/edit`, articleOf(reference, description))).status, 200);
      const replays = [];
      for (const number of [1, 4, 6]) replays.push((await send(`lines/${id}:${number}/replay`)).object());
      assert.deepEqual(
        replays.map(({ changed, refused }) => [changed, refused]),
        [
          [0, 1],
          [0, 1],
          [1, 0],
        ],
      );
      assert.deepEqual([await described('E1'), await described('E2')], ['behind', 'at last, mended']);
      const reasons = await Promise.all(replays.slice(0, 2).map(({ message }) => line(`${String(message)}:1`)));
      assert.match(JSON.stringify(reasons[0]?.reasons), /older-than-stored.*Element 3, which stands behind it/);
      assert.match(JSON.stringify(reasons[1]?.reasons), /older-than-stored.*Element 5, which stands behind it/);
      const lineage = await running.get('/platform/lineage?activity=NOR&resource=articles&articleReference=E2', {
        token: key,
      });
      assert.deepEqual([lineage.object().line, lineage.object().element], [1, 6]);
    });

    it('takes lines of one message in their order, whichever is replayed first', async () => {
      const wrong = { netWeightPerUVC: 'heavy' };
      const { message } = await take(article, [articleOf('P1', 'one', wrong), articleOf('P1', 'two', wrong)]);
      assert.equal((await send(`lines/${message}:1/edit`, articleOf('P1', 'one'))).status, 200);
      assert.equal((await send(`lines/${message}:2/edit`, articleOf('P1', 'two'))).status, 200);
      assert.equal((await send(`lines/${message}:1/replay`)).object().new, 1);
      assert.equal((await send(`lines/${message}:2/replay`)).object().changed, 1);
      assert.equal(await described('P1'), 'two');
      const other = await take(article, [articleOf('P2', 'one', wrong), articleOf('P2', 'two', wrong)]);
      assert.equal((await send(`lines/${other.message}:1/edit`, articleOf('P2', 'one'))).status, 200);
      assert.equal((await send(`lines/${other.message}:2/edit`, articleOf('P2', 'two'))).status, 200);
      assert.equal((await send(`lines/${other.message}:2/replay`)).object().new, 1);
      assert.equal((await send(`lines/${other.message}:1/replay`)).object().refused, 1);
      assert.equal(await described('P2'), 'two');
    });

    it('is done once by two who ask at the same moment', async () => {
      const wrong = Array.from({ length: 20 }, (_, index) => ({ orderUniqueID: `T${index}`, orderEntries: 'none' }));
      const { message } = await take(order, wrong);
      for (let index = 0; index < 20; index += 1) {
        const right = { orderUniqueID: `T${index}`, orderEntries: [] };
        assert.equal((await send(`lines/${message}:${index + 1}/edit`, right)).status, 200);
      }
      const both = await Promise.all([send(`messages/${message}/replay`), send(`messages/${message}/replay`)]);
      const taken = both.map((answer) => (answer.status === 200 ? Number(answer.object().new) : 0));
      assert.deepEqual(
        taken.toSorted((a, b) => a - b),
        [0, 20],
        both.map(({ body }) => body).join(),
      );
    });

    it('tells by lineage which message and line wrote a record last, or that a client did', async () => {
      const lineage = async (query: string): Promise<Answered> =>
        running.get(`/platform/lineage?activity=NOR&${query}`, { token: key });
      const { message } = await take(article, [articleOf('L1', 'first'), articleOf('L2', 'first')]);
      const second = await take(article, [articleOf('L1', 'first'), articleOf('L2', 'second')]);
      const of = async (query: string): Promise<unknown> => {
        const { message, line } = (await lineage(query)).object();
        return [message, line];
      };
      assert.deepEqual(await of('resource=articles&articleReference=L1'), [message, 1], 'unchanged by the second');
      assert.deepEqual(await of('resource=articles&articleReference=L2'), [second.message, 2]);
      assert.equal((await running.send('/v1/articles', [articleOf('L1', 'of a client')])).status, 200);
      assert.deepEqual(await of('resource=articles&articleReference=L1'), [null, null]);
      const image = await take(articleStock, [
        { articleReference: 'S9', stockImageExtractionDate: '2026-03-03T04:00:00Z', totalStockQuantity: 1 },
      ]);
      const [row] = (await running.get('/v1/articles/stock?articleReference=S9')).list();
      assert.deepEqual(await of(`resource=stock&id=${String(row?.id)}`), [image.message, 1]);
      for (const query of ['resource=articles', 'resource=parcels&id=1', 'resource=movements&id=x', 'id=1'])
        assert.equal((await lineage(query)).status, 400, query);
      assert.equal((await lineage('resource=articles&articleReference=L9')).status, 404);
      assert.equal(
        (await running.get('/platform/lineage?activity=SOU&resource=orders&id=1', { token: key })).status,
        400,
      );
    });

    it('is refused for rows of a stock image', async () => {
      const row = { articleReference: 'S1', stockImageExtractionDate: '2026-03-02T04:00:00Z', totalStockQuantity: 1 };
      const { message } = await take(articleStock, [row, { ...row, totalStockQuantity: 'many' }]);
      const answer = await send(`messages/${message}/replay`);
      assert.equal(answer.status, 409);
      assert.match(String(answer.object().detail), /replace the whole image/);
      assert.equal((await line(`${message}:2`)).state, 'refused');
    });
  });
}

async function* bytesOf(records: readonly unknown[]): AsyncGenerator<Buffer> {
  yield Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}
