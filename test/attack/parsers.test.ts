// Small texts that are long to read: unknown parameters, repeated properties, deep and wide JSON, odd headers, hostile
// answers of carriers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { zstdCompressSync } from 'node:zlib';
import { succeed } from '../commands/fixture.ts';
import { assertMemory, assertProcessor, underAttack } from './attack.ts';
import { activities, shippingContext } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, ask, postArticles, together } from './wire.ts';

underAttack('parsers', {}, (attack) => {
  attack(
    'eight kilobytes of unknown parameters, fifty times',
    (target) => {
      const long = Array.from({ length: 180 }, (_none, index) => `filte${'r'.repeat(30)}${index}=`).join('&');
      const many = Array.from({ length: 2000 }, (_none, index) => index.toString(36))
        .join('&')
        .slice(0, 8000);
      return together(50, (index) => ask(target, { path: `/v1/orders?${index % 2 === 0 ? long : many}` }));
    },
    (measured, answers) => {
      for (const { status, body } of answers) {
        assert.ok(status === 400 || status === 503 || status === 429, `${status}`);
        assert.ok(body.length < 20_000, `the refusal has ${body.length} bytes`);
      }
      assertProcessor(measured, 1);
    },
  );

  attack(
    'repeated properties in a few bytes of zstd',
    (target) => {
      const item = `{${Array.from({ length: 60_000 }, () => '"a":1').join(',')}}`;
      const body = zstdCompressSync(`[${Array.from({ length: 20 }, () => item).join(',')}]`);
      assert.ok(body.length < 4000, `${body.length}`);
      return postArticles(target, body, { path: '/v1/articles?dryRun=true', headers: { 'content-encoding': 'zstd' } });
    },
    (measured) => {
      assertProcessor(measured, 2);
      assertMemory(measured, 500);
    },
  );

  attack(
    'deep, wide and broken JSON, each as long as allowed',
    async (target) => {
      const bodies = [
        `[${'['.repeat(5_000_000)}`,
        `[${'{"a":'.repeat(1_000_000)}`,
        `[${'1,'.repeat(5_000_000)}1]`,
        `["${'\\u0041'.repeat(1_600_000)}"]`,
        `[${'\n'.repeat(9_000_000)}x]`,
        `[{"x":${'9'.repeat(1_000_000)}}]`,
        `[{"activityCode":"${'é'.repeat(500_000)}"}]`,
        `[${'"'.repeat(9_000_001)}]`,
        `[{"barcodes":[${'{},'.repeat(100_000)}{}]}]`,
        `{${Array.from({ length: 100_000 }, (_none, index) => `"${index}":1`).join(',')}}`,
      ];
      const answers: Answer[] = [];
      for (const body of bodies)
        answers.push(
          await postArticles(target, zstdCompressSync(body), {
            path: '/v1/articles?dryRun=true',
            headers: { 'content-encoding': 'zstd' },
          }),
        );
      return answers;
    },
    (measured, answers) => {
      for (const { status, body } of answers) {
        assert.ok(status >= 200 && status < 500, `${status}`);
        assert.ok(body.length < 1_500_000, `the answer has ${body.length} bytes`);
      }
      assertProcessor(measured, 6);
      assertMemory(measured, 500);
    },
  );

  attack(
    'headers and filters full of marks that mean something',
    (target) => {
      const long = 12_000;
      const headers: readonly Readonly<Record<string, string>>[] = [
        { accept: 'a/b;q=0.1,'.repeat(long / 10) },
        { accept: `text/html${';a="\\'.repeat(long / 6)}` },
        { 'accept-encoding': 'br;q=0,'.repeat(long / 7) },
        { 'if-none-match': '"a",'.repeat(long / 4) },
        { 'if-none-match': 'W/'.repeat(long / 2) },
        { 'accept-language': 'a-b-c,'.repeat(long / 6) },
        { 'x-request-id': 'a'.repeat(long) },
        { traceparent: '0-'.repeat(long / 2) },
      ];
      const filters = [
        '('.repeat(2000),
        'a==b;'.repeat(400),
        `gradeCode=in=(${'a,'.repeat(900)}a)`,
        `gradeCode==${'*'.repeat(1900)}`,
        `gradeCode=="${'\\"'.repeat(900)}`,
        ' and '.repeat(390),
      ];
      const paths = filters.map((text) => `/v1/articles/movements?filter=${encodeURIComponent(text)}`);
      return together(200, (index) =>
        index % 2 === 0
          ? ask(target, { path: '/v1/articles/movements?limit=1', headers: headers[index % headers.length] ?? {} })
          : ask(target, { path: paths[index % paths.length] ?? '' }),
      );
    },
    (measured) => assertProcessor(measured, 3),
  );

  attack(
    'a form whose parts are nothing but heads',
    (target) => {
      const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n\r\n';
      const bodies = [
        part.repeat(100_000),
        `--b\r\n${'X-A: b\r\n'.repeat(500_000)}`,
        `${'\r\n--b'.repeat(1_000_000)}`,
        `--b\r\nContent-Disposition: form-data${';a=b'.repeat(500_000)}\r\n\r\n`,
        `${'-'.repeat(4_000_000)}`,
        `--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n${'\r\n-'.repeat(1_000_000)}`,
      ];
      return together(bodies.length, (index) =>
        ask(target, {
          method: 'POST',
          path: '/v1/orders/EVL-1/docs/invoice',
          headers: { 'content-type': 'multipart/form-data; boundary=b' },
          body: bodies[index] ?? '',
        }),
      );
    },
    (measured) => {
      assertProcessor(measured, 4);
      assertMemory(measured, 500);
    },
  );

  attack(
    'an answer of a carrier of 8 MB, all of it names of namespaces',
    (target) =>
      hostileCarrier(target, () => {
        const declared = Array.from({ length: 150_000 }, (_none, index) => ` xmlns:n${index}="a"`).join('');
        return `<r${declared}>${Array.from({ length: 90_000 }, () => '<a xmlns:q="b"/>').join('')}</r>`;
      }),
    (measured, { status, body }) => {
      assert.equal(status, 502, body.toString());
      assertProcessor(measured, 2);
      assertMemory(measured, 500);
    },
  );

  attack(
    'an answer of a carrier of 8 MB, all of it attributes, references and marks',
    (target) =>
      hostileCarrier(target, () => {
        const attributes = Array.from({ length: 200_000 }, (_none, index) => ` a${index}="&lt;"`).join('');
        const content = `${'&amp;'.repeat(400_000)}${'<a/>'.repeat(90_000)}${']]&gt;<!-- -->'.repeat(100_000)}`;
        return `<r${attributes}>${content}</r>`;
      }),
    (measured, { status, body }) => {
      assert.equal(status, 502, body.toString());
      assertProcessor(measured, 4);
      assertMemory(measured, 500);
    },
  );
});

