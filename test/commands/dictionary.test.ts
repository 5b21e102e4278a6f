// The dictionary on the command line, and what a server publishes of it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { demoMark } from '../../src/demo/demo-client.ts';
import { json, run, succeed, temporaryFolder } from './fixture.ts';

describe('dictionary check', () => {
  it('takes the example', async (t) => {
    const place = { folder: temporaryFolder(t) };
    writeFileSync(join(place.folder, 'own.json'), await succeed(place, 'dictionary', 'example'));
    assert.match(await succeed(place, 'dictionary', 'check', 'own.json'), /^own\.json is right: 3\d lists with 1\d\d/);
    const told = await json<{ units: { weight: string }; empty: string[] }>(place, 'dictionary', 'check', 'own.json');
    assert.equal(told.units.weight, 'kg');
    assert.ok(told.empty.includes('shippingVATCode'));
  });

  for (const [what, text, said] of [
    ['what is not JSON', '{', /The dictionary in own\.json: .*own\.json is not JSON/],
    ['an unknown field', '{"lists":[{"name":"colour","codes":[]}]}', /no field or list "colour"/],
  ] as const)
    it(`refuses ${what}, and says where there is a right one`, async (t) => {
      const place = { folder: temporaryFolder(t) };
      writeFileSync(join(place.folder, 'own.json'), text);
      const { code, stderr } = await run(place, 'dictionary', 'check', 'own.json');
      assert.equal(code, 1);
      assert.match(stderr, said);
      assert.match(stderr, /dictionary example/);
    });

  it('refuses a file that is not there, a folder, and one without an end', async (t) => {
    const place = { folder: temporaryFolder(t) };
    assert.match((await run(place, 'dictionary', 'check', 'none.json')).stderr, /cannot be read: ENOENT/);
    assert.match((await run(place, 'dictionary', 'check', '.')).stderr, /cannot be read: EISDIR/);
    assert.match((await run(place, 'dictionary', 'check', '/dev/zero')).stderr, /longer than 262144 bytes/);
  });
});

describe('the dictionary of a server', () => {
  const codeLists = async (t: TestContext, variables: Record<string, string>, demonstration: boolean) => {
    const folder = temporaryFolder(t);
    writeFileSync(
      join(folder, 'own.json'),
      '{"lists":[{"name":"gradeCode","codes":[{"code":"OK","meaning":"sound"}]}]}',
    );
    const app = await createApp(readConfig({ PORT: '0', LOG_LEVEL: 'silent', ...variables }, folder));
    t.after(() => app.close());
    if (demonstration) await app.store.secrets.obtain(demoMark, () => '0');
    const { body } = await app.server.inject({ url: '/v1/openapi.json' });
    return JSON.parse(body)['x-code-lists'];
  };

  it('is the file that the setting names, also in a demonstration', async (t) => {
    const { gradeCode } = await codeLists(t, { DICTIONARY_FILE: 'own.json' }, true);
    assert.deepEqual(gradeCode.codes, [{ code: 'OK', meaning: 'sound' }]);
  });

  it('is that of the demonstration in its database, and none in another', async (t) => {
    assert.equal((await codeLists(t, {}, true)).gradeCode.codes.length, 4);
    assert.deepEqual(Object.keys(await codeLists(t, {}, false)), ['articleType', 'articleAnalysisCode']);
  });

  it('keeps the server from starting when it is wrong', async (t) => {
    const place = { folder: temporaryFolder(t), variables: { DICTIONARY_FILE: 'own.json' } };
    writeFileSync(join(place.folder, 'own.json'), '{"lists":[{"name":"colour","codes":[]}]}');
    assert.throws(
      () => readConfig(place.variables, place.folder),
      /DICTIONARY_FILE .*own\.json is not right: there is no field or list "colour"/,
    );
  });
});
