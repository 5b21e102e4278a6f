// What Keycloak, Entra and Google tell of groups in their ID tokens, in the shapes of their documentation, and the
// settings that docs/identity-providers.md has for each.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { listUsers } from '../../src/auth/users.ts';
import { type Company, openCompany, signInAt } from './company.ts';

const [warehouse, operators] = ['6e74172b-be56-4843-9ff4-e66a39bb12e3', 'f3c0a1de-9f2c-4c8e-8a39-0d1c55f1b7aa'];
const acm = { activities: ['AAA'] };

async function open(t: TestContext, provider: Record<string, unknown>): Promise<Company> {
  const company = await openCompany(t, {}, provider);
  company.says({ groups: undefined });
  return company;
}

/** Activities and roles after a sign-in; null: nothing was opened. */
async function opened(company: Company, claims: Record<string, unknown>) {
  company.says({ groups: undefined, ...claims });
  const { page } = await signInAt(company);
  if (page !== null && page.status >= 400) return page.status;
  const [user] = await listUsers(company.service.app.store);
  return [user?.activityCodes, user?.operatorRoles];
}

describe('groups of Keycloak', () => {
  it('are names, with the full path where the mapper has it, and none stands for another', async (t) => {
    const company = await open(t, { groups: { '/warehouse/acm': acm, desk: { roles: ['shipping'] } } });
    assert.deepEqual(await opened(company, { groups: ['/warehouse/acm', '/everybody'] }), [['AAA'], []]);
    assert.deepEqual(await opened(company, { groups: ['desk'] }), [[], ['shipping']]);
    for (const other of ['acm', 'warehouse/acm', '/Warehouse/acm', '/other/warehouse/acm', '/desk', '/mine/desk'])
      assert.equal(await opened(company, { groups: [other] }), 403, other);
  });

  it('may be roles of the realm or of the client, inside of another claim', async (t) => {
    const company = await open(t, { groupsClaim: ['realm_access', 'roles'], groups: { 'lc-acm': acm } });
    const roles = { realm_access: { roles: ['offline_access', 'uma_authorization', 'lc-acm'] } };
    assert.deepEqual(await opened(company, roles), [['AAA'], []]);
    for (const none of [{}, { realm_access: null }, { realm_access: 'roles' }, { realm_access: { roles: { a: 1 } } }])
      assert.equal(await opened(company, { groups: ['lc-acm'], ...none }), 403);
  });
});

describe('groups of Entra ID', () => {
  it('are object ids', async (t) => {
    const company = await open(t, { groups: { [warehouse]: acm, [operators]: { roles: ['feed'] } } });
    assert.deepEqual(await opened(company, { groups: [operators, warehouse], tid: 't', oid: 'o' }), [
      ['AAA'],
      ['feed'],
    ]);
  });

  it('that are too many for the token take nothing from anybody, and the log says why', async (t) => {
    const company = await open(t, { groups: { [warehouse]: acm } });
    assert.deepEqual(await opened(company, { groups: [warehouse] }), [['AAA'], []]);
    const sources = { src1: { endpoint: 'https://graph.example/me/getMemberObjects' } };
    for (const kept of [
      { _claim_names: { groups: 'src1' }, _claim_sources: sources },
      { hasgroups: true },
      { hasgroups: 'true' },
    ])
      assert.equal(await opened(company, kept), 400);
    assert.match(company.service.logged(), /the groups are too many for the ID token/);
    assert.deepEqual((await listUsers(company.service.app.store))[0]?.activityCodes, ['AAA']);
    assert.equal(await opened(company, {}), 403, 'no groups at all are none');
  });

  it('may be application roles, which are never too many', async (t) => {
    const company = await open(t, { groupsClaim: 'roles', groups: { 'Warehouse.ACM': acm } });
    assert.deepEqual(await opened(company, { roles: ['Warehouse.ACM'] }), [['AAA'], []]);
  });
});

describe('the domain of Google Workspace', () => {
  it('is the one group; who has an account of their own has none', async (t) => {
    const company = await open(t, { groupsClaim: 'hd', loginClaim: 'email', groups: { 'acme.example': acm } });
    const person = { email: 'mia@acme.example', email_verified: true };
    assert.deepEqual(await opened(company, { ...person, hd: 'acme.example' }), [['AAA'], []]);
    const [user] = await listUsers(company.service.app.store);
    assert.equal(user?.login, 'acme.mia@acme.example');
    for (const other of [{}, { hd: 'other.example' }, { hd: 'sub.acme.example' }, { hd: ['x.acme.example'] }])
      assert.equal(await opened(company, { ...person, ...other }), 403);
  });
});
