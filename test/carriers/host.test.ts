// The host against real servers: where it calls, how long, how often, what it takes for an answer, and what the log
// says.
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  CarrierError,
  type CarrierExchange,
  type CarrierAnswer,
  type CarrierRequest,
} from '../../src/carriers/carrier.ts';
import { createHost } from '../../src/carriers/host.ts';
import { parseJson } from '../../src/carriers/json.ts';
import type { Span } from '../../src/model/tracing.ts';
import { inWork, workOf } from '../../src/model/work.ts';
import { answering, asking, failed, get, host, serve, serveBytes, type Talk } from './local-servers.ts';

describe('the host of carriers', () => {
  describe('goes nowhere but to the origins of the account', () => {
    const elsewhere: readonly (readonly [what: string, url: (origin: string, other: string) => string])[] = [
      ['another port', (_origin, other) => `${other}/label`],
      ['another name of the same machine', (origin) => origin.replace('127.0.0.1', 'localhost')],
      ['another scheme', (origin) => origin.replace('http:', 'https:')],
      ['a name and password in the address', (origin) => origin.replace('//', '//me:secret@')],
      ['the origin as a user of somewhere else', (origin, other) => `${origin}@${new URL(other).host}/`],
      ['no address at all', () => '/label'],
      ['a file', () => 'file:///etc/passwd'],
      ['a data address', () => 'data:text/plain,label'],
    ];
    for (const [what, url] of elsewhere) {
      it(what, async (t) => {
        const [origin, other] = [await serve(t, answering('ours')), await serve(t, answering('theirs'))];
        const { callCarrier, calls } = host();
        const error = await failed(
          callCarrier(asking(get(url(origin.origin, other.origin), 'never')), [origin.origin]),
        );
        assert.deepEqual([error.kind, error.acted], ['configuration', 'no']);
        assert.deepEqual([origin.requests(), other.requests(), calls.length], [0, 0, 0]);
      });
    }

    it('not even by a redirection, which is neither followed nor asked for again', async (t) => {
      const other = await serve(t, answering('theirs'));
      const origin = await serve(t, (_request, response) =>
        response.writeHead(302, { location: `${other.origin}/label` }).end('moved'),
      );
      for (const repeat of ['safe', 'never'] as const) {
        const { callCarrier, calls } = host();
        const error = await failed(callCarrier(asking(get(origin.origin, repeat)), [origin.origin, other.origin]));
        assert.deepEqual([error.kind, error.acted], ['unavailable', repeat === 'safe' ? 'no' : 'unknown']);
        assert.deepEqual(
          calls.map(({ status, failure }) => [status, failure]),
          [[302, 'redirection']],
        );
      }
      assert.deepEqual([origin.requests(), other.requests()], [2, 0]);
    });

    it('and nowhere for an account that has none', async (t) => {
      const origin = await serve(t, answering('ours'));
      assert.equal((await failed(host().callCarrier(asking(get(origin.origin)), []))).kind, 'configuration');
      assert.equal(origin.requests(), 0);
    });
  });

  it('gives the exchange what came: status, headers by lower-case name, bytes', async (t) => {
    const body = Buffer.from([0, 255, 13, 10, 128]);
    const { origin } = await serve(t, (_request, response) =>
      response.writeHead(418, { 'X-Carrier-Code': '17' }).end(body),
    );
    const [answer] = await host().callCarrier(asking(get(origin)), [origin]);
    assert.equal(answer?.status, 418);
    assert.equal(answer.headers['x-carrier-code'], '17');
    assert.deepEqual(answer.body, body);
  });

  it('sends method, headers and body as the exchange says', async (t) => {
    const seen: unknown[] = [];
    const { origin } = await serve(t, (request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          seen.push([
            request.method,
            request.url,
            request.headers.soapaction,
            request.headers['content-type'],
            Buffer.concat(chunks).toString(),
          ]);
          response.end();
        });
    });
    const request: CarrierRequest = {
      method: 'POST',
      url: `${origin}/a%20b?c=d`,
      headers: { SOAPAction: '"make"', 'Content-Type': 'text/xml' },
      body: '<é/>',
      repeat: 'never',
    };
    await host().callCarrier(asking(request), [origin]);
    assert.deepEqual(seen, [['POST', '/a%20b?c=d', '"make"', 'text/xml', '<é/>']]);
  });

  it('carries exchanges that ask nobody, or that are asynchronous, and passes on what they throw', async (t) => {
    const { origin } = await serve(t, answering('x'));
    const { callCarrier } = host();
    assert.deepEqual(await callCarrier(asking(), []), []);
    assert.equal(
      await callCarrier(
        (async function* (): AsyncGenerator<CarrierRequest, number, CarrierAnswer> {
          return (yield get(origin)).status;
        })(),
        [origin],
      ),
      200,
    );
    for (const error of [new CarrierError('refused', 'No.', { carrierCode: '7' }), new TypeError('a bug')]) {
      await assert.rejects(
        callCarrier(
          (function* (): Talk<string> {
            yield get(origin, 'never');
            throw error;
          })(),
          [origin],
        ),
        (thrown) => thrown === error,
      );
    }
  });

  describe('repeats', () => {
    for (const status of [502, 503, 504]) {
      it(`a safe request that was answered ${status}, up to three times`, async (t) => {
        let left = 2;
        const server = await serve(t, (_request, response) =>
          response.writeHead(left-- > 0 ? status : 200).end('done'),
        );
        const { callCarrier, calls } = host();
        const [answer] = await callCarrier(asking(get(server.origin)), [server.origin]);
        assert.equal(answer?.status, 200);
        assert.deepEqual(
          calls.map((call) => [call.attempt, call.status]),
          [
            [1, status],
            [2, status],
            [3, 200],
          ],
        );
      });

      it(`no longer after that: the third answer ${status} is the carrier's to read`, async (t) => {
        const server = await serve(t, (_request, response) => response.writeHead(status).end('away'));
        const [answer] = await host().callCarrier(asking(get(server.origin)), [server.origin]);
        assert.deepEqual([answer?.status, answer?.body.toString(), server.requests()], [status, 'away', 3]);
      });

      it(`never what could make a second parcel, also after ${status}`, async (t) => {
        const server = await serve(t, (_request, response) => response.writeHead(status).end());
        const [answer] = await host().callCarrier(asking(get(server.origin, 'never')), [server.origin]);
        assert.deepEqual([answer?.status, server.requests()], [status, 1]);
      });
    }

    for (const status of [200, 400, 401, 404, 408, 409, 429, 500, 501]) {
      it(`nothing that was answered ${status}`, async (t) => {
        const server = await serve(t, (_request, response) => response.writeHead(status).end());
        await host().callCarrier(asking(get(server.origin)), [server.origin]);
        assert.equal(server.requests(), 1);
      });
    }

    it('a safe request whose connection broke, and goes on where it comes through', async (t) => {
      let left = 2;
      const server = await serve(t, (request, response) =>
        left-- > 0 ? request.socket.destroy() : response.end('at last'),
      );
      const [answer] = await host().callCarrier(asking(get(server.origin)), [server.origin]);
      assert.deepEqual([answer?.body.toString(), server.requests()], ['at last', 3]);
    });

    it('nothing once the time of the exchange is over', async (t) => {
      let clock = 5000;
      t.mock.method(performance, 'now', () => clock);
      const server = await serve(t, (_request, response) => {
        clock += 59_900;
        response.writeHead(503).end();
      });
      const { callCarrier } = host({ exchangeTimeoutMs: 60_000 });
      const [answer] = await callCarrier(asking(get(server.origin)), [server.origin]);
      assert.deepEqual([answer?.status, server.requests()], [503, 1]);
    });
  });

  describe('ends what takes too long', () => {
    const silent: readonly (readonly [what: string, listener: RequestListener])[] = [
      ['without an answer', () => undefined],
      [
        'with half an answer',
        (_request, response) => {
          response.writeHead(200, { 'content-length': '10' }).write('half');
        },
      ],
      [
        'with an answer that never ends',
        (_request, response) => {
          const timer = setInterval(() => response.write('.'), 20);
          response.on('close', () => clearInterval(timer));
        },
      ],
    ];
    for (const [what, listener] of silent) {
      it(`${what}: what could have made a parcel is asked once, and nobody knows`, async (t) => {
        const server = await serve(t, listener);
        const { callCarrier, calls } = host({ callTimeoutMs: 200 });
        const error = await failed(callCarrier(asking(get(server.origin, 'never')), [server.origin]));
        assert.deepEqual([error.kind, error.acted], ['timeout', 'unknown']);
        assert.deepEqual(
          calls.map(({ status, failure }) => [status, failure]),
          [[null, 'timeout']],
        );
      });

      it(`${what}: anything else three times, and nothing was made`, async (t) => {
        const server = await serve(t, listener);
        const { callCarrier, calls } = host({ callTimeoutMs: 200 });
        const error = await failed(callCarrier(asking(get(server.origin)), [server.origin]));
        // What was asked: where the machine stands still, a call may end before it comes to the server.
        assert.deepEqual([error.kind, error.acted, calls.length], ['timeout', 'no', 3]);
      });
    }

    it('as a whole, whatever is left of the calls', async (t) => {
      const server = await serve(t, () => undefined);
      const { callCarrier, calls } = host({ callTimeoutMs: 60_000, exchangeTimeoutMs: 250 });
      const error = await failed(callCarrier(asking(get(server.origin), get(server.origin, 'never')), [server.origin]));
      assert.deepEqual([error.kind, error.acted, calls.length], ['timeout', 'no', 1]);
    });

    it('before the parcel is asked for, where what came before took all the time: then there is none', async (t) => {
      let clock = 5000;
      t.mock.method(performance, 'now', () => clock);
      const server = await serve(t, (_request, response) => {
        response.end('token');
      });
      const { callCarrier } = host({ exchangeTimeoutMs: 60_000 });
      const error = await failed(
        callCarrier(
          (async function* (): CarrierExchange<string> {
            yield get(server.origin);
            clock += 60_000;
            yield get(`${server.origin}/parcel`, 'never');
            return 'made';
          })(),
          [server.origin],
        ),
      );
      assert.deepEqual([error.kind, error.acted, server.requests()], ['timeout', 'no', 1]);
    });
  });

  describe('takes an answer', () => {
    it('of the allowed size, and none that has one byte more', async (t) => {
      const server = await serve(t, (request, response) =>
        response.end(Buffer.alloc(request.url === '/fits' ? 1000 : 1001)),
      );
      const { callCarrier, calls } = host({ maxAnswerBytes: 1000 });
      const [answer] = await callCarrier(asking(get(`${server.origin}/fits`)), [server.origin]);
      assert.equal(answer?.body.length, 1000);
      for (const repeat of ['safe', 'never'] as const) {
        const error = await failed(callCarrier(asking(get(server.origin, repeat)), [server.origin]));
        assert.deepEqual([error.kind, error.acted], ['unavailable', repeat === 'safe' ? 'no' : 'unknown']);
      }
      assert.equal(server.requests(), 3, 'what is too large once is not asked for again');
      assert.deepEqual(
        calls.map(({ failure }) => failure),
        [null, 'too large', 'too large'],
      );
    });

    it('by its size after decompression, and stops reading an endless one', async (t) => {
      const packed = gzipSync(Buffer.alloc(5_000_000));
      const bomb = await serve(t, (_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
      );
      const endless = await serve(t, (_request, response) => {
        const pour = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', pour);
        pour();
      });
      for (const { origin } of [bomb, endless]) {
        assert.match(
          (await failed(host({ maxAnswerBytes: 100_000 }).callCarrier(asking(get(origin)), [origin]))).message,
          /too large/,
        );
      }
    });

    it('where there is room beside the large ones of others, until their exchanges end', async (t) => {
      const server = await serve(t, (request, response) =>
        response.end(Buffer.alloc(request.url === '/large' ? 3_000_000 : 200_000)),
      );
      const { callCarrier, calls } = host({ maxLargeAnswerBytes: 3_000_000 });
      const [large, small] = [get(`${server.origin}/large`), get(`${server.origin}/small`)];
      const fits = (): Promise<number | undefined> =>
        callCarrier(asking(large), [server.origin]).then(([answer]) => answer?.body.length);
      const holding = (async function* (): CarrierExchange<void> {
        yield large;
        const refused = await failed(callCarrier(asking(large), [server.origin]));
        assert.deepEqual([refused.kind, refused.acted], ['unavailable', 'no']);
        assert.match(refused.message, /too many large answers/);
        const [other] = await callCarrier(asking(small), [server.origin]);
        assert.equal(other?.body.length, 200_000);
      })();
      await callCarrier(holding, [server.origin]);
      assert.equal(await fits(), 3_000_000);
      assert.equal(await fits(), 3_000_000, 'what is refused, and what is over, takes no room');
      assert.deepEqual(
        calls.map(({ failure }) => failure),
        [null, 'no room', null, null, null],
      );
    });

    const label = Buffer.from('{"label":"é"}');
    const withHead = (head: string, body: Buffer): Buffer =>
      Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`), body]);
    const inFull = withHead(`Content-Length: ${label.length}`, label);
    const whole: readonly (readonly [what: string, bytes: Buffer])[] = [
      ['compressed by gzip', withHead('Content-Encoding: gzip', gzipSync(label))],
      [
        'compressed by gzip, without its checksum',
        withHead('Content-Encoding: x-gzip', gzipSync(label).subarray(0, -8)),
      ],
      ['compressed by deflate', withHead('Content-Encoding: deflate', deflateSync(label))],
      ['compressed by deflate without its frame', withHead('Content-Encoding: deflate', deflateRawSync(label))],
      ['compressed by brotli', withHead('Content-Encoding: br', brotliCompressSync(label))],
      ['compressed by zstd', withHead('Content-Encoding: zstd', zstdCompressSync(label))],
      ['with an encoding that is none', withHead('Content-Encoding: utf-8', label)],
      ['that has no length and ends with the connection', withHead('Connection: close', label)],
      ['after hints', Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'), inFull])],
      ['after a word of patience', Buffer.concat([Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'), inFull])],
      [
        'in chunks of a byte, with a trailer',
        withHead(
          'Transfer-Encoding: chunked',
          Buffer.concat([
            ...[...label].map((byte) => Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte, 13, 10])])),
            Buffer.from('0\r\nX-Sum: 1\r\n\r\n'),
          ]),
        ),
      ],
    ];
    for (const [what, bytes] of whole) {
      it(what, async (t) => {
        const server = await serveBytes(t, bytes);
        const [answer] = await host().callCarrier(asking(get(server.origin, 'never')), [server.origin]);
        assert.deepEqual(answer?.body, label);
      });
    }

    it('no further than the length that it names, in which no half label passes for one', async (t) => {
      const server = await serveBytes(t, withHead('Content-Length: 9', label));
      const [answer] = await host().callCarrier(asking(get(server.origin, 'never')), [server.origin]);
      assert.equal(answer && parseJson(answer.body), undefined);
    });

    const broken: readonly (readonly [what: string, bytes: string])[] = [
      ['that is no HTTP', 'HELO carrier\r\n\r\n'],
      ['that is nothing', ''],
      ['that is only headers, half of them', 'HTTP/1.1 200 OK\r\nContent-Le'],
      ['that ends half way', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it'],
      ['whose last chunk never comes', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nlabel\r\n'],
      ['whose chunks are garbage', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nlabel\r\n'],
      [
        'that is not as compressed as it says',
        'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nlabel',
      ],
    ];
    for (const [what, bytes] of broken) {
      it(`${what} for none: asked once, and nobody knows whether there is a parcel`, async (t) => {
        const server = await serveBytes(t, bytes);
        const error = await failed(
          host().callCarrier(asking({ ...get(server.origin, 'never'), method: 'POST', body: '{}' }), [server.origin]),
        );
        assert.deepEqual([error.kind, error.acted, server.requests()], ['unavailable', 'unknown', 1]);
      });
    }
  });

  it('keeps connections and uses them again, also after refusals and for other exchanges', async (t) => {
    const server = await serve(t, (request, response) =>
      response.writeHead(request.url === '/no' ? 503 : 200).end('x'.repeat(10_000)),
    );
    const { callCarrier } = host();
    for (let round = 0; round < 3; round += 1)
      await callCarrier(asking(get(server.origin), get(`${server.origin}/no`), get(server.origin, 'never')), [
        server.origin,
      ]);
    assert.equal(server.requests(), 15);
    // A request that follows at once may find the first connection still busy with the end of an answer.
    assert.ok(server.connections() <= 2, `${server.connections()} connections`);
  });

  it('does not ask again what may make a parcel where a kept connection ends under it', async (t) => {
    let served = 0;
    const server = await serve(t, (request, response) => {
      served += 1;
      if (served === 1) response.end('token');
      else request.resume().on('end', () => request.socket.destroy());
    });
    const make: CarrierRequest = {
      method: 'POST',
      url: server.origin,
      headers: {},
      body: '{"make":1}',
      repeat: 'never',
    };
    const { callCarrier } = host();
    await callCarrier(asking(get(server.origin)), [server.origin]);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    const error = await failed(callCarrier(asking(make), [server.origin]));
    assert.deepEqual([error.acted, server.requests(), server.connections()], ['unknown', 2, 1]);
  });

  it('logs each call: host, method, status, attempt, failure; no path, query, header or body', async (t) => {
    const server = await serve(t, (_request, response) =>
      response.writeHead(503, { 'x-answer': 'hush-header' }).end('hush-answer'),
    );
    const { callCarrier, calls } = host();
    await callCarrier(
      asking({
        method: 'POST',
        url: `${server.origin}/hush-path?key=hush-query`,
        headers: { authorization: 'hush-credentials' },
        body: 'hush-body',
        repeat: 'safe',
      }),
      [server.origin],
    );
    const { host: name } = new URL(server.origin);
    assert.deepEqual(
      calls.map(({ milliseconds, ...call }) => [Number.isInteger(milliseconds), call]),
      [1, 2, 3].map((attempt) => [true, { host: name, method: 'POST', status: 503, attempt, failure: null }]),
    );
    assert.ok(!JSON.stringify(calls).includes('hush'));
  });
});

describe('the trace of a call', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  /** Calls as part of a traced piece of work; gives the headers that came, and what the span was told. */
  async function traced(t: TestContext, known: boolean): Promise<readonly unknown[]> {
    const seen: unknown[] = [];
    const { origin } = await serve(t, (request, response) => {
      seen.push(request.headers.traceparent);
      response.writeHead(503).end('secret');
    });
    const part: Span = {
      traceparent,
      ...{ traceId: '', isSampled: true, child: () => part, rename: () => undefined },
      end: (attributes, failure) => seen.push(attributes, failure),
    };
    const span: Span = {
      ...part,
      child: (name, kind, attributes) => {
        seen.push(name, kind, attributes);
        return part;
      },
    };
    const hosts = known ? [new URL(origin).host] : ['127.0.0.1', 'elsewhere.example'];
    const callCarrier = createHost({ onCall: () => undefined, traceparentHosts: new Set(hosts) });
    await inWork(
      workOf(() => ({}), { span }),
      () => callCarrier(asking(get(`${origin}/labels/Moreau?key=secret`, 'never')), [origin]),
    );
    const { port } = new URL(origin);
    assert.ok(!JSON.stringify(seen).includes('Moreau') && !JSON.stringify(seen).includes('secret'));
    const attributes = { 'http.request.method': 'GET', 'server.address': '127.0.0.1', 'server.port': Number(port) };
    assert.deepEqual(seen.slice(0, 3), ['GET', 'client', attributes]);
    assert.deepEqual(seen.slice(4), [{ 'http.response.status_code': 503 }, '503']);
    return seen.slice(3, 4);
  }

  it('is told to hosts that the operator named', async (t) => {
    assert.deepEqual(await traced(t, true), [traceparent]);
  });

  it('is told to nobody else', async (t) => {
    assert.deepEqual(await traced(t, false), [undefined]);
  });
});
