// Users as a CSV file, as the console reads it: what a spreadsheet makes of it, and what is wrong with it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readUsers, usersText } from '../../packages/console/src/operator/administration/user-csv.ts';
import { planUsers } from '../../packages/console/src/operator/administration/user-plan.ts';

describe('a CSV file of users', () => {
  it('is read with every separator, quotes, a byte order mark, blank lines and every kind of line end', () => {
    const wanted = [
      { line: 2, login: 'mia@shop.example', activityCodes: ['AUR', 'NOR'], operator: false, roles: [] },
      { line: 5, login: 'a"b, c', activityCodes: [], operator: true, roles: ['feed', 'audit'] },
    ];
    const heading = 'login,activities,operator,roles';
    const rows = 'mia@shop.example,AUR NOR,no,\r\n\r\n,,,\r\n"a""b, c",,VRAI,feed;audit';
    assert.deepEqual(readUsers(`\uFEFF${heading}\r\n${rows}`), wanted);
    for (const separator of [';', '\t']) {
      const cells = [
        ...[heading.split(','), ['mia@shop.example', 'AUR,NOR', '0', ''], [''], ['', '', '', '']],
        ['"a""b, c"', '', 'yes', 'feed audit'],
      ];
      assert.deepEqual(readUsers(`${cells.map((row) => row.join(separator)).join('\n')}\n`), wanted);
    }
  });

  it('keeps what it has no column for as it is', () => {
    assert.deepEqual(readUsers('login\nmia'), [{ line: 2, login: 'mia' }]);
    assert.deepEqual(readUsers('Login,second_factor,disabled\nmia,required,'), [
      { line: 2, login: 'mia', secondFactorRequired: true },
    ]);
  });

  it('reads what it writes', () => {
    const user = {
      ...{ id: '1', login: 'mia', activityCodes: ['AUR', 'NOR'], operator: true, disabledAt: '2026-01-01T00:00:00Z' },
      ...{
        createdAt: '',
        signedOutAt: null,
        identityProvider: null,
        secondFactorRequired: false,
        secondFactor: true,
        roles: ['feed' as const],
      },
    };
    assert.deepEqual(readUsers(usersText([user])), [
      {
        ...{ line: 2, login: 'mia', activityCodes: ['AUR', 'NOR'], operator: true, roles: ['feed'] },
        ...{ disabled: true, secondFactorRequired: false },
      },
    ]);
  });

  it('is refused with what is wrong and where', () => {
    const cases = [
      ['', 'empty', ''],
      ['login\n', 'empty', ''],
      ['login,colour\nmia,red', 'column', 'colour'],
      ['operator\ntrue', 'missing', '1: login'],
      ['login,operator\nmia,true\n,true', 'missing', '3: login'],
      ['login,operator\nmia,perhaps', 'flag', '2'],
      ['login,operator\nmia', 'cells', '2'],
      ['login\nm\uFFFDa', 'encoding', ''],
      ['login\nmia\nMIA', 'twice', '3: MIA'],
      ['login\n"mia', 'quote', ''],
      ['x'.repeat(1_000_001), 'long', '1000000'],
      [`login\n${'m\n'.repeat(2001)}`, 'long', '2000'],
    ] as const;
    for (const [text, fault, at] of cases) assert.deepEqual(readUsers(text), { fault, at }, text.slice(0, 40));
  });

  it('changes nobody who is as it says', () => {
    const known = {
      ...{ id: '1', login: 'mia', activityCodes: ['AUR', 'NOR'], operator: false, disabledAt: null, createdAt: '' },
      ...{ signedOutAt: null, identityProvider: null, secondFactorRequired: false, secondFactor: false, roles: [] },
    };
    const plan = planUsers(
      [
        { line: 2, login: 'MIA', activityCodes: ['NOR', 'AUR', 'NOR'] },
        { line: 3, login: 'mia', activityCodes: ['NOR'] },
        { line: 4, login: 'leo', activityCodes: ['NOR'] },
        { line: 5, login: 'zoe', activityCodes: ['QQQ'] },
        { line: 6, login: 'max', roles: ['feed', 'captain'] },
      ],
      [known],
      new Set(['AUR', 'NOR']),
    );
    assert.deepEqual(
      plan.map(({ action }) => action),
      ['none', 'change', 'add', 'fault', 'fault'],
    );
    assert.deepEqual(plan[3]?.fault, { word: 'row-activity', values: { at: 'QQQ' } });
    assert.equal(plan[4]?.fault?.values?.at, 'captain');
    // One that is gone may stay with whoever has it.
    const [kept] = planUsers([{ line: 2, login: 'mia', activityCodes: ['AUR', 'NOR'] }], [known], new Set(['NOR']));
    assert.equal(kept?.action, 'none');
  });
});
