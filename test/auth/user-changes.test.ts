// What becomes of tokens and sessions when an operator changes or removes a user.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeUser, removeUser } from '../../src/auth/user-changes.ts';
import { addUser, authenticate, findUser } from '../../src/auth/users.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { engines } from '../contract/engines.ts';
import { goodPassword, openDatabase } from './fixture.ts';
import {
  connect,
  readArticles,
  refresh,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
} from './flow.ts';

const halfMinute = 30_000;
const refused = (pattern: RegExp) => (error: unknown) => error instanceof OperatorError && pattern.test(error.message);

/** Of the activities of the service, those that a token opens. */
async function opened(service: Service, accessToken: unknown): Promise<readonly string[]> {
  const codes: string[] = [];
  for (const code of ['AAA', 'BBB', 'CCC']) {
    const address = `${service.baseUrl}/articles?ownerActivity=${code}`;
    const { status } = await send(service, 'GET', address, { authorization: `Bearer ${String(accessToken)}` });
    if (status === 200) codes.push(code);
  }
  return codes;
}

for (const engine of engines) {
  describe(`a user who is changed, on ${engine.name}`, { skip: engine.skip }, () => {
    it('loses a withdrawn activity with tokens in hand, in half a minute elsewhere, and for new ones', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service, { activityCodes: ['AAA', 'BBB', 'CCC'] });
      await registerUser(service);
      const tokens = await connect(service, credentials);
      assert.deepEqual(await opened(service, tokens.access_token), ['BBB', 'CCC']);
      await changeUser(service.app.store, 'mia', { removedActivities: ['BBB'], addedActivities: ['AAA'] });
      t.mock.timers.setTime(start + halfMinute);
      assert.deepEqual(await opened(service, tokens.access_token), ['CCC']);
      // What was granted since is for the person to consent to.
      const renewed = (await refresh(service, credentials, tokens.refresh_token)).json();
      assert.deepEqual(await opened(service, renewed.access_token), ['CCC']);
      const again = await connect(service, credentials);
      assert.deepEqual(await opened(service, again.access_token), ['AAA', 'CCC']);
    });

    it('keeps password and tokens under another login, and gives the old login free', async (t) => {
      const service = await startService(t, {}, engine);
      const { store } = service.app;
      const credentials = await registerClient(service);
      const user = await registerUser(service);
      const tokens = await connect(service, credentials);
      const { before, after } = await changeUser(store, 'MIA', { login: ' Mia@Shop.Example ' });
      assert.deepEqual([before.login, after], ['mia', { ...user, login: 'mia@shop.example' }]);
      assert.equal((await readArticles(service, tokens.access_token)).status, 200);
      assert.equal(await authenticate(store, 'mia', goodPassword), null);
      assert.equal((await authenticate(store, 'mia@shop.example', goodPassword))?.id, user.id);
      await registerUser(service, { login: 'mia' });
    });

    it('who is removed has no tokens any more, nor a way in; the login is free for somebody else', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service);
      const user = await registerUser(service);
      const tokens = await connect(service, credentials);
      assert.equal((await readArticles(service, tokens.access_token)).status, 200);
      await removeUser(service.app.store, 'mia');
      t.mock.timers.setTime(start + halfMinute);
      assert.equal((await readArticles(service, tokens.access_token)).status, 401);
      assert.equal((await refresh(service, credentials, tokens.refresh_token)).json().error, 'invalid_grant');
      assert.equal(await authenticate(service.app.store, 'mia', goodPassword), null);
      const other = await registerUser(service);
      assert.notEqual(other.id, user.id);
      assert.equal((await readArticles(service, tokens.access_token)).status, 401);
    });

    it('gets one of two logins that are wanted at once, and both of two activities', async (t) => {
      const { store } = (await startService(t, {}, engine)).app;
      for (const login of ['mia', 'leo'])
        await addUser(store, { login, password: goodPassword, activityCodes: ['AAA'], operator: false }, 1);
      const renamed = await Promise.allSettled(
        ['mia', 'leo'].map((login) => changeUser(store, login, { login: 'ada' })),
      );
      assert.deepEqual(renamed.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
      await Promise.all(['BBB', 'CCC'].map((code) => changeUser(store, 'ada', { addedActivities: [code] })));
      assert.deepEqual((await findUser(store, 'ada'))?.activityCodes, ['AAA', 'BBB', 'CCC']);
    });
  });
}

describe('a change of a user', () => {
  const faults = [
    ['an unknown user', 'nobody', {}, /There is no user "nobody"/],
    ['a login that is none', 'mia', { login: 'Mia M' }, /A login has/],
    ['a login that is taken', 'mia', { login: 'LEO' }, /There is a user "leo" already/],
    ['an activity that does not exist', 'mia', { addedActivities: ['ZZZ'] }, /There is no activity "ZZZ"/],
    ['withdrawing one that does not exist', 'mia', { removedActivities: ['ZZZ'] }, /There is no activity "ZZZ"/],
    ['both at once', 'mia', { addedActivities: ['BBB'], removedActivities: ['BBB'] }, /granted and withdrawn at once/],
    ['the last activity', 'mia', { removedActivities: ['AAA'] }, /needs at least one activity/],
    ['an operator without activities as none', 'leo', { operator: false }, /needs at least one activity/],
  ] as const;
  for (const [name, login, wanted, said] of faults) {
    it(`is refused for ${name}, and changes nothing`, async (t) => {
      const { store } = await openDatabase(t);
      await addUser(store, { login: 'mia', password: goodPassword, activityCodes: ['AAA'], operator: false }, 1);
      await addUser(store, { login: 'leo', password: goodPassword, activityCodes: [], operator: true }, 1);
      const before = [await findUser(store, 'mia'), await findUser(store, 'leo')];
      await assert.rejects(changeUser(store, login, wanted), refused(said));
      assert.deepEqual([await findUser(store, 'mia'), await findUser(store, 'leo')], before);
    });
  }

  it('changes nothing the second time', async (t) => {
    const { store } = await openDatabase(t);
    await addUser(store, { login: 'mia', password: goodPassword, activityCodes: ['AAA'], operator: false }, 1);
    const wanted = { addedActivities: ['BBB', 'BBB'], removedActivities: ['AAA'], login: 'mia' };
    const first = await changeUser(store, 'mia', wanted);
    assert.deepEqual(first.after.activityCodes, ['BBB']);
    const second = await changeUser(store, 'mia', wanted);
    assert.deepEqual([second.before, second.after], [first.after, first.after]);
  });
});