const wish = {
  modeCol: '0',
  modeLiv: '01',
  expAddr1: 'Evil Trading',
  expAddr2: '4 rue des Entrepots',
  expCity: 'Lesquin',
  expZip: '59810',
  expCountry: 'FR',
  expTel1: '+33600000000',
  expMail: 'a@b.example',
  destAddr1: 'Camille Moreau',
  destAddr2: '6 place des Vosges',
  destCity: 'Paris',
  destZip: '75004',
  destCountry: 'FR',
  destTel1: '+33600000000',
  destMail: 'c@d.example',
  weight: '1200',
  nbPackage: '1',
} as const;

/** Asks for a label of a carrier that answers with this; once, because what it costs is the same each time. */
async function hostileCarrier(target: Target, text: () => string): Promise<Answer> {
  const body = text();
  const carrier = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(200, { 'content-type': 'text/xml' }).end(body));
  });
  carrier.listen(0, '127.0.0.1');
  await once(carrier, 'listening');
  try {
    const url = `http://127.0.0.1:${(carrier.address() as AddressInfo).port}`;
    const { folder, variables } = target.database;
    const account = [
      '--context',
      shippingContext,
      '--carrier',
      'chronopost',
      '--activity',
      activities.attacker,
      '--set',
      'accountNumber=19869502',
      '--set',
      `baseUrl=${url}`,
      '--set',
      `suiviUrl=${url}`,
    ];
    await succeed(
      { folder, variables, stdin: JSON.stringify({ password: 'secret', suiviKey: 'key' }) },
      'carrier-account',
      'add',
      ...account,
    );
    return await ask(target, {
      method: 'POST',
      path: `/v1/shippings/labels/${shippingContext}/chronopost`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(wish),
    });
  } finally {
    carrier.closeAllConnections();
    carrier.close();
  }
}
