// POST /shippings/labels/{context}/{carrier} over the whole HTTP path, on every engine: what is refused and how, what is asked of a carrier, and what is noted.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../src/http/port.ts';
import { order } from '../../../src/resources/index.ts';
import { engines } from '../../contract/engines.ts';
import type { Answered } from '../../contract/running-app.ts';
import { apiKey, labels, numberOf, output, problem, sender, shipment, type Shipping, start, startShipping, wish, wishWithoutSender } from './fixture.ts';

for (const engine of engines) {
  describe(`labels on ${engine.name}`, { skip: engine.skip }, () => {
    let shipping: Shipping;
    before(async () => { shipping = await startShipping(engine); });
    after(() => shipping.close());
    labelTests(() => shipping, engine.parallel);
  });
}

function labelTests(world: () => Shipping, parallel: boolean): void {
  const send = (path: string, body: unknown, options?: Parameters<Shipping['north']['send']>[2]): Promise<Answered> => world().north.send(path, body, options);
  const sandbox = (body: unknown, options?: Parameters<Shipping['north']['send']>[2]): Promise<Answered> => send(labels('bare', 'sandbox'), body, options);
  /** What a refused request must leave as it is. */
  const traces = async () => {
    const { running: { app: { store: { db } } }, carrier } = world();
    const accounts = await db.selectFrom('carrier_account').select(['context', 'carrier', 'last_sequence']).orderBy('context').orderBy('carrier').execute();
    const rows = await db.selectFrom('shipping_label').select((select) => select.fn.countAll().as('count')).executeTakeFirstOrThrow();
    return { accounts, rows: Number(rows.count), asked: carrier.asked().length };
  };
  const untouched = async (ask: () => Promise<Answered>): Promise<Answered> => {
    const before = await traces();
    const answer = await ask();
    assert.deepEqual(await traces(), before, 'nothing is made, noted or asked, and no number is taken');
    return answer;
  };
  const errorsOf = (answer: Answered): Record<string, readonly string[]> => Object(problem(answer, 400, 'validation-failed').errors);
  const rows = (context: string) => world().running.app.store.db.selectFrom('shipping_label').selectAll().where('context', '=', context).orderBy('created_at').orderBy('id').execute();

  describe('are refused', () => {
    it('without a token, with a platform key, and for a client that may only read', async () => {
      problem(await untouched(() => send(labels('north'), wish, { token: null })), 401, 'missing-token');
      problem(await untouched(() => send(labels('north'), wish, { token: world().running.keys.north })), 401, 'invalid-token');
      problem(await untouched(() => world().reader.send(labels('north'), wish)), 403, 'read-only-client');
    });

    it('in a context that is unknown, somebody else’s, misspelt, or whose name no engine holds: always with the same answer', async () => {
      const answers = [];
      const names: readonly (readonly [string, string])[] = [
        ['nowhere', 'sandbox'], ['south', 'sandbox'], ['south', 'karrio'], ['North', 'sandbox'], ['north', 'Sandbox'], ['north', 'nobody'], ['north', 'gls'], ['north', '__proto__'], ['north', 'constructor'],
        ['north%00', 'sandbox'], ['north', 'sandbox%00'], ['%E2%82%AC', 'sandbox'], ['x'.repeat(500), 'sandbox'], ['north', 'x'.repeat(500)], ['..%2Fnorth', 'sandbox'],
      ];
      for (const [context, carrier] of names) {
        const { instance: _instance, traceId: _trace, ...members } = problem(await untouched(() => send(labels(context, carrier), wish)), 404, 'resource-not-found');
        answers.push(members);
      }
      for (const members of answers) assert.deepEqual(members, answers[0]);
    });

    it('by somebody else, whatever is wrong with the body: nothing of it is looked at', async () => {
      for (const body of ['{', '{}', JSON.stringify(wish)]) problem(await untouched(() => world().south.send(labels('north'), body)), 404, 'resource-not-found');
    });

    it('by a carrier that makes none, before the body is looked at', async () => {
      for (const body of ['{', wish]) assert.match(String(problem(await untouched(() => send(labels('north', 'laposte'), body)), 404, 'resource-not-found').detail), /makes no labels/);
    });

    it('by another method', async () => {
      assert.equal((await world().north.get(labels('north'))).headers.allow, 'POST, OPTIONS');
    });

    const malformed: readonly (readonly [what: string, body: string | Buffer, detail: RegExp])[] = [
      ['nothing', '', /empty/],
      ['blanks', ' \n ', /empty/],
      ['no JSON', 'modeCol=CCC', /line 1, column 1/],
      ['half an object', '{"modeCol":\n"CCC",', /line 2, column 7.*cut off/],
      ['a comma too many', '{"modeCol":"CCC",}', /comma/],
      ['single quotes', "{'modeCol':'CCC'}", /double quotes/],
      ['two objects', '{}{}', /follows/],
      ['another encoding', Buffer.from('{"destAddr1":"Hélène"}', 'latin1'), /not UTF-8.*code page/],
      ['UTF-16', Buffer.from('{"modeCol":"CCC"}', 'utf16le'), /UTF-16/],
      ['UTF-16 with its mark', Buffer.from('\ufeff{"modeCol":"CCC"}', 'utf16le'), /UTF-16/],
      ['nesting without end', `{"content":${'['.repeat(30_000)}`, /nested/],
    ];
    for (const [what, body, detail] of malformed) {
      it(`with a body that is ${what}`, async () => {
        assert.match(String(problem(await untouched(() => sandbox(body)), 400, 'malformed-json').detail), detail);
      });
    }

    for (const [what, body] of [['an array', '[{}]'], ['a text', '"label"'], ['null', 'null'], ['a number', '17']] as const) {
      it(`with a body that is ${what}`, async () => {
        assert.match(String(Object.values(errorsOf(await untouched(() => sandbox(body)))).flat()), /one JSON object/);
      });
    }

    it('with values that are no texts, each named', async () => {
      const errors = errorsOf(await untouched(() => sandbox({ ...wish, weight: 1200, nbPackage: true, destZip: ['75004'], content: { text: 'books' } })));
      assert.deepEqual(Object.keys(errors).toSorted(), ['content', 'destZip', 'nbPackage', 'weight']);
      assert.match(String(errors.weight), /weight must be text, not a number/);
    });

    it('with texts that are too long, or have characters that no text may have', async () => {
      const errors = errorsOf(await untouched(() => sandbox({ ...wish, destAddr1: 'x'.repeat(256), expCountry: 'FRA', destCity: 'Par\u0000is', instruction: '🚚'.repeat(501) })));
      assert.deepEqual(Object.keys(errors).toSorted(), ['destAddr1', 'destCity', 'expCountry', 'instruction']);
      assert.match(String(errors.destAddr1), /256 characters; at most 255/);
      problem(await untouched(() => sandbox(`{"destAddr1":"\\ud800"}`)), 400, 'validation-failed');
    });

    it('with unknown properties, and what was probably meant', async () => {
      const errors = errorsOf(await untouched(() => sandbox({ ...wish, destAdr1: 'x', Weight: '1', gift: 'yes' })));
      assert.match(String(errors.destAdr1), /did you mean destAddr1\?/);
      assert.match(String(errors.Weight), /did you mean weight\?/);
      assert.match(String(errors.gift), /leave it out/);
    });

    it('with a property that has the name of something of ours', async () => {
      for (const name of ['__proto__', 'constructor', 'toString', '']) {
        const body = `${JSON.stringify(wish).slice(0, -1)},${JSON.stringify(name)}:"x"}`;
        assert.match(String(problem(await untouched(() => sandbox(body)), 400, 'validation-failed').detail), /There is no property/);
      }
    });

    it('with a property twice, also where the first one is right', async () => {
      const body = `{"weight":"1200",${JSON.stringify({ ...wish, weight: '9' }).slice(1)}`;
      assert.match(String(errorsOf(await untouched(() => sandbox(body))).weight), /occurs twice/);
    });

    it('with thousands of unknown properties, of which some are listed', async () => {
      const many = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`destAddr${index}0`, '']));
      const answer = await untouched(() => sandbox(many));
      assert.ok(answer.body.length < 20_000, `${answer.body.length}`);
      assert.match(answer.body, /2980 more properties/);
    });

    it('without the fields that every carrier needs, all of them named, blanks and null being nothing', async () => {
      for (const empty of [{}, { expAddr1: '', destCity: '  ', weight: null }]) {
        assert.deepEqual(Object.keys(errorsOf(await untouched(() => sandbox(empty)))).toSorted(), ['destAddr1', 'destCity', 'destCountry', 'destZip', 'expAddr1', 'expCity', 'expCountry', 'expZip', 'modeCol', 'modeLiv', 'nbPackage', 'weight']);
      }
    });

    it('without what the context does not preset', async () => {
      const context = await world().context({ sender: { expAddr1: 'North Trading', expCity: 'Lesquin' } });
      assert.deepEqual(Object.keys(errorsOf(await untouched(() => send(labels(context), wishWithoutSender)))).toSorted(), ['expCountry', 'expZip']);
    });

    it('with half an address of the sender: that of the context is not mixed with it', async () => {
      const context = await world().context({ sender });
      const errors = errorsOf(await untouched(() => send(labels(context), { ...wishWithoutSender, expCity: 'Lyon' })));
      assert.deepEqual(Object.keys(errors).toSorted(), ['expCountry', 'expZip']);
      assert.match(String(errors.expZip), /whole address/);
    });

    it('by the rules of the carrier, by field, before it is asked', async () => {
      const errors = errorsOf(await untouched(() => sandbox({ ...wish, modeLiv: '24R', weight: '9', outputType: 'GifImage' })));
      assert.deepEqual(Object.keys(errors).toSorted(), ['outputType', 'shippingPickupPoint', 'shippingPickupPointCountry', 'weight']);
      const karrio = errorsOf(await untouched(() => send(labels('north'), { ...wish, destCountry: 'fr', pickupPoint: '1' })));
      assert.deepEqual(Object.keys(karrio).toSorted(), ['destCountry', 'pickupPoint']);
    });

    it('with one byte too many, and not with one less', async () => {
      const padded = (length: number): Buffer => Buffer.concat([Buffer.from(JSON.stringify(wish)), Buffer.alloc(length, ' ')]).subarray(0, length);
      assert.match(String(problem(await untouched(() => sandbox(padded(65_537))), 413, 'payload-too-large').detail), /65536/);
      assert.equal((await sandbox(padded(65_536))).status, 200);
    });

    for (const [what, headers] of [
      ['text', { 'content-type': 'text/plain' }], ['a form', { 'content-type': 'application/x-www-form-urlencoded' }], ['XML', { 'content-type': 'application/xml' }], ['another charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
      ['something that only begins like JSON', { 'content-type': 'application/json-seq' }], ['an empty suffix', { 'content-type': 'application/+json' }], ['something compressed', { 'content-encoding': 'gzip' }],
    ] as const) {
      it(`as ${what}`, async () => {
        problem(await untouched(() => sandbox(wish, { headers })), 415, 'unsupported-media-type');
      });
    }

    it('where nothing acceptable can be answered', async () => {
      problem(await untouched(() => sandbox(wish, { headers: { accept: 'application/pdf' } })), 406, 'not-acceptable');
    });

    for (const [query, slug, detail] of [
      ['dryrun=true', 'unknown-parameter', /did you mean 'dryRun'/], ['dryRun=yes', 'invalid-parameter', /true or false/], ['dryRun=true&dryRun=true', 'invalid-parameter', /more than once/], ['orderId=1&orderId=2', 'invalid-parameter', /more than once/],
    ] as const) {
      it(`with the query ${query}`, async () => {
        assert.match(String(problem(await untouched(() => send(`${labels('bare', 'sandbox')}?${query}`, wish)), 400, slug).detail), detail);
      });
    }

    it('with an Idempotency-Key that is none', async () => {
      problem(await untouched(() => sandbox(wish, { headers: { 'idempotency-key': 'a b' } })), 400, 'invalid-parameter');
    });

    for (const orderId of ['OF-SOU', 'OF-NO', 'of-nor', '%00', 'OF-NOR%00', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '%F0%9F%9A%9A'.repeat(40), "1' or '1'='1"]) {
      it(`for an order that the activity does not have: ${orderId.slice(0, 40)}`, async () => {
        assert.match(String(problem(await untouched(() => send(`${labels('bare', 'sandbox')}?orderId=${orderId}`, wish)), 404, 'resource-not-found').detail), /no order/);
      });
    }
  });

  describe('are tried with dryRun', () => {
    it('and everything is checked, the carrier is not asked, and there is no label', async () => {
      const answer = await untouched(() => send(`${labels('north')}?dryRun=true&orderId=OF-NOR`, wish));
      assert.deepEqual(answer.object(), { status: 'dry-run', expeditionNumber: '', outputs: [] });
      assert.deepEqual(await world().audit('dry'), []);
      assert.equal((await untouched(() => send(`${labels('north')}?dryRun=true&orderId=OF-SOU`, wish))).status, 404);
      assert.equal((await untouched(() => send(`${labels('north')}?dryRun=true`, { ...wish, weight: 'heavy' }))).status, 400);
    });

    it('also with a key, under which the real one is another request', async () => {
      const headers = { 'idempotency-key': 'dry-then-real' };
      for (const replayed of [undefined, 'true']) assert.equal((await untouched(() => send(`${labels('north')}?dryRun=true`, wish, { headers }))).headers['idempotency-replayed'], replayed);
      problem(await untouched(() => send(labels('north'), wish, { headers })), 422, 'idempotency-key-reused');
    });
  });

  describe('are made', () => {
    for (const type of ['application/json', 'text/json', 'application/vnd.shop.label+json', 'application/json; charset=utf-8', 'APPLICATION/JSON']) {
      it(`from a body of the type ${type}`, async () => {
        const answer = await sandbox(wish, { headers: { 'content-type': type } });
        assert.deepEqual([answer.object().status, answer.headers['cache-control']], ['0', 'no-store']);
      });
    }

    it('and noted: for whom, where, from what, for which order, by whom', async () => {
      const context = await world().context();
      const answer = await send(`${labels(context)}?orderId=OF-NOR`, { ...wish, nDossier: 'D-1' });
      const [row, ...more] = await rows(context);
      assert.deepEqual(more, []);
      assert.deepEqual([row?.owner, row?.carrier, row?.state, row?.n_dossier, row?.expedition_number, Number(row?.created_at)], ['NOR', 'karrio', 'made', 'D-1', numberOf(answer), start]);
      assert.equal(row?.result, answer.body);
      const { body } = (await world().running.app.store.find(order, ['NOR'], 'orderUniqueID', 'OF-NOR', 1))[0] ?? { body: '{}' };
      assert.equal(row?.order_id, JSON.parse(body).id);
      const byId = await send(`${labels(context)}?orderId=${row?.order_id}`, wish);
      assert.equal((await rows(context))[1]?.order_id, row?.order_id, byId.body);
      const [entry] = await world().audit(context);
      assert.deepEqual([entry?.outcome, entry?.operationId, entry?.activityCodes], ['accepted', row?.operation_id, ['NOR']]);
      assert.ok(!JSON.stringify(entry).includes('Camille'), 'no names in the audit trail');
    });

    it('with the sender of the context where the request has none, and with its own where it has one', async () => {
      const context = await world().context({ sender });
      await send(labels(context), wishWithoutSender);
      await send(labels(context), { ...wishWithoutSender, expAddr1: 'Shop of Anna' });
      await send(labels(context), { ...wishWithoutSender, expCity: 'Lyon', expZip: '69002', expCountry: 'FR' });
      const shippers = world().carrier.asked().filter(({ method, path }) => method === 'POST' && path === '/v1/shipments').slice(-3).map(({ body }) => JSON.parse(body).shipper);
      assert.deepEqual(shippers.map(({ company_name: name, address_line1: street, city, postal_code: zip }) => [name, street, city, zip]), [
        ['North Trading', '4 rue des Entrepôts', 'Lesquin', '59810'], ['Shop of Anna', '4 rue des Entrepôts', 'Lesquin', '59810'], ['North Trading', undefined, 'Lyon', '69002'],
      ]);
    });

    it('once for each request without a key, numbered one after another', async () => {
      const context = await world().context({ carrier: 'sandbox' });
      const numbers = [];
      for (let round = 0; round < 3; round += 1) numbers.push(numberOf(await send(labels(context, 'sandbox'), wish)));
      assert.deepEqual(numbers.map((number) => number.slice(0, -1)), ['95200000000001', '95200000000002', '95200000000003']);
    });

    it('each with a number of its own, however many come at once to several processes', { skip: !parallel && 'one connection' }, async () => {
      const context = await world().context({ carrier: 'sandbox' });
      const sides = [world().north, await world().northBeside(), await world().northBeside()];
      const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => (sides[index % 3] ?? world().north).send(labels(context, 'sandbox'), { ...wish, outputType: 'ZplCode' })));
      assert.equal(new Set(answers.map(numberOf)).size, 12);
    });

    it('in every output of the carrier: a link, base64, one output a parcel', async () => {
      assert.match(output(await sandbox(wish)), /^https:/);
      assert.match(Buffer.from(output(await sandbox({ ...wish, outputType: 'ZplCode' }), 'ZplCode'), 'base64').toString(), /^\^XA/);
      const images = (await sandbox({ ...wish, outputType: 'PngImage', nbPackage: '3', weight: '3000' })).object().outputs;
      assert.ok(Array.isArray(images));
      assert.deepEqual(images.map(({ name, value }) => [name, Buffer.from(value, 'base64').subarray(1, 4).toString()]), Array.from({ length: 3 }, () => ['PngImage', 'PNG']));
    });
  });

  describe('have a limit for each day', () => {
    it('beyond which the carrier is not asked, until midnight in UTC', async () => {
      const context = await world().context({ dailyLimit: 2 });
      for (let made = 0; made < 2; made += 1) assert.equal((await send(labels(context), wish)).status, 200);
      const refused = await untouched(() => send(labels(context), wish));
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
      problem(await untouched(() => send(labels(context), wish)), 429, 'quota-exceeded');
      assert.equal((await send(`${labels(context)}?dryRun=true`, wish)).status, 200);
    });

    it('that counts what may exist, and not what was certainly refused', async () => {
      const context = await world().context({ carrier: 'sandbox', dailyLimit: 2 });
      const path = labels(context, 'sandbox');
      for (let round = 0; round < 3; round += 1) assert.equal((await send(path, { ...wish, nDossier: 'SANDBOX-NO-SERVICE' })).status, 422);
      assert.equal((await send(path, { ...wish, nDossier: 'SANDBOX-SLOW' })).status, 504);
      assert.equal((await send(path, wish)).status, 200);
      problem(await send(path, wish), 429, 'quota-exceeded');
    });

    it('that is exact, however many come at once from several sides', { skip: !parallel && 'one connection' }, async () => {
      const context = await world().context({ dailyLimit: 7 });
      const sides = [world().north, await world().northBeside(), await world().northBeside()];
      const shipments = world().carrier.shipments();
      const answers = await Promise.all(Array.from({ length: 24 }, (_, index) => (sides[index % 3] ?? world().north).send(labels(context), wish)));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array.from({ length: 7 }, () => 200), ...Array.from({ length: 17 }, () => 429)]);
      assert.equal(world().carrier.shipments() - shipments, 7);
      assert.equal((await world().running.app.store.db.selectFrom('carrier_account').select('last_sequence').where('context', '=', context).executeTakeFirst())?.last_sequence?.toString(), '7');
    });

    it('that is the context’s own', async () => {
      const [full, other] = [await world().context({ dailyLimit: 1 }), await world().context({ dailyLimit: 1 })];
      for (const [context, status] of [[full, 200], [full, 429], [other, 200]] as const) assert.equal((await send(labels(context), wish)).status, status);
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
      const members = problem(await scripted({ messages: [{ code: '15', message: 'le code postal est incorrect' }] }, 424), 422, 'carrier-rejected');
      assert.deepEqual([members.carrierCode, members.carrierMessage], ['15', 'le code postal est incorrect']);
      assert.equal((await rows('north')).at(-1)?.state, 'refused');
      assert.equal((await world().audit('north')).at(-1)?.outcome, 'refused');
    });

    it('because of a field: 400 by field', async () => {
      const members = problem(await sandbox({ ...wish, nDossier: 'SANDBOX-BAD-ADDRESS' }), 400, 'validation-failed');
      assert.deepEqual(Object.keys(Object(members.errors)), ['destAddr2', 'destCity']);
      assert.equal(members.carrierCode, 'SBX-101');
    });

    it('because of the account: 502 that sends the client to the operator, who finds it in the log, neither with a secret', async () => {
      const lines = world().running.logged().length;
      const answer = await scripted({ errors: [{ code: 'authentication_failed', message: `Bad token ${apiKey}` }] }, 401);
      const members = problem(answer, 502, 'carrier-unavailable');
      assert.match(String(members.detail), /account at the carrier does not work.*Tell whoever runs the service/);
      assert.equal(answer.headers['retry-after'], undefined);
      const logged = world().running.logged().slice(lines);
      assert.match(logged, /"activity":"NOR","context":"north","carrier":"karrio","detail":"[^"]*Karrio/);
      for (const text of [answer.body, logged, JSON.stringify(await rows('north')), JSON.stringify(await world().audit('north'))]) assert.ok(!text.includes(apiKey), text.slice(0, 500));
      assert.equal((await rows('north')).at(-1)?.state, 'refused');
    });

    it('because its secrets cannot be read: 502, and the log says what to do', async () => {
      const context = await world().context({ secrets: 'eyJub3QiOiJvdXJzIn0.AAAA' });
      const lines = world().running.logged().length;
      assert.match(String(problem(await untouched(() => send(labels(context), wish)), 502, 'carrier-unavailable').detail), /Tell whoever runs the service/);
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
      const replies = ['hang up', { status: 503, body: 'busy' }, { status: 200, body: 'garbage' }, { status: 201, body: { status: 'created' } }] as const;
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
      world().carrier.play(({ path }) => (path === '/v1/shipments' ? { status: 201, body: { ...shipment('KR-HALF'), shipping_documents: [] } } : 'hang up'));
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

  it('leave no addresses, paths or secrets in the log', async () => {
    await send(labels('north'), { ...wish, destAddr1: 'Zacharias Unmistakable', destMail: 'zacharias@example.com' });
    for (const text of ['Zacharias', 'zacharias@', 'place des Vosges', apiKey, '/v1/shipments']) assert.ok(!world().running.logged().includes(text), text);
    assert.match(world().running.logged(), /"host":"127\.0\.0\.1:\d+","method":"POST","status":201,"milliseconds":\d+,"attempt":1/);
    assert.equal(world().carrier.asked().at(-1)?.authorization, `Token ${apiKey}`);
  });
}
