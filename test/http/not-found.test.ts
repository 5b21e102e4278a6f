// What a 404 says of a path that no route has.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { notFoundProblems } from '../../src/http/not-found.ts';
import type { Route } from '../../src/http/route.ts';
import { route } from './sample-server.ts';

const base = 'https://api.example/logistics/v1';
const paths = [
  '/articles',
  '/articles/stock',
  '/articles/movements',
  '/articles/{articleReference}/movements',
  '/orders',
  '/orders/{orderId}/docs/{docSlug}',
];
const handle: Route['handle'] = () => assert.fail();
const routes: readonly Route[] = paths.map((path) => ({ ...route(path, handle), access: 'token' }));
const hidden: Route = { ...route('/hidden', handle), access: 'platform-key' };
const problemOf = notFoundProblems([{ prefix: '/v1', routes: [...routes, hidden] }], base);

describe('a path that no route has', () => {
  const near: readonly (readonly [asked: string, near: readonly string[]])[] = [
    ['/v1/articles/', ['/articles']],
    ['/v1/Articles?limit=1', ['/articles']],
    ['/articles/stock', ['/articles/stock']],
    ['/v1//orders', ['/orders']],
    ['/v1/article', ['/articles']],
    ['/v1/articles/A1/Movements', ['/articles/{articleReference}/movements']],
    ['/v1/orders/1/doc/invoice', ['/orders', '/orders/{orderId}/docs/{docSlug}']],
    [
      '/v1/articles/stocks/all',
      ['/articles', '/articles/stock', '/articles/movements', '/articles/{articleReference}/movements'],
    ],
    ['/v1/hidden', []],
    ['/', []],
    ['/v1', []],
    [`/v1/${'x'.repeat(8000)}`, []],
    ['/v1/%ZZ', []],
  ];
  for (const [asked, expected] of near)
    it(`${asked.slice(0, 40)} is told where paths begin, and what is near`, () => {
      const told = problemOf(asked).detail;
      assert.match(
        told,
        /^There is nothing at this path\. Paths begin with https:\/\/api\.example\/logistics\/v1, are/,
      );
      const listed = /Near are (.*)\.$/.exec(told)?.[1]?.split(', ') ?? [];
      assert.deepEqual(
        listed,
        expected.map((path) => base + path),
      );
    });

  it('of another interface is told where the paths of that one begin, and none of them', () => {
    const both = notFoundProblems(
      [
        { prefix: '/logistics/v1', routes },
        { prefix: '/platform', routes: [hidden] },
      ],
      base,
    );
    assert.match(
      both('/platform/hiden').detail,
      /^There is nothing at this path\. Paths begin with https:\/\/api\.example\/platform, are .* end\.$/,
    );
    assert.match(both('/platforms').detail, /Paths begin with https:\/\/api\.example\/logistics\/v1,/);
  });
});
