// The demonstration over HTTP: its clock and its faults, for who may, as far as they are there.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { demoMark } from '../../src/demo/demo-client.ts';
import { createDemoRunner } from '../../src/demo/runner.ts';
import { warehouseVersion } from '../../src/demo/warehouse.ts';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];

for (const engine of engines)
  describe(`the demonstration on the platform interface, on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let token: string;
    const keyOf = async (activityCodes: readonly string[] | null): Promise<string> =>
      (await addPlatformKey(running.app.store, { name: 'lab', activityCodes, roles: ['operations'] }, Date.now())).text;
    const read = (): Promise<Answered> => running.get('/platform/demonstration', { token });
    const advance = (body: unknown): Promise<Answered> =>
      running.send('/platform/demonstration/advance', body, { token });
    const fault = (body: unknown): Promise<Answered> => running.send('/platform/demonstration/faults', body, { token });
    const openOnes = () => running.app.store.demonstration.advances.open();
    /** Plays as a server does; the test itself is the server. */
    const play = (): Promise<void> =>
      createDemoRunner({ store: running.app.store, turns: createFeedTurns(), now: Date.now }).round();

    before(async () => {
      running = await startApp(engine);
      token = await keyOf(null);
    });
    after(() => running.close());

    it('is not there where the database holds none, whatever is asked', async () => {
      for (const answer of [
        await read(),
        await advance({ hours: 1 }),
        await fault({ fault: 'late-image' }),
        await fault({ fault: 'earthquake' }),
      ]) {
        assert.equal(answer.status, 404, answer.body);
        assert.match(String(answer.object().detail), /There is no demonstration here.+serve --demo$/);
      }
    });

    it('has a way in the menu of the console only where it is there', async () => {
      const page = async (): Promise<string> =>
        (await running.get('/', { token: null, headers: { accept: 'text/html' } })).body;
      assert.match(await page(), / data-demonstration="false"/);
      await running.app.store.secrets.obtain(demoMark, () => '1');
      assert.match(await page(), / data-demonstration="true"/);
    });

    it('is shown to those alone who open all of its activities', async () => {
      const { store } = running.app;
      // A warehouse that has told nothing yet: what happens from now on is enough here.
      for (const [code, name] of [['ACM', 'Acme Home'] as const, ['BEL', 'Maison Belloc'] as const])
        await store.activities.add(code, name);
      const now = Date.now();
      await store.demonstration.begin({
        ...{ version: warehouseVersion, filledAt: now, playedTo: now, anchorAt: now, anchorClock: now, speed: 1 },
        ...{ outbox: '{}', summary: null },
      });
      for (const codes of [['NOR'], ['ACM'], ['ACM', 'NOR']]) {
        const narrow = await keyOf(codes);
        for (const answer of [
          await running.get('/platform/demonstration', { token: narrow }),
          await running.send('/platform/demonstration/advance', { hours: 1 }, { token: narrow }),
          await running.send('/platform/demonstration/faults', { fault: 'late-image' }, { token: narrow }),
        ]) {
          assert.equal(answer.status, 403, answer.body);
          assert.match(String(answer.object().type), /\/activity-forbidden$/);
        }
      }
      const wide = await keyOf(['ACM', 'BEL']);
      assert.equal((await running.get('/platform/demonstration', { token: wide })).status, 200);
      assert.deepEqual(await openOnes(), []);
    });

    it('refuses what it cannot read, and does nothing of it', async () => {
      for (const body of [
        ...[{}, { hours: 0 }, { hours: -1 }, { hours: 169 }, { hours: 1.5 }, { hours: '1' }, { hours: null }],
        ...[{ duration: '8d' }, { duration: '169h' }, { duration: 'soon' }, { duration: '' }, { duration: 1 }],
        ...[{ hours: 1, duration: '1h' }, { hours: 1, reset: true }, [], 'null', '{"hours":1,"hours":2}', '{'],
      ]) {
        const answer = await advance(body);
        assert.equal(answer.status, 400, `${JSON.stringify(body)}: ${answer.body}`);
      }
      for (const body of [{}, { fault: 'earthquake' }, { fault: 'late-image', activityCode: 'NOR' }, { fault: 7 }])
        assert.equal((await fault(body)).status, 400, JSON.stringify(body));
      assert.deepEqual([await openOnes(), await running.app.store.demonstration.waiting()], [[], []]);
    });

    it('stands still where another version played it, and says so', async () => {
      const { demonstration } = running.app.store;
      await demonstration.set({ version: warehouseVersion + 1 });
      for (const answer of [await read(), await advance({ hours: 1 }), await fault({ fault: 'late-image' })]) {
        assert.equal(answer.status, 404);
        assert.match(String(answer.object().detail), /another version.+demo reset$/);
      }
      await demonstration.set({ version: warehouseVersion });
    });

    it('notes what is asked for at once, each once, with who asked', async () => {
      const answers = await Promise.all([advance({ hours: 2 }), advance({ duration: '90m' })]);
      const ids = answers.map((answer) => {
        assert.equal(answer.status, 202, answer.body);
        const { state, from, to, endedAt, askedBy } = answer.object();
        assert.deepEqual([state, from, to, endedAt, askedBy], ['waiting', null, null, null, 'lab']);
        return Number(answer.object().advanceId);
      });
      assert.deepEqual(ids.toSorted(), [1, 2]);
      const { advances, running: isRun, speed, faults } = (await read()).object();
      assert.ok(Array.isArray(advances) && Array.isArray(faults));
      assert.deepEqual(
        advances.map(({ advanceId, hours }) => [advanceId, hours]),
        answers
          .map((answer) => [answer.object().advanceId, answer.object().hours])
          .toSorted(([one], [other]) => Number(other) - Number(one)),
      );
      assert.deepEqual([isRun, speed, faults.length], [true, 1, 11]);
      const trail = await running.app.store.audit.read(
        {
          ...{ activityCodes: null, operationId: null, action: 'demo.advance', actor: null, since: null, until: null },
          ...{ after: null, newestFirst: false, limit: 50 },
        },
        { client: 'test' },
      );
      const accepted = trail.filter(({ outcome }) => outcome === 'accepted');
      assert.deepEqual(accepted.map(({ target }) => target).toSorted(), ['2h', '90m']);
      assert.deepEqual(accepted[0]?.activityCodes, ['ACM', 'BEL']);
      assert.ok(
        trail.some(({ outcome }) => outcome === 'refused'),
        'what was refused is in the trail too',
      );
    });

    it('is set forward by whoever runs it, and tells how far', async () => {
      await play();
      const { advances, deliveredTo, clock, next } = (await read()).object();
      assert.ok(Array.isArray(advances) && Array.isArray(next));
      assert.deepEqual(
        advances.map(({ state }) => state),
        ['done', 'done'],
      );
      for (const { from, to, hours } of advances) assert.equal(Date.parse(to) - Date.parse(from), hours * hourMs);
      assert.ok(Date.parse(String(deliveredTo)) >= Date.parse(advances[0].to));
      assert.ok(Date.parse(String(clock)) >= Date.parse(advances[0].to));
      assert.equal(next.length, 10);
    });

    it('has faults that are asked for, wait, happen and are told of', async () => {
      const setFor = async (name: string): Promise<unknown> => {
        const { faults } = (await read()).object();
        assert.ok(Array.isArray(faults));
        return faults.find((each) => each.fault === name)?.setFor;
      };
      const asked = await fault({ fault: 'short-pick', activityCode: 'BEL' });
      assert.equal(asked.status, 202, asked.body);
      assert.match(String(asked.object().meaning), /not found/);
      assert.equal((await fault({ fault: 'late-image' })).object().activityCode, 'ACM');
      assert.deepEqual([await setFor('short-pick'), await setFor('late-image')], [['BEL'], ['ACM']]);
      await play();
      assert.deepEqual(await setFor('late-image'), ['ACM'], 'taken, and waiting for the next image');
      assert.equal((await advance({ duration: '2d' })).status, 202);
      await play();
      assert.deepEqual([await setFor('short-pick'), await setFor('late-image')], [[], []]);
      const { happened } = (await read()).object();
      assert.ok(Array.isArray(happened));
      const told = (name: string) => happened.find(({ code }) => code === name);
      const { at, ...late } = told('image-late');
      assert.deepEqual(late, {
        ...{ activityCode: 'ACM', code: 'image-late', fields: {} },
        text: 'the stock image of ACM is going to be five hours late',
      });
      assert.ok(Date.parse(at) > 0);
      const { fields, text } = told('piece-missing');
      assert.match(fields.orderUniqueID, /^BEL-/);
      assert.equal(text, `a piece of ${fields.articleReference} is not found for order ${fields.orderUniqueID}`);
    });

    it('carries out what comes again under its Idempotency-Key once, and answers it as before', async () => {
      const { demonstration } = running.app.store;
      const keyed = (path: string, body: object, key: string): Promise<Answered> =>
        running.send(`/platform/demonstration/${path}`, body, { token, headers: { 'idempotency-key': key } });
      const before = (await openOnes()).length;
      const refused = await keyed('advance', { hours: 500 }, 'tuesday');
      assert.equal(refused.status, 400, refused.body);
      const [first, again] = [
        await keyed('advance', { hours: 1 }, 'tuesday'),
        await keyed('advance', { hours: 1 }, 'tuesday'),
      ];
      assert.deepEqual([first.status, again.status, again.body], [202, 202, first.body]);
      assert.equal(again.headers['idempotency-replayed'], 'true');
      const other = await keyed('advance', { hours: 2 }, 'tuesday');
      assert.equal(other.status, 422);
      assert.match(String(other.object().type), /\/idempotency-key-reused$/);
      // At once: one is carried out, the others are told so or get its answer.
      const together = await Promise.all(Array.from({ length: 5 }, () => keyed('advance', { hours: 3 }, 'wednesday')));
      for (const { status, body } of together) assert.ok(status === 202 || status === 409, body);
      assert.equal((await openOnes()).length, before + 2);
      for (const repeated of ['first', 'second'])
        assert.equal((await keyed('faults', { fault: 'late-image' }, 'thursday')).status, 202, repeated);
      assert.equal((await demonstration.waiting()).length, 1);
      const anotherKey = await keyOf(null);
      const headers = { 'idempotency-key': 'tuesday' };
      const elsewhere = await running.send(
        '/platform/demonstration/advance',
        { hours: 2 },
        { token: anotherKey, headers },
      );
      assert.equal(elsewhere.status, 202, 'keys belong to whoever asks');
      await demonstration.advances.endAll(Date.now(), 'The test goes on.');
      await play();
    });

    it('takes twenty advances and twenty faults at once, and none beyond a year', async () => {
      const statusOf = (answers: readonly Answered[]): readonly number[] =>
        [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => status * 100 + all.length).toSorted();
      /** Who waits for a turn while the machine stands still is turned away, and has to come again. */
      const admitted = async (ask: () => Promise<Answered>): Promise<Answered> => {
        const answer = await ask();
        return answer.status === 503 ? admitted(ask) : answer;
      };
      const atOnce = (ask: () => Promise<Answered>) => Promise.all(Array.from({ length: 22 }, () => admitted(ask)));
      const advances = await atOnce(() => advance({ hours: 1 }));
      assert.deepEqual(statusOf(advances), [20220, 40902]);
      const faults = await atOnce(() => fault({ fault: 'short-pick' }));
      assert.deepEqual(statusOf(faults), [20220, 40902]);
      const refused = await advance({ hours: 1 });
      assert.match(String(refused.object().type), /\/demonstration-limit$/);
      assert.match(String(refused.object().detail), /20 advances wait already/);
      const { demonstration } = running.app.store;
      await demonstration.advances.endAll(Date.now(), 'The test goes on.');
      await demonstration.set({ playedTo: Date.now() + 360 * dayMs });
      const again = (): Promise<Answered> =>
        running.send(
          '/platform/demonstration/advance',
          { duration: '7d' },
          { token, headers: { 'idempotency-key': '"too far"' } },
        );
      assert.deepEqual([(await again()).status, (await again()).headers['idempotency-replayed']], [409, 'true']);
      const far = await advance({ duration: '7d' });
      assert.equal(far.status, 409);
      assert.match(String(far.object().detail), /more than 366 days ahead/);
      assert.equal((await advance({ duration: '1d' })).status, 202);
    });
  });
