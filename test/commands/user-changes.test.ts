// user change, user remove, and lists of one activity.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { goodPassword, json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

async function placeWithUsers(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  await succeed(place, 'activity', 'add', 'BLU', 'Blue');
  await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM');
  await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'ops', '--operator');
  return place;
}

interface Entry {
  readonly action: string;
  readonly actor: string;
  readonly target: string;
  readonly activityCodes: readonly string[];
  readonly details: unknown;
}

async function trail(place: Place, action: string): Promise<readonly Entry[]> {
  const lines = (await succeed(place, 'audit', '--json')).trim().split('\n');
  return lines.map((line): Entry => JSON.parse(line)).filter((entry) => entry.action === action);
}

describe('user change', () => {
  it('is wrong usage when it changes nothing', async (t) => {
    const { code, stderr } = await run(await placeWithUsers(t), 'user', 'change', 'mia');
    assert.deepEqual([code, /Say what is to be changed/.test(stderr)], [2, true]);
  });

  it('says what is different and from when, and leaves an audit entry that names no person', async (t) => {
    const place = await placeWithUsers(t);
    const [{ id } = { id: '' }] = await json<{ id: string }[]>(place, 'user', 'list', '--activity', 'ACM');
    const words = ['--login', 'mia@shop.example', '--add-activity', 'BLU', '--remove-activity', 'ACM'];
    assert.equal(
      await succeed(place, 'user', 'change', 'mia', ...words),
      [
        'User mia@shop.example may act in BLU.',
        'The login was mia; the password stays.',
        'What was withdrawn is closed within a minute, for tokens in hand too.',
        'What was granted opens to each program once the user signs in there again.\n',
      ].join('\n'),
    );
    const [entry, ...others] = await trail(place, 'user.change');
    assert.deepEqual(
      [entry?.actor, entry?.target, entry?.activityCodes, entry?.details, others],
      ['olga', id, ['ACM', 'BLU'], { login: 'changed', granted: ['BLU'], withdrawn: ['ACM'] }, []],
    );
  });

  it('asks for a second factor, and no longer', async (t) => {
    const place = await placeWithUsers(t);
    const rule = async (...words: readonly string[]): Promise<string> =>
      succeed(place, 'user', 'change', 'mia', ...words);
    assert.match(await rule('--second-factor', 'required'), /A second factor is set up at the next sign-in/);
    const shown = await json<{ login: string; secondFactorRequired: boolean }[]>(place, 'user', 'list');
    assert.equal(shown.find(({ login }) => login === 'mia')?.secondFactorRequired, true);
    assert.match(await rule('--second-factor', 'optional'), /^User mia may act in ACM\.\n$/);
    assert.match(await rule('--reset-second-factor'), /is as it was/);
    assert.deepEqual(
      (await trail(place, 'user.change')).map(({ details }) => details),
      [{ secondFactor: 'optional' }, { secondFactor: 'required' }],
      'the newest first',
    );
    assert.equal((await run(place, 'user', 'change', 'mia', '--second-factor', 'maybe')).code, 2);
  });

  it('says so where all is as it was, and leaves no audit entry', async (t) => {
    const place = await placeWithUsers(t);
    assert.equal(
      await succeed(place, 'user', 'change', 'mia', '--add-activity', 'ACM', '--no-operator'),
      'User mia is as it was: may act in ACM.\n',
    );
    assert.deepEqual(await trail(place, 'user.change'), []);
  });

  it('makes an operator and the other way round', async (t) => {
    const place = await placeWithUsers(t);
    assert.equal(
      await succeed(place, 'user', 'change', 'mia', '--operator', '--remove-activity', 'ACM'),
      [
        'User mia is an operator and may act in no activity.',
        'What was withdrawn is closed within a minute, for tokens in hand too.\n',
      ].join('\n'),
    );
    const { code, stderr } = await run(place, 'user', 'change', 'mia', '--no-operator');
    assert.deepEqual([code, /needs at least one activity/.test(stderr)], [1, true]);
    const user = await json<{ operator: boolean }>(
      place,
      ...['user', 'change', 'mia', '--no-operator', '--add-activity', 'ACM', 'BLU'],
    );
    assert.equal(user.operator, false);
  });
});

describe('user remove', () => {
  it('refuses a login that is not there', async (t) => {
    const { code, stderr } = await run(await placeWithUsers(t), 'user', 'remove', 'nobody');
    assert.deepEqual([code, /There is no user "nobody"/.test(stderr)], [1, true]);
  });

  it('takes the user from the list and says how the audit trail names it', async (t) => {
    const place = await placeWithUsers(t);
    const [{ id } = { id: '' }] = await json<{ id: string }[]>(place, 'user', 'list', '--activity', 'ACM');
    assert.equal(
      await succeed(place, 'user', 'remove', 'mia'),
      `User mia is removed; tokens in hand stop within a minute. The audit trail has it as ${id}.\n`,
    );
    assert.deepEqual(
      (await json<{ login: string }[]>(place, 'user', 'list')).map(({ login }) => login),
      ['ops'],
    );
    assert.deepEqual(
      (await trail(place, 'user.remove')).map(({ target }) => target),
      [id],
    );
  });
});

describe('user list --activity', () => {
  it('lists who may act there, and refuses an activity that does not exist', async (t) => {
    const place = await placeWithUsers(t);
    const listed = async (code: string) =>
      (await json<{ login: string }[]>(place, 'user', 'list', '--activity', code)).map(({ login }) => login);
    assert.deepEqual([await listed('ACM'), await listed('BLU')], [['mia'], []]);
    const { code, stderr } = await run(place, 'user', 'list', '--activity', 'acm');
    assert.deepEqual([code, /There is no activity "acm"/.test(stderr)], [1, true]);
  });
});
