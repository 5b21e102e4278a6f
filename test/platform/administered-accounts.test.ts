// Carrier accounts over HTTP, on every engine: what is refused and at which field, that no secret comes out again, what
// happens to two changes at once, and that every process uses what was changed.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';

const secret = 'Chr0n0-s3cret';
const accounts = '/platform/shippings/accounts';
const label = {
  ...{ modeCol: 'CCC', modeLiv: 'HOM', weight: '1200', nbPackage: '1', destAddr1: 'Camille Moreau' },
  ...{ destAddr2: '6 place des Vosges', destZip: '75004', destCity: 'Paris', destCountry: 'FR' },
  destTel1: '+33600000000',
};
const sender = { expAddr1: 'North', expAddr2: '1 quai', expZip: '59810', expCity: 'Lesquin', expCountry: 'FR' };

for (const engine of engines) {
  describe(`administered carrier accounts on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let admin: string;
    let keyId: string;
    before(async () => {
      running = await startApp(engine, { SECRET_KEY: 'the secret key of these tests, long enough' });
      const wanted = { name: 'admin', activityCodes: null, roles: ['administration'] };
      const { key, text } = await addPlatformKey(running.app.store, wanted, Date.now());
      [admin, keyId] = [text, key.id];
    });
    after(() => running.close());
    const post = (path: string, body: object, token = admin): Promise<Answered> =>
      running.send(`${accounts}${path}`, body, { token });
    const add = (more: object = {}): Promise<Answered> =>
      post('', { activityCode: 'NOR', context: 'box', carrier: 'sandbox', settings: {}, sender, ...more });
    const one = (path: string): Promise<Answered> => running.get(`${accounts}${path}`, { token: admin });
    const remove = (path: string, query = ''): Promise<Answered> =>
      running.get(`${accounts}${path}/remove${query}`, { method: 'POST', token: admin });
    const faultsOf = (answer: Answered): Record<string, readonly string[]> => {
      assert.equal(answer.status, 400, answer.body);
      return Object(answer.object().errors);
    };
    const chronopost = { carrier: 'chronopost', settings: { accountNumber: '19869502', password: secret } };

    it('are added, changed and removed by administration alone', async () => {
      const wanted = { name: 'desk', activityCodes: null, roles: ['shipping', 'operations', 'audit', 'feed', 'stock'] };
      const { text } = await addPlatformKey(running.app.store, wanted, Date.now());
      for (const path of ['', '/acm/sandbox/change'])
        assert.equal((await post(path, { context: 'x' }, text)).status, 403);
      for (const token of [text, running.keys.north]) {
        assert.equal((await running.get(`${accounts}/acm/sandbox`, { token })).status, 403);
        const removing = { method: 'POST', token };
        assert.equal((await running.get(`${accounts}/acm/sandbox/remove`, removing)).status, 403);
        assert.equal((await running.get('/platform/shippings/carriers', { token })).status, 403);
      }
    });

    for (const [what, given, field, said] of [
      ['an unknown carrier', { carrier: 'chronopst' }, 'carrier', /no such carrier\. Known are sandbox, /],
      ['a carrier of every object', { carrier: 'constructor' }, 'carrier', /no such carrier/],
      ['an unknown activity', { activityCode: 'QQQ' }, 'activityCode', /There is no activity QQQ/],
      ['an activity that is none', { activityCode: '"\u{1f984}' }, 'activityCode', /There is no activity/],
      ['a context that is no name', { context: 'Paris!' }, 'context', /A context is named with/],
      ['a missing context', { context: undefined }, 'context', /context is required/],
      ['a setting that there is not', { settings: { login: 'x' } }, 'settings.login', /Sandbox has no setting login/],
      ['the wrong form', { settings: { speed: 'fast' } }, 'settings.speed', /speed is not of the right form/],
      ['settings that are no texts', { settings: { speed: 2 } }, 'settings', /settings must be an object of .* texts/],
      ['settings that are a list', { settings: ['speed'] }, 'settings', /settings must be an object of .* texts/],
      ['no sender', { sender: { destCity: 'Lyon' } }, 'sender', /sender takes expLang, .*, not destCity/],
      ['a long country', { sender: { expCountry: 'FRA' } }, 'sender.expCountry', /may have 2 characters/],
      ['less than no labels', { dailyLimit: -1 }, 'dailyLimit', /from 0 to 1000000/],
      ['half a label', { dailyLimit: 0.5 }, 'dailyLimit', /dailyLimit must be a whole number or null/],
      ['no number', { dailyLimit: '5' }, 'dailyLimit', /dailyLimit must be a whole number or null/],
      ['a property of another', { secrets: { password: secret } }, 'secrets', /There is no property of this name/],
      [
        'a missing secret',
        { ...chronopost, settings: { accountNumber: '1' } },
        'settings.password',
        /password is missing/,
      ],
      ['an account for nothing', { carrier: 'colissimo' }, 'settings', /could do nothing at Colissimo\. Labels need/],
    ] as const) {
      it(`refuses ${what}, and says so at its field`, async () => {
        const answer = await add({ context: 'refused', ...given });
        assert.match(String(faultsOf(answer)[field]), said);
        assert.equal(answer.body.includes(secret), false);
        assert.equal((await one('/refused/sandbox')).status, 404);
      });
    }

    it('repeats nothing of a secret that is refused', async () => {
      const settings = { accountNumber: secret, password: `${secret}\n` };
      const answer = await add({ ...chronopost, settings });
      assert.deepEqual(Object.keys(faultsOf(answer)).toSorted(), ['settings.accountNumber', 'settings.password']);
      assert.equal(answer.body.includes(secret), false);
    });

    it('tells what each carrier wants to know, and the form of a sender', async () => {
      const { carriers, senderFields } = (await running.get('/platform/shippings/carriers', { token: admin })).object();
      const found = Object(carriers).find(({ carrier }: { carrier: string }) => carrier === 'chronopost');
      const password = found.settings.find(({ name }: { name: string }) => name === 'password');
      assert.deepEqual(
        [found.title, password.secret, password.required, password.choices],
        ['Chronopost', true, true, null],
      );
      assert.ok(Object(senderFields).every(({ name }: { name: string }) => name.startsWith('exp')));
    });

    it('never tells a secret: in no answer, log, audit entry or request, nor in what is stored', async () => {
      const added = await add({ context: 'sealed', ...chronopost });
      assert.equal(added.status, 200, added.body);
      const { settings, secrets, fault, labels } = added.object();
      assert.deepEqual([settings, secrets, fault], [{ accountNumber: '19869502' }, ['password'], null]);
      assert.deepEqual(labels, { lacks: null });
      const changed = await post('/sealed/chronopost/change', { settings: { password: `${secret}-2` }, dailyLimit: 5 });
      assert.deepEqual([changed.status, changed.object().dailyLimit], [200, 5]);
      const list = await running.get(accounts, { token: await shippingKey() });
      const trail = await audited();
      assert.match(JSON.stringify(trail), /carrier-account\.change.*"settings":\["password"\]/);
      const { entries } = { entries: await running.app.store.carrierAccounts.list() };
      for (const text of [
        ...[added.body, changed.body, (await one('/sealed/chronopost')).body, list.body, running.logged()],
        ...[JSON.stringify(trail), JSON.stringify(entries)],
      ])
        assert.equal(text.includes(secret), false);
      // Kept as it is where nothing is said of it: the account still has it, and what is sent back is told nowhere.
      const kept = await post('/sealed/chronopost/change', { settings: { accountNumber: '19869503' } });
      assert.deepEqual(kept.object().secrets, ['password']);
      const faults = faultsOf(await post('/sealed/chronopost/change', { settings: { password: '' } }));
      assert.match(String(faults['settings.password']), /password is missing/);
    });

    it('sends a stored secret to no other address', async () => {
      await add({ context: 'elsewhere', ...chronopost });
      const baseUrl = 'https://attacker.example';
      const answer = await post('/elsewhere/chronopost/change', { settings: { baseUrl } });
      assert.match(String(faultsOf(answer)['settings.password']), /enter password again/);
      const { settings } = (await one('/elsewhere/chronopost')).object();
      assert.deepEqual(settings, { accountNumber: '19869502' });
      const told = await post('/elsewhere/chronopost/change', { settings: { baseUrl, password: 'another-one' } });
      assert.equal(told.status, 200, told.body);
      // Back to the address of before: that is another one too by now.
      const back = await post('/elsewhere/chronopost/change', { settings: { baseUrl: '' } });
      assert.match(String(faultsOf(back)['settings.password']), /enter password again/);
    });

    it('takes the place of no other account, of this or another activity', async () => {
      assert.equal((await add({ context: 'taken' })).status, 200);
      for (const activityCode of ['NOR', 'SOU']) {
        const answer = await add({ context: 'taken', activityCode, settings: { speed: '2' } });
        assert.match(String(faultsOf(answer).context), /has an account at .*andbox already/);
      }
      const { activityCode, settings } = (await one('/taken/sandbox')).object();
      assert.deepEqual([activityCode, settings], ['NOR', {}]);
      const both = await Promise.all([add({ context: 'at-once' }), add({ context: 'at-once' })]);
      assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 400], 'of two at once one wins');
    });

    it('keeps both of two changes at once of different settings', async () => {
      await add({ context: 'both', carrier: 'colissimo', settings: { contractNumber: '1', password: 'one-secret' } });
      const changes = [{ apiKey: 'k3y' }, { suiviKey: 'suivi' }, { accountNumber: '2' }, { commercialName: 'North' }];
      const answers = await Promise.all(changes.map((settings) => post('/both/colissimo/change', { settings })));
      assert.deepEqual(
        answers.map(({ status, body }) => [status, status === 200 ? '' : body]),
        changes.map(() => [200, '']),
      );
      const { settings, secrets } = (await one('/both/colissimo')).object();
      assert.deepEqual(secrets, ['apiKey', 'password', 'suiviKey']);
      assert.deepEqual(settings, { contractNumber: '1', accountNumber: '2', commercialName: 'North' });
    });

    it('keeps the fields of the sender that a change does not name, also of changes at once', async () => {
      await add({ context: 'from', sender: { expAddr1: 'North', expZip: '59810', expTel1: '1' } });
      const changes = [{ expCity: 'Lesquin' }, { expCountry: 'FR' }, { expZip: '69001' }, { expTel1: '' }];
      const answers = await Promise.all(changes.map((sender) => post('/from/sandbox/change', { sender })));
      assert.deepEqual(
        answers.map(({ status, body }) => [status, status === 200 ? '' : body]),
        changes.map(() => [200, '']),
      );
      const { sender } = (await one('/from/sandbox')).object();
      assert.deepEqual(sender, { expAddr1: 'North', expZip: '69001', expCity: 'Lesquin', expCountry: 'FR' });
      const named = (await audited()).filter(({ target }) => target === 'from/sandbox').slice(1);
      assert.deepEqual(named.map(({ details }) => JSON.stringify(details)).toSorted(), [
        '{"sender":["expCity"]}',
        '{"sender":["expCountry"]}',
        '{"sender":["expTel1"]}',
        '{"sender":["expZip"]}',
      ]);
    });

    it('leaves no entry of a change that changes nothing', async () => {
      await add({ context: 'same', dailyLimit: 3 });
      for (const body of [{}, { dailyLimit: 3 }, { sender }, { settings: { speed: '' } }])
        assert.equal((await post('/same/sandbox/change', body)).status, 200);
      const mine = (await audited()).filter(({ target }) => target === 'same/sandbox');
      assert.deepEqual(
        mine.map(({ action }) => action),
        ['carrier-account.add'],
      );
    });

    it('are used by every process from the next label on, and removed with a clear word alone', async () => {
      assert.equal((await add({ context: 'used' })).status, 200);
      const beside = await running.beside();
      const make = (): Promise<Answered> =>
        beside.send('/v1/shippings/labels/used/sandbox', label, { token: running.tokens.north });
      const made = await make();
      assert.equal(made.status, 200, made.body);
      await post('/used/sandbox/change', { dailyLimit: 1 });
      assert.equal((await make()).status, 429);
      await post('/used/sandbox/change', { dailyLimit: null });
      assert.equal((await make()).status, 200);

      const used = (await one('/used/sandbox')).object();
      assert.deepEqual([typeof used.lastLabelAt, used.inUse], ['string', true]);
      const refused = await remove('/used/sandbox');
      assert.equal(refused.status, 409, refused.body);
      assert.match(String(refused.object().type), /account-in-use$/);
      assert.equal(refused.object().lastLabelAt, used.lastLabelAt);
      assert.equal((await make()).status, 200);
      assert.equal((await remove('/used/sandbox', '?evenInUse=perhaps')).status, 400);
      assert.equal((await remove('/used/sandbox', '?evenInUse=true')).status, 200);
      assert.equal((await make()).status, 404);
      assert.equal((await remove('/used/sandbox')).status, 404);
      const { expeditionNumber } = made.object();
      assert.notEqual(
        await running.app.store.labels.find({ ...labelOf, context: 'used' }, String(expeditionNumber)),
        null,
      );
      const actions = (await audited()).filter(({ target }) => target === 'used/sandbox').map(({ action }) => action);
      const change = 'carrier-account.change';
      assert.deepEqual(actions, ['carrier-account.add', change, change, 'carrier-account.remove']);
    });

    it('are removed without one where nothing was made with them', async () => {
      await add({ context: 'unused' });
      const both = await Promise.all([remove('/unused/sandbox'), remove('/unused/sandbox')]);
      assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 404], 'of two at once one does it');
      assert.equal((await one('/%00/sandbox')).status, 404);
    });

    it('whose secrets cannot be read say so, are entered anew, and keep none of before', async () => {
      const stored = { activity: 'NOR', context: 'lost', carrier: 'chronopost', settings: { accountNumber: '1' } };
      await running.app.store.carrierAccounts.put(
        { ...stored, secrets: 'no ciphertext of this service', sender: {}, dailyLimit: null },
        Date.now(),
      );
      const { fault, secrets } = (await one('/lost/chronopost')).object();
      assert.notEqual(fault, null);
      assert.deepEqual(secrets, []);
      faultsOf(await post('/lost/chronopost/change', { settings: { language: 'en_GB' } }));
      const mended = await post('/lost/chronopost/change', { settings: { password: secret } });
      assert.equal(mended.status, 200, mended.body);
      assert.deepEqual([mended.object().fault, mended.object().secrets], [null, ['password']]);
    });

    const labelOf = { activity: 'NOR', carrier: 'sandbox' };
    const shippingKey = async (): Promise<string> =>
      (await addPlatformKey(running.app.store, { name: 'desk', activityCodes: null, roles: ['shipping'] }, Date.now()))
        .text;
    const audited = () =>
      running.app.store.audit
        .read({
          ...{ activityCodes: null, operationId: null, action: null, actor: keyId, since: null, until: null },
          ...{ after: null, newestFirst: false, limit: 100 },
        })
        .then((entries) => entries.filter(({ outcome }) => outcome === 'accepted'));
  });
}
