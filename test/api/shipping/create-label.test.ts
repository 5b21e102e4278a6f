// POST /shippings/labels/{context}/{carrier} over the whole HTTP path, on every engine: what is asked of a carrier,
// what is noted, and what is answered where it makes none.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../src/http/port-check.ts';
import { order } from '../../../src/resources/index.ts';
import { engines } from '../../contract/engines.ts';
import type { Answered } from '../../contract/running-app.ts';
import {
  apiKey,
  labels,
  numberOf,
  output,
  problem,
  sender,
  shipment,
  type Shipping,
  start,
  startShipping,
  untouched,
  wish,
  wishWithoutSender,
} from './fixture.ts';
import { rowIn, rowsIn } from '../../contract/database.ts';
import { carrierAccountTable, shippingLabelTable } from '../../../src/store/tables/shipping.ts';

for (const engine of engines) {
  describe(`labels on ${engine.name}`, { skip: engine.skip }, () => {
    let shipping: Shipping;
    before(async () => {
      shipping = await startShipping(engine);
    });
    after(() => shipping.close());
    labelTests(() => shipping, engine.parallel);
  });
}

function labelTests(world: () => Shipping, parallel: boolean): void {
  const send = (path: string, body: unknown, options?: Parameters<Shipping['north']['send']>[2]): Promise<Answered> =>
    world().north.send(path, body, options);
  const sandbox = (body: unknown, options?: Parameters<Shipping['north']['send']>[2]): Promise<Answered> =>
    send(labels('bare', 'sandbox'), body, options);
  const unchanged = (ask: () => Promise<Answered>): Promise<Answered> => untouched(world(), ask);
  const rows = (context: string) =>
    rowsIn(world().running.app.store, shippingLabelTable, { context }, { by: ['createdAt', 'id'] });

  describe('are tried with dryRun', () => {
    it('and everything is checked, the carrier is not asked, and there is no label', async () => {
      const answer = await unchanged(() => send(`${labels('north')}?dryRun=true&orderId=OF-NOR`, wish));
      assert.deepEqual(answer.object(), { status: 'dry-run', expeditionNumber: '', outputs: [] });
      assert.deepEqual(await world().audit('dry'), []);
      assert.equal((await unchanged(() => send(`${labels('north')}?dryRun=true&orderId=OF-SOU`, wish))).status, 404);
      assert.equal(
        (await unchanged(() => send(`${labels('north')}?dryRun=true`, { ...wish, weight: 'heavy' }))).status,
        400,
      );
    });

    it('also with a key, under which the real one is another request', async () => {
      const headers = { 'idempotency-key': 'dry-then-real' };
      for (const replayed of [undefined, 'true'])
        assert.equal(
          (await unchanged(() => send(`${labels('north')}?dryRun=true`, wish, { headers }))).headers[
            'idempotency-replayed'
          ],
          replayed,
        );
      problem(await unchanged(() => send(labels('north'), wish, { headers })), 422, 'idempotency-key-reused');
    });
  });

  describe('are made', () => {
    for (const type of [
      'application/json',
      'text/json',
      'application/vnd.shop.label+json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
    ]) {
      it(`from a body of the type ${type}`, async () => {
        const answer = await sandbox(wish, { headers: { 'content-type': type } });
        assert.deepEqual([answer.object().status, answer.headers['cache-control']], ['0', 'no-store']);
      });
    }

    it('with the number of every parcel, where there are several, now and when it is fetched again', async () => {
      const answer = await sandbox({ ...wish, nbPackage: '3' });
      const again = await world().north.get(`${labels('bare', 'sandbox')}/${numberOf(answer)}`);
      for (const { outputs } of [answer.object(), again.object()]) {
        assert.ok(Array.isArray(outputs));
        const numbers = outputs.filter(({ name }) => name === 'ParcelNumber').map(({ value }) => value);
        assert.equal(new Set(numbers).size, 3);
        for (const number of numbers) assert.match(number, /^\d{18}$/);
      }
      assert.equal(again.body, answer.body);
      assert.ok(
        !(await sandbox(wish)).body.includes('ParcelNumber'),
        'the number of the shipment stands for a single parcel',
      );
    });

    it('and noted: for whom, where, from what, for which order, by whom', async () => {
      const context = await world().context();
      const answer = await send(`${labels(context)}?orderId=OF-NOR`, { ...wish, nDossier: 'D-1' });
      const [row, ...more] = await rows(context);
      assert.deepEqual(more, []);
      assert.deepEqual(
        [row?.activity, row?.carrier, row?.state, row?.nDossier, row?.expeditionNumber, Number(row?.createdAt)],
        ['NOR', 'karrio', 'made', 'D-1', numberOf(answer), start],
      );
      assert.equal(row?.result, answer.body);
      const [found] = await world().running.app.store.lists.find(order, ['NOR'], 'orderUniqueID', 'OF-NOR', ['id']);
      assert.equal(row?.orderId, found?.values[0]);
      const byId = await send(`${labels(context)}?orderId=${row?.orderId}`, wish);
      assert.equal((await rows(context))[1]?.orderId, row?.orderId, byId.body);
      const [entry] = await world().audit(context);
      assert.deepEqual(
        [entry?.outcome, entry?.operationId, entry?.activityCodes],
        ['accepted', row?.operationId, ['NOR']],
      );
      assert.ok(!JSON.stringify(entry).includes('Camille'), 'no names in the audit trail');
    });

    it('with the sender of the context where the request has none, and with its own where it has one', async () => {
      const context = await world().context({ sender });
      await send(labels(context), wishWithoutSender);
      await send(labels(context), { ...wishWithoutSender, expAddr1: 'Shop of Anna' });
      await send(labels(context), { ...wishWithoutSender, expCity: 'Lyon', expZip: '69002', expCountry: 'FR' });
      const shippers = world()
        .carrier.asked()
        .filter(({ method, path }) => method === 'POST' && path === '/v1/shipments')
        .slice(-3)
        .map(({ body }) => JSON.parse(body).shipper);
      assert.deepEqual(
        shippers.map(({ company_name: name, address_line1: street, city, postal_code: zip }) => [
          name,
          street,
          city,
          zip,
        ]),
        [
          ['North Trading', '4 rue des Entrepôts', 'Lesquin', '59810'],
          ['Shop of Anna', '4 rue des Entrepôts', 'Lesquin', '59810'],
          ['North Trading', undefined, 'Lyon', '69002'],
        ],
      );
    });

    it('of a return with the sender of the context as its recipient, never as its sender', async () => {
      const context = await world().context({ carrier: 'colissimo', sender, settings: { apiKey: 'x' } });
      const path = `${labels(context, 'colissimo')}?dryRun=true`;
      const consumer = { expAddr1: 'Camille Moreau', expAddr2: '6 place des Vosges', expMail: 'camille@example.com' };
      const back = { modeCol: 'depot', modeLiv: 'CORE', weight: '900', nbPackage: '1', ...consumer };
      const place = { expCity: 'Paris', expZip: '75004', expCountry: 'FR' };
      const answer = await send(path, { ...back, ...place });
      assert.equal(answer.status, 200, answer.body);
      const { errors } = problem(await send(path, back), 400, 'validation-failed');
      assert.deepEqual(Object.keys(Object(errors)).toSorted(), ['expCity', 'expCountry', 'expZip']);
      // An address of its own is a whole one.
      const partly = problem(await send(path, { ...back, ...place, destCity: 'Lyon' }), 400, 'validation-failed');
      assert.deepEqual(Object.keys(Object(partly.errors)).toSorted(), ['destCountry', 'destZip']);
      // What is no return is preset as before.
      const sent = await send(path, { ...wishWithoutSender, modeCol: 'depot', modeLiv: 'DOM', destTel1: '' });
      assert.equal(sent.status, 200, sent.body);
    });

    it('once for each request without a key, numbered one after another', async () => {
      const context = await world().context({ carrier: 'sandbox', settings: { companyPrefix: '9520701' } });
      const numbers = [];
      for (let round = 0; round < 3; round += 1) numbers.push(numberOf(await send(labels(context, 'sandbox'), wish)));
      assert.deepEqual(
        numbers.map((number) => number.slice(0, -1)),
        ['95207010000001', '95207010000002', '95207010000003'],
      );
    });

    it('never under a number that its prefix has given out, by another account or a removed one', async () => {
      const about = { carrier: 'sandbox', settings: { companyPrefix: '9520702' } } as const;
      const [one, other] = [await world().context(about), await world().context(about)];
      const numbers = [];
      for (const context of [one, other]) numbers.push(numberOf(await send(labels(context, 'sandbox'), wish)));
      await world().running.app.store.carrierAccounts.remove(one, 'sandbox');
      await world().context({ ...about, name: one });
      numbers.push(numberOf(await send(labels(one, 'sandbox'), wish)));
      assert.deepEqual(
        numbers.map((number) => number.slice(0, -1)),
        ['95207020000001', '95207020000002', '95207020000003'],
      );
    });

    it('each with a number of its own, however many come at once to several processes', {
      skip: !parallel && 'one connection',
    }, async () => {
      const context = await world().context({ carrier: 'sandbox' });
      const sides = [world().north, await world().northBeside(), await world().northBeside()];
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (sides[index % 3] ?? world().north).send(labels(context, 'sandbox'), { ...wish, outputType: 'ZplCode' }),
        ),
      );
      assert.equal(new Set(answers.map(numberOf)).size, 12);
    });

    it('in every output of the carrier: a link, base64, one output a parcel', async () => {
      assert.match(output(await sandbox(wish)), /^https:/);
      assert.match(
        Buffer.from(output(await sandbox({ ...wish, outputType: 'ZplCode' }), 'ZplCode'), 'base64').toString(),
        /^\^XA/,
      );
      const images = (await sandbox({ ...wish, outputType: 'PngImage', nbPackage: '3', weight: '3000' })).object()
        .outputs;
      assert.ok(Array.isArray(images));
      assert.deepEqual(
        images
          .filter(({ name }) => name !== 'ParcelNumber')
          .map(({ name, value }) => [name, Buffer.from(value, 'base64').subarray(1, 4).toString()]),
        Array.from({ length: 3 }, () => ['PngImage', 'PNG']),
      );
    });
  });

  describe('have a limit for each day', () => {
    it('beyond which the carrier is not asked, until midnight in UTC', async () => {
      const context = await world().context({ dailyLimit: 2 });
      for (let made = 0; made < 2; made += 1) assert.equal((await send(labels(context), wish)).status, 200);
      const refused = await unchanged(() => send(labels(context), wish));
      problem(refused, 429, 'quota-exceeded');
      assert.equal(refused.headers['retry-after'], String(15 * 3600));
      assert.deepEqual(refused.object()['violated-policies'], ['daily-labels']);
      world().clock.now = start + 15 * 3_600_000 - 1;
      assert.equal((await send(labels(context), wish)).headers['retry-after'], '1');
      world().clock.now += 1;
      assert.equal((await send(labels(context), wish)).status, 200);
      world().clock.now = start;
    });

    it('of none at all', async () => {
      const context = await world().context({ dailyLimit: 0 });
      problem(await unchanged(() => send(labels(context), wish)), 429, 'quota-exceeded');
      assert.equal((await send(`${labels(context)}?dryRun=true`, wish)).status, 200);
    });

    it('that counts what may exist, and not what was certainly refused', async () => {
      const context = await world().context({ carrier: 'sandbox', dailyLimit: 2 });
      const path = labels(context, 'sandbox');
      for (let round = 0; round < 3; round += 1)
        assert.equal((await send(path, { ...wish, nDossier: 'SANDBOX-NO-SERVICE' })).status, 422);
      assert.equal((await send(path, { ...wish, nDossier: 'SANDBOX-SLOW' })).status, 504);
      assert.equal((await send(path, wish)).status, 200);
      problem(await send(path, wish), 429, 'quota-exceeded');
    });

    it('that is exact, however many come at once from several sides', {
      skip: !parallel && 'one connection',
    }, async () => {
      const context = await world().context({ dailyLimit: 7 });
      const sides = [world().north, await world().northBeside(), await world().northBeside()];
      const shipments = world().carrier.shipments();
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, index) => (sides[index % 3] ?? world().north).send(labels(context), wish)),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
        ...Array.from({ length: 7 }, () => 200),
        ...Array.from({ length: 17 }, () => 429),
      ]);
      assert.equal(world().carrier.shipments() - shipments, 7);
      const { lastSequence } = await rowIn(world().running.app.store, carrierAccountTable, { context });
      assert.equal(lastSequence, 7);
    });

    it('that is the context’s own', async () => {
      const [full, other] = [await world().context({ dailyLimit: 1 }), await world().context({ dailyLimit: 1 })];
      for (const [context, status] of [
        [full, 200],
        [full, 429],
        [other, 200],
      ] as const)
        assert.equal((await send(labels(context), wish)).status, status);
    });
  });

  describe('that the carrier does not make', () => {
    const scripted = async (body: unknown, status: number): Promise<Answered> => {
      world().carrier.play(() => ({ status, body }));
      try {
        return await send(labels('north'), wish);
      } finally {
        world().carrier.play(null);
      }
    };

    it('because of the shipment: 422 with its own code and words', async () => {
      const members = problem(
        await scripted({ messages: [{ code: '15', message: 'le code postal est incorrect' }] }, 424),
        422,
        'carrier-rejected',
      );
      assert.deepEqual([members.carrierCode, members.carrierMessage], ['15', 'le code postal est incorrect']);
      assert.equal((await rows('north')).at(-1)?.state, 'refused');
      assert.equal((await world().audit('north')).at(-1)?.outcome, 'refused');
    });

    it('because of a field: 400 by field', async () => {
      const members = problem(await sandbox({ ...wish, nDossier: 'SANDBOX-BAD-ADDRESS' }), 400, 'validation-failed');
      assert.deepEqual(Object.keys(Object(members.errors)), ['destAddr2', 'destCity']);
      assert.equal(members.carrierCode, 'SBX-101');
    });

    it('because of the account: 502 sends to the operator, who finds it in the log without a secret', async () => {
      const lines = world().running.logged().length;
      const answer = await scripted(
        { errors: [{ code: 'authentication_failed', message: `Bad token ${apiKey}` }] },
        401,
      );
      const members = problem(answer, 502, 'carrier-unavailable');
      assert.match(String(members.detail), /account at the carrier does not work.*Tell whoever runs the service/);
      assert.equal(answer.headers['retry-after'], undefined);
      const logged = world().running.logged().slice(lines);
      assert.match(logged, /"activity":"NOR","context":"north","carrier":"karrio","detail":"[^"]*Karrio/);
      for (const text of [
        answer.body,
        logged,
        JSON.stringify(await rows('north')),
        JSON.stringify(await world().audit('north')),
      ])
        assert.ok(!text.includes(apiKey), text.slice(0, 500));
      assert.equal((await rows('north')).at(-1)?.state, 'refused');
    });

    it('because its secrets cannot be read: 502, and the log says what to do', async () => {
      const context = await world().context({ secrets: 'eyJub3QiOiJvdXJzIn0.AAAA' });
      const lines = world().running.logged().length;
      assert.match(
        String(problem(await unchanged(() => send(labels(context), wish)), 502, 'carrier-unavailable').detail),
        /Tell whoever runs the service/,
      );
      assert.match(world().running.logged().slice(lines), /damaged.*backup/);
    });

    it('because nobody listens at its address: 502, and nothing was made', async () => {
      const port = await freePort('127.0.0.1', 0);
      const context = await world().context({ settings: { baseUrl: `http://127.0.0.1:${port}` } });
      const answer = await send(labels(context), wish);
      assert.ok(!/Whether there is a parcel/.test(String(problem(answer, 502, 'carrier-unavailable').detail)));
      assert.equal(answer.headers['retry-after'], '30');
      assert.equal((await rows(context))[0]?.state, 'refused');
    });

    it('as far as anybody can tell: 502 that says so, and does not tell anybody to try again', async () => {
      const replies = [
        'hang up',
        { status: 503, body: 'busy' },
        { status: 200, body: 'garbage' },
        { status: 201, body: { status: 'created' } },
      ] as const;
      for (const [index, reply] of replies.entries()) {
        const context = await world().context();
        world().carrier.play(() => reply);
        const answer = await send(labels(context), wish);
        world().carrier.play(null);
        const { detail } = problem(answer, 502, 'carrier-unavailable');
        assert.match(String(detail), /Whether there is a parcel is not known/, String(index));
        assert.equal(answer.headers['retry-after'], undefined);
        assert.equal((await rows(context))[0]?.state, 'unknown', String(index));
        assert.equal((await world().audit(context))[0]?.outcome, 'failed');
      }
    });

    it('whole: the parcel exists, and its number is in the answer', async () => {
      world().carrier.play(({ path }) =>
        path === '/v1/shipments'
          ? { status: 201, body: { ...shipment('KR-HALF'), shipping_documents: [] } }
          : 'hang up',
      );
      const { detail } = problem(await send(labels('north'), wish), 502, 'carrier-unavailable');
      world().carrier.play(null);
      assert.match(String(detail), /KR-HALF.*Whether there is a parcel|The parcel KR-HALF exists/);
    });

    it('in time: 504', async () => {
      const answer = await sandbox({ ...wish, nDossier: 'SANDBOX-SLOW' });
      assert.match(String(problem(answer, 504, 'carrier-timeout').detail), /Whether there is a parcel is not known/);
      assert.equal((await rows('bare')).at(-1)?.state, 'unknown');
    });

    it('by a redirection to somewhere else, which is not followed', async () => {
      world().carrier.play(() => ({ status: 307, body: '' }));
      problem(await send(labels('north'), wish), 502, 'carrier-unavailable');
      world().carrier.play(null);
    });
  });

  it('are made of an answer of many megabytes', async () => {
    const pdf = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(7 * 1024 * 1024, 65), Buffer.from('%%EOF')]);
    const paper = { category: 'label', format: 'PDF', base64: pdf.toString('base64') };
    world().carrier.play(() => ({ status: 201, body: { ...shipment('KR-LARGE'), shipping_documents: [paper] } }));
    const answer = await send(labels('north'), wish);
    world().carrier.play(null);
    assert.equal(numberOf(answer), 'KR-LARGE');
  });

  it('leave no addresses, paths or secrets in the log', async () => {
    await send(labels('north'), { ...wish, destAddr1: 'Zacharias Unmistakable', destMail: 'zacharias@example.com' });
    for (const text of ['Zacharias', 'zacharias@', 'place des Vosges', apiKey, '/v1/shipments'])
      assert.ok(!world().running.logged().includes(text), text);
    assert.match(
      world().running.logged(),
      /"host":"127\.0\.0\.1:\d+","method":"POST","status":201,"milliseconds":\d+,"attempt":1/,
    );
    assert.equal(world().carrier.asked().at(-1)?.authorization, `Token ${apiKey}`);
  });
}
