// What long work knows of the requests beside it: a short write counts as one however its body is sent.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { areShortWritesExpected } from '../../src/model/cooperative-yield.ts';
import { maxShortBodyBytes } from '../../src/model/short-writes.ts';
import { asJson, post, served, taking } from './body-route.ts';
import { chunk, open } from './connection.ts';

describe('a write', () => {
  const limit = 2 * maxShortBodyBytes;
  // In this order: once there was a short one, more are expected for ten seconds.
  const bodies = [
    { what: 'with a long body in chunks', body: ' '.repeat(limit), coding: {}, isShort: false },
    {
      what: 'with a long body, compressed to little',
      body: gzipSync(' '.repeat(limit)),
      coding: { 'Content-Encoding': 'gzip' },
      isShort: false,
    },
    { what: 'with a short body in chunks', body: '[]', coding: {}, isShort: true },
  ];
  for (const { what, body, coding, isShort } of bodies)
    it(`${what} ${isShort ? 'is a short one' : 'is none that long work gives way to'}`, async (t) => {
      const { port } = await served(t, [
        taking(
          { body: { types: ['application/json'], limit, encodings: ['gzip'], schema: {}, example: [] } },
          async (call) => ({
            ...{ status: 200, headers: {}, body: String((await call.body()).length), type: null },
          }),
        ),
      ]);
      const client = await open(t, port);
      await client.send(post({ ...asJson, ...coding, 'Transfer-Encoding': 'chunked' }));
      await client.send(chunk(body));
      await client.send('0\r\n\r\n');
      assert.equal((await client.answer())?.status, 200);
      assert.equal(areShortWritesExpected(), isShort);
    });
});
