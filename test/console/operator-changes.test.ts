// What the forms of operators send: nothing but what was changed, so that what others changed meanwhile stays.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedMembers } from '../../packages/console/src/kept-draft.ts';
import { changeOf, draftOf } from '../../packages/console/src/operator/accounts/account-draft.ts';
import { isOvertaken, lineDraftIn, lineText } from '../../packages/console/src/operator/lines/line-draft.ts';
import { feedLineExample } from '../../src/platform/feed-line-schemas.ts';
import { carrierAccount } from '../../src/platform/administration/examples.ts';

describe('a user or client that is changed', () => {
  it('is sent with the members that differ, lists whole', () => {
    const begun = { login: 'mia', roles: ['feed', 'audit'], secondFactorRequired: false, activityCodes: ['ACM'] };
    assert.deepEqual(changedMembers({ ...begun, activityCodes: ['ACM'] }, begun), {});
    assert.deepEqual(changedMembers({ ...begun, login: 'mia.b', roles: ['feed'] }, begun), {
      login: 'mia.b',
      roles: ['feed'],
    });
  });
});

describe('a carrier account that is changed', () => {
  const account = { ...carrierAccount, secrets: [], sender: { expAddr1: 'Aurora', expZip: '59810' }, dailyLimit: 2000 };

  it('is sent without what was left as it was', () => {
    assert.deepEqual(changeOf(draftOf(account), {}, account), { settings: {}, sender: {} });
  });

  it('is sent with the fields of its sender that differ, empty where they are removed, and with its limit', () => {
    const draft = draftOf(account);
    const sender = { ...draft.sender, expZip: ' ', expCity: 'Lille', expTel1: '' };
    assert.deepEqual(changeOf({ ...draft, sender, dailyLimit: '' }, { password: 'p' }, account), {
      settings: { password: 'p' },
      sender: { expZip: '', expCity: 'Lille' },
      dailyLimit: null,
    });
  });
});

describe('the correction of a refused line', () => {
  const line = { ...feedLineExample, edited: null };

  it('goes on from the state of the line that it began from, also after a reload', () => {
    const kept = JSON.stringify({ text: '{"mine":1}', changedAt: line.changedAt });
    assert.deepEqual(lineDraftIn(kept, line), { text: '{"mine":1}', changedAt: line.changedAt });
    assert.equal(isOvertaken(lineDraftIn(kept, line), line), false);
    const changed = { ...line, edited: { theirs: 1 }, changedAt: '2026-03-02T06:00:00.000Z' };
    assert.equal(isOvertaken(lineDraftIn(kept, changed), changed), true);
    const same = { ...changed, edited: { mine: 1 } };
    const text = lineText(same);
    assert.equal(isOvertaken({ text, changedAt: line.changedAt }, same), false);
  });

  it('begins anew where the tab holds something else', () => {
    for (const kept of [null, '{"articleReference":"A1"}', '{"text":1,"changedAt":2}', '{"a'])
      assert.deepEqual(lineDraftIn(kept, line), { text: lineText(line), changedAt: line.changedAt });
  });
});
