// Whatever is sent, the answer is one of ours.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import Negotiator from 'negotiator';
import { matches } from '../../src/http/conditional.ts';
import { jsonTypes, typeChoice } from '../../src/http/negotiate.ts';
import { queryPairs } from '../../src/http/query.ts';
import { addressKey } from '../../src/http/address-parts.ts';
import { problems } from '../../src/model/problem.ts';
import { assertProblem, sample, token } from './sample-server.ts';
import { rounds } from '../contract/rounds.ts';

const isSlug = (name: string): name is keyof typeof problems => Object.hasOwn(problems, name);

describe('any request', () => {
  it('with any path, query and headers gets an answer or a problem of the catalogue, never a 500', async (t) => {
    const { server } = sample(t);
    const piece = fc.oneof(
      fc.constantFrom(
        '/',
        '//',
        '%',
        '%2F',
        '%00',
        '%ff',
        '?',
        '&',
        '=',
        ';',
        '#',
        '+',
        '..',
        '*',
        ':',
        '{x}',
        'v1',
        'articles',
        'movements',
        'orders',
        'problems',
        'query',
        '__proto__',
      ),
      fc.string({ maxLength: 6 }),
    );
    const text = fc.string({
      maxLength: 40,
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    });
    const headers = fc.record(
      {
        accept: text,
        'accept-encoding': text,
        'if-none-match': text,
        traceparent: text,
        'x-request-id': text,
        origin: text,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'PATCH'),
        fc.array(piece, { maxLength: 8 }),
        headers,
        async (method, pieces, sent) => {
          // Characters that cannot stand in a request line never get this far.
          const url = `/${pieces.join('')}`.replaceAll(/[^\x21-\x7e]/g, '~');
          const answer = await server.inject({
            method,
            url: { pathname: url.split('?')[0] ?? '/', query: url.split('?').slice(1).join('?') },
            headers: { ...token, ...sent },
          });
          assert.notEqual(answer.statusCode, 500);
          if (answer.statusCode >= 400 && method !== 'HEAD') {
            const slug = String(JSON.parse(answer.body).type).split('/').at(-1) ?? '';
            assert.ok(isSlug(slug));
            assertProblem(answer.body, slug);
          }
        },
      ),
      { numRuns: rounds(400) },
    );
  });
});

describe('queries', () => {
  it('read as URLSearchParams reads them wherever they are well formed', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name), { maxLength: 6 }), (pairs) => {
        const text = new URLSearchParams(pairs).toString();
        assert.deepEqual(queryPairs(text), [...new URLSearchParams(text)]);
      }),
    );
  });

  it('are either decoded or refused as invalid-parameter', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('%', 'a', '2', 'F', 'C', '3', '=', '&', '+', ';') }), (text) => {
        try {
          for (const [name, value] of queryPairs(text))
            assert.ok(typeof name === 'string' && typeof value === 'string');
        } catch (error) {
          assert.equal(Object(error).slug, 'invalid-parameter');
        }
      }),
    );
  });
});

describe('negotiation', () => {
  const range = fc.tuple(
    fc.constantFrom('application/json', 'text/json', 'text/plain', 'text/*', 'application/*', '*/*', 'image/png'),
    fc.constantFrom('', ';q=0', ';q=0.2', ';q=0.8', ';q=1', '; q=0.5'),
    fc.constantFrom('', ';charset=utf-8', ';v="a,b;q=0"'),
  );

  it('ignores parameters of media types, and otherwise does what negotiator does', () => {
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 5 }), (ranges) => {
        const plain = ranges.map(([type, quality]) => type + quality).join(', ');
        const expected = new Negotiator({ headers: { accept: plain } }).mediaType([...jsonTypes]);
        const choose = typeChoice(jsonTypes);
        const sent = ranges.map(([type, quality, extra]) => type + extra + quality).join(', ');
        for (const accept of [plain, sent, sent])
          assert.equal(choose(accept), expected === undefined ? null : `${expected}; charset=utf-8`);
      }),
    );
  });
});

describe('entity tags', () => {
  const tag = fc
    .string({ unit: fc.constantFrom('a', '1', ',', ' ', '*', '/', 'W'), maxLength: 6 })
    .map((text) => `"${text.replaceAll(' ', '')}"`);

  it('match exactly when one of the list has the same opaque part', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), tag), { maxLength: 5 }), fc.boolean(), tag, (list, weak, current) => {
        const header = list.map(([isWeak, text]) => (isWeak ? 'W/' : '') + text).join(', ');
        assert.equal(
          matches(header, (weak ? 'W/' : '') + current),
          list.some(([, text]) => text === current),
        );
      }),
    );
  });
});

describe('IPv6 addresses', () => {
  it('have the same key exactly when their first 64 bits agree, however they are written', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        if (address.includes('.')) return;
        const full = new URL(`http://[${address}]`).hostname.slice(1, -1);
        const groups = (text: string) =>
          addressKey(text)
            .replace('::/64', '')
            .split(':')
            .map((group) => Number.parseInt(group, 16));
        assert.equal(groups(address).length, 4);
        assert.deepEqual(groups(address), groups(full));
      }),
    );
  });
});
