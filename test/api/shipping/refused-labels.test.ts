// Requests for labels that are refused before a carrier is asked: by whom, where, and what is wrong
// with the body or the query.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { changeClient } from '../../../src/auth/client-changes.ts';
import { addClient } from '../../../src/auth/clients.ts';
import { engines } from '../../contract/engines.ts';
import type { Answered } from '../../contract/running-app.ts';
import { head, open } from '../../http/connection.ts';
import { listen } from '../../http/sample-server.ts';
import {
  labels,
  problem,
  sender,
  type Shipping,
  startShipping,
  untouched,
  wish,
  wishWithoutSender,
} from './fixture.ts';

/** Storage has no part in what is refused before a carrier is asked. */
const [engine = assert.fail('there is no engine')] = engines;

describe('labels are refused', () => {
  let shipping: Shipping;
  before(async () => {
    shipping = await startShipping(engine);
  });
  after(() => shipping.close());
  refusalTests(() => shipping);
});

function refusalTests(world: () => Shipping): void {
  const send = (path: string, body: unknown, options?: Parameters<Shipping['north']['send']>[2]): Promise<Answered> =>
    world().north.send(path, body, options);
  const sandbox = (body: unknown, options?: Parameters<Shipping['north']['send']>[2]): Promise<Answered> =>
    send(labels('bare', 'sandbox'), body, options);
  const unchanged = (ask: () => Promise<Answered>): Promise<Answered> => untouched(world(), ask);
  const errorsOf = (answer: Answered): Record<string, readonly string[]> =>
    Object(problem(answer, 400, 'validation-failed').errors);

  it('without a token, with a platform key, and for a client that may only read', async () => {
    problem(await unchanged(() => send(labels('north'), wish, { token: null })), 401, 'missing-token');
    problem(
      await unchanged(() => send(labels('north'), wish, { token: world().running.keys.north })),
      401,
      'invalid-token',
    );
    problem(await unchanged(() => world().reader.send(labels('north'), wish)), 403, 'read-only-client');
  });

  it('where their activity is withdrawn before all of the body is there', async (t) => {
    const { app } = world().running;
    const { client } = await addClient(
      app.store,
      {
        name: 'Two',
        redirectUris: [],
        activityCodes: ['NOR', 'SOU'],
        readOnly: false,
        confidential: true,
        service: true,
      },
      world().clock.now,
    );
    const { accessToken } = await app.issueToken({ client, user: null, now: world().clock.now });
    const body = JSON.stringify(wish);
    const sending = await open(t, await listen(app.server));
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    await sending.send(
      head(`POST ${labels('north', 'sandbox')}`, { ...headers, Expect: '100-continue' }, `Bearer ${accessToken}`),
    );
    assert.equal((await sending.answer())?.status, 100);
    await changeClient(app.store, client.id, { removedActivities: ['NOR'] });
    // What is known of a client is read anew every half minute, and of this request after a second.
    world().clock.now += 30_000;
    await pause(1100);
    await unchanged(async () => {
      await sending.send(body);
      const answer = await sending.answer();
      assert.equal(answer?.status, 403, answer?.body);
      return world().north.get('/v1/orders');
    });
  });

  it('in a context that is unknown, somebody else’s, or misspelt: the same answer, with the own names', async () => {
    const answers = new Map<boolean, object>();
    const names: readonly (readonly [string, string])[] = [
      ['nowhere', 'sandbox'],
      ['south', 'sandbox'],
      ['south', 'karrio'],
      ['North', 'sandbox'],
      ['north', 'Sandbox'],
      ['north', 'nobody'],
      ['north', 'gls'],
      ['north', '__proto__'],
      ['north', 'constructor'],
      ['north%00', 'sandbox'],
      ['north', 'sandbox%00'],
      ['%E2%82%AC', 'sandbox'],
      ['x'.repeat(500), 'sandbox'],
      ['north', 'x'.repeat(500)],
      ['..%2Fnorth', 'sandbox'],
    ];
    for (const [context, carrier] of names) {
      const answer = await unchanged(() => send(labels(context, carrier), wish));
      const { instance: _instance, traceId: _trace, ...members } = problem(answer, 404, 'resource-not-found');
      const told = { ...members, headers: Object.keys(answer.headers).toSorted() };
      const isOwn = context === 'north';
      assert.deepEqual(told, answers.get(isOwn) ?? told);
      answers.set(isOwn, told);
      const expected = isOwn ? /carriers are: .*sandbox/ : /contexts are: .*north/;
      assert.match(String(members.detail), expected);
      assert.doesNotMatch(String(members.detail), /south|nowhere/);
    }
  });

  it('by somebody else, whatever is wrong with the body: nothing of it is looked at', async () => {
    for (const body of ['{', '{}', JSON.stringify(wish)])
      problem(await unchanged(() => world().south.send(labels('north'), body)), 404, 'resource-not-found');
  });

  it('by a carrier that makes none, before the body is looked at', async () => {
    for (const body of ['{', wish])
      assert.match(
        String(
          problem(await unchanged(() => send(labels('north', 'laposte'), body)), 404, 'resource-not-found').detail,
        ),
        /makes no labels/,
      );
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
      assert.match(String(problem(await unchanged(() => sandbox(body)), 400, 'malformed-json').detail), detail);
    });
  }

  for (const [what, body] of [
    ['an array', '[{}]'],
    ['a text', '"label"'],
    ['null', 'null'],
    ['a number', '17'],
  ] as const) {
    it(`with a body that is ${what}`, async () => {
      const errors = errorsOf(await unchanged(() => sandbox(body)));
      assert.deepEqual(errors, { request: ['The body must be one JSON object.'] });
    });
  }

  it('with values that are no texts, each named', async () => {
    const errors = errorsOf(
      await unchanged(() =>
        sandbox({ ...wish, weight: 1200, nbPackage: true, destZip: ['75004'], content: { text: 'books' } }),
      ),
    );
    assert.deepEqual(Object.keys(errors).toSorted(), ['content', 'destZip', 'nbPackage', 'weight']);
    assert.match(String(errors.weight), /weight must be text, not a number/);
  });

  it('with texts that are too long, or have characters that no text may have', async () => {
    const errors = errorsOf(
      await unchanged(() =>
        sandbox({
          ...wish,
          destAddr1: 'x'.repeat(256),
          expCountry: 'FRA',
          destCity: 'Par\u0000is',
          instruction: '🚚'.repeat(501),
        }),
      ),
    );
    assert.deepEqual(Object.keys(errors).toSorted(), ['destAddr1', 'destCity', 'expCountry', 'instruction']);
    assert.match(String(errors.destAddr1), /256 characters; at most 255/);
    problem(await unchanged(() => sandbox(`{"destAddr1":"\\ud800"}`)), 400, 'validation-failed');
  });

  it('with unknown properties, and what was probably meant', async () => {
    const errors = errorsOf(await unchanged(() => sandbox({ ...wish, destAdr1: 'x', Weight: '1', gift: 'yes' })));
    assert.match(String(errors.destAdr1), /did you mean destAddr1\?/);
    assert.match(String(errors.Weight), /did you mean weight\?/);
    assert.match(String(errors.gift), /leave it out/);
  });

  it('with a property that has the name of something of ours', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', '']) {
      const body = `${JSON.stringify(wish).slice(0, -1)},${JSON.stringify(name)}:"x"}`;
      assert.match(
        String(problem(await unchanged(() => sandbox(body)), 400, 'validation-failed').detail),
        /There is no property/,
      );
    }
  });

  it('with a property twice, also where the first one is right', async () => {
    const body = `{"weight":"1200",${JSON.stringify({ ...wish, weight: '9' }).slice(1)}`;
    assert.match(String(errorsOf(await unchanged(() => sandbox(body))).weight), /occurs twice/);
  });

  it('with thousands of unknown properties, of which some are listed', async () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`destAddr${index}0`, '']));
    const answer = await unchanged(() => sandbox(many));
    assert.ok(answer.body.length < 20_000, `${answer.body.length}`);
    assert.match(answer.body, /2980 more properties/);
  });

  it('without the fields that every carrier needs, all of them named, blanks and null being nothing', async () => {
    for (const empty of [{}, { expAddr1: '', destCity: '  ', weight: null }]) {
      assert.deepEqual(Object.keys(errorsOf(await unchanged(() => sandbox(empty)))).toSorted(), [
        'destAddr1',
        'destCity',
        'destCountry',
        'destZip',
        'expAddr1',
        'expCity',
        'expCountry',
        'expZip',
        'modeCol',
        'modeLiv',
        'nbPackage',
        'weight',
      ]);
    }
  });

  it('without what the context does not preset', async () => {
    const context = await world().context({ sender: { expAddr1: 'North Trading', expCity: 'Lesquin' } });
    assert.deepEqual(
      Object.keys(errorsOf(await unchanged(() => send(labels(context), wishWithoutSender)))).toSorted(),
      ['expCountry', 'expZip'],
    );
  });

  it('with half an address of the sender: that of the context is not mixed with it', async () => {
    const context = await world().context({ sender });
    const errors = errorsOf(await unchanged(() => send(labels(context), { ...wishWithoutSender, expCity: 'Lyon' })));
    assert.deepEqual(Object.keys(errors).toSorted(), ['expCountry', 'expZip']);
    assert.match(String(errors.expZip), /whole address/);
  });

  it('by the rules of the carrier, by field, before it is asked', async () => {
    const errors = errorsOf(
      await unchanged(() => sandbox({ ...wish, modeLiv: '24R', weight: '9', outputType: 'GifImage' })),
    );
    assert.deepEqual(Object.keys(errors).toSorted(), [
      'outputType',
      'shippingPickupPoint',
      'shippingPickupPointCountry',
      'weight',
    ]);
    const karrio = errorsOf(
      await unchanged(() => send(labels('north'), { ...wish, destCountry: 'fr', pickupPoint: '1' })),
    );
    assert.deepEqual(Object.keys(karrio).toSorted(), ['destCountry', 'pickupPoint']);
  });

  it('with one byte too many, and not with one less', async () => {
    const padded = (length: number): Buffer =>
      Buffer.concat([Buffer.from(JSON.stringify(wish)), Buffer.alloc(length, ' ')]).subarray(0, length);
    assert.match(
      String(problem(await unchanged(() => sandbox(padded(65_537))), 413, 'payload-too-large').detail),
      /65536/,
    );
    assert.equal((await sandbox(padded(65_536))).status, 200);
  });

  for (const [what, headers] of [
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['XML', { 'content-type': 'application/xml' }],
    ['another charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['something that only begins like JSON', { 'content-type': 'application/json-seq' }],
    ['an empty suffix', { 'content-type': 'application/+json' }],
    ['something compressed', { 'content-encoding': 'gzip' }],
  ] as const) {
    it(`as ${what}`, async () => {
      problem(await unchanged(() => sandbox(wish, { headers })), 415, 'unsupported-media-type');
    });
  }

  it('where nothing acceptable can be answered', async () => {
    problem(await unchanged(() => sandbox(wish, { headers: { accept: 'application/pdf' } })), 406, 'not-acceptable');
  });

  for (const [query, slug, detail] of [
    ['dryrun=true', 'unknown-parameter', /did you mean 'dryRun'/],
    ['dryRun=yes', 'invalid-parameter', /true or false/],
    ['dryRun=true&dryRun=true', 'invalid-parameter', /more than once/],
    ['orderId=1&orderId=2', 'invalid-parameter', /more than once/],
  ] as const) {
    it(`with the query ${query}`, async () => {
      assert.match(
        String(problem(await unchanged(() => send(`${labels('bare', 'sandbox')}?${query}`, wish)), 400, slug).detail),
        detail,
      );
    });
  }

  it('with an Idempotency-Key that is none', async () => {
    problem(await unchanged(() => sandbox(wish, { headers: { 'idempotency-key': 'a b' } })), 400, 'invalid-parameter');
  });

  for (const orderId of [
    'OF-SOU',
    'OF-NO',
    'of-nor',
    '%00',
    'OF-NOR%00',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    '%F0%9F%9A%9A'.repeat(40),
    "1' or '1'='1",
  ]) {
    it(`for an order that the activity does not have: ${orderId.slice(0, 40)}`, async () => {
      assert.match(
        String(
          problem(
            await unchanged(() => send(`${labels('bare', 'sandbox')}?orderId=${orderId}`, wish)),
            404,
            'resource-not-found',
          ).detail,
        ),
        /no order/,
      );
    });
  }
}
