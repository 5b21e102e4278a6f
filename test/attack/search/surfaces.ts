// Where an attacker can put text: each place as the request that a text becomes, with texts to begin with.
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { article } from '../../../src/resources/index.ts';
import { activities, shippingContext } from '../prepared.ts';
import type { Asked } from '../wire.ts';
import type { Surface } from './search.ts';

/** One place for text in a request. */
export interface RequestSurface extends Surface {
  /** The request; its token is the attacker's, unless it is asked under their key for feeds. */
  readonly request: (text: string) => Asked;
  readonly isOfFeed?: true;
}

const json = { 'content-type': 'application/json' } as const;
const form = { 'content-type': 'multipart/form-data; boundary=b' } as const;
const urlLength = 7500;
const headerLength = 12_000;

const { id: _id, ...sent } = article.example;
const item = JSON.stringify({
  ...sent,
  alcool: undefined,
  activityCode: activities.attacker,
  barcodes: [{ code: '1', isPrimary: true }],
  logisticalVariants: [{ logisticalVariantCode: 'A' }],
});
const little = JSON.stringify({
  activityCode: activities.attacker,
  articleReference: 'A1',
  longArticleDescription: 'é',
  shortArticleDescription: 'Short',
});
const label = JSON.stringify({
  modeCol: 'CCC',
  modeLiv: 'HOM',
  destAddr1: 'Zoé',
  destAddr2: '6 place',
  destCity: 'Paris',
  destZip: '75004',
  destCountry: 'FR',
  weight: '1200',
  nbPackage: '1',
  outputType: 'ZplCode',
});
const part =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n';

/** Begins of headers; all others have the same. */
const headerSeeds: Readonly<Record<string, Surface['seeds']>> = {
  accept: ['text/html;q=0.5, application/json', '*/*;q=0'],
  'accept-encoding': ['br;q=1.0, gzip;q=0.8, *;q=0.1'],
  'if-none-match': ['W/"a", "b"', '*'],
  'content-type': ['application/json; charset=utf-8', 'a/b; c="\\d"'],
  authorization: ['Bearer a.b.c', 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.AAAA', 'Bearer lck_000000000000_0'],
  cookie: ['__Host-session=a; b=c'],
};

export const surfaces: readonly RequestSurface[] = [
  ...(['movements', 'stock', ''] as const).flatMap((list): readonly RequestSurface[] => [
    inQuery(`filter of ${list || 'articles'}`, `/v1/articles${list === '' ? '' : `/${list}`}`, 'filter', [
      'articleReference==A1',
      '(gradeCode==a*,gradeCode!=b);articleReference=in=(A1,"A 2",\'A3\')',
      'dateLastUpdate=ge=2026-01-01T00:00:00Z and dateLastUpdate<2026-02-01',
      'articleReference=null=false',
    ]),
  ]),
  inQuery('filter of orders', '/v1/orders', 'filter', [
    'orderEntries.articleReference==A1',
    'orderEntries.articleReference=out=(A,B);orderEntries.quantityToPrepare>1',
    'deliveryAddressCity==*',
  ]),
  inQuery('sort of orders', '/v1/orders', 'sort', ['-dateLastUpdate,orderUniqueID', '+orderUniqueID']),
  inQuery('forged cursor of orders', '/v1/orders', 'cursor', ['AAAAAAAAAAAAAAAAAAAAAFsxLCJhIl0', 'eJwLcgEAAFwAPA']),
  besideQuery('query of orders', '/v1/orders', [
    'filter=internalId==1&limit=1',
    'orderUniqueID=A&orderUniqueID=B',
    'a=b&c=d',
  ]),
  {
    name: 'path',
    most: urlLength,
    seeds: ['articles/A1/movements', 'orders/EVL-1/reports', '../metrics', 'shippings/tracking/evil/sandbox/1'],
    request: (text) => ({ path: `/v1/${escaped(text, /[^\w.~!*'();:@&=+$,/%-]/gu)}` }),
  },
  ...(
    [
      'accept',
      'accept-encoding',
      'if-none-match',
      'authorization',
      'traceparent',
      'x-request-id',
      'origin',
      'content-type',
      'idempotency-key',
      'content-encoding',
      'cookie',
      'expect',
    ] as const
  ).map(inHeader),
  {
    name: 'articles',
    most: 2_000_000,
    seeds: [`[${item}]`, `[${little},${little}]`, '[{"barcodes":[{}]}]', '[1]'],
    request: (text) => ({ method: 'POST', path: '/v1/articles?dryRun=true', headers: json, body: text }),
  },
  {
    name: 'articles, written',
    most: 200_000,
    seeds: [`[${little}]`, `[${item}]`],
    request: (text) => ({ method: 'POST', path: '/v1/articles', headers: json, body: text }),
  },
  {
    name: 'articles in zstd',
    most: 10_000_000,
    seeds: [`[${item}]`, `[${little},${little}]`, '[{"barcodes":[{}]}]'],
    request: (text) => compressed(zstdCompressSync(text), 'zstd'),
  },
  {
    name: 'articles in gzip',
    most: 10_000_000,
    seeds: [`[${little}]`, '[{"a":1,"b":2}]'],
    request: (text) => compressed(gzipSync(text), 'gzip'),
  },
  {
    name: 'label',
    most: 64_000,
    seeds: [label, '{}'],
    request: (text) => ({
      method: 'POST',
      path: `/v1/shippings/labels/${shippingContext}/sandbox`,
      headers: json,
      body: text,
    }),
  },
  {
    name: 'document',
    most: 2_000_000,
    seeds: [`${part}%PDF-1.4\n%%EOF\r\n--b--\r\n`, `${part}^XA^FDa^FS^XZ\r\n--b--\r\n`],
    request: (text) => ({ method: 'POST', path: '/v1/orders/EVL-1/docs/label', headers: form, body: text }),
  },
  inForm('token request', '/connect/token', 60_000, [
    'grant_type=refresh_token&refresh_token=a&client_id=b',
    'grant_type=authorization_code&code=a&resource=b',
  ]),
  inForm('revocation request', '/connect/revocation', 60_000, ['token=a&client_id=b', 'token=a.b.c&token_type_hint=c']),
  inForm('sign-in at the account', '/account/sign-in', 8000, [
    'csrf=a&login=b&password=c',
    'csrf=a&code=000000&password=%C3',
  ]),
  {
    name: 'authorization request',
    most: urlLength,
    seeds: ['response_type=code&client_id=a&scope=svc_connect&redirect_uri=b&claims={}', 'ui_locales=a b&login_hint=c'],
    request: (text) => ({ path: `/connect/authorize?${escaped(text, /[^\w.~!*'();:@&=+$,/?%-]/gu)}`, token: null }),
  },
];

export function inQuery(name: string, path: string, parameter: string, seeds: Surface['seeds']): RequestSurface {
  return {
    name,
    most: urlLength,
    seeds,
    request: (text) => {
      const value = encodeURIComponent(text.toWellFormed()).slice(0, urlLength).replace(/%.?$/, '');
      return { path: `${path}${path.includes('?') ? '&' : '?'}${parameter}=${value}` };
    },
  };
}

/** A whole query, or what follows in one that the path has already. */
export function besideQuery(name: string, path: string, seeds: Surface['seeds']): RequestSurface {
  return {
    name,
    most: urlLength,
    seeds,
    request: (text) => ({
      path: `${path}${path.includes('?') ? '&' : '?'}${escaped(text, /[^\w.~!*'();:@&=+$,/?%[\]-]/gu)}`,
    }),
  };
}

/** A body in JSON for the platform interface. */
export function inBody(name: string, path: string, most: number, seeds: Surface['seeds']): RequestSurface {
  return {
    name,
    most,
    seeds,
    request: (text) => ({ method: 'POST', path: `/platform/${path}`, headers: json, body: text }),
  };
}

/** A body in whose middle a text stands: that is where it is grown. */
export function grownIn(text: string, body: object): string {
  const written = JSON.stringify(body);
  const at = written.indexOf(`"${text}"`) + 2;
  const blanks = ' '.repeat(Math.abs(written.length - 2 * at));
  return 2 * at < written.length ? blanks + written : written + blanks;
}

/** The same places, asked under a platform key. */
export function underKey(key: string, places: readonly RequestSurface[]): readonly RequestSurface[] {
  return places.map((each) => ({ ...each, request: (text) => ({ ...each.request(text), token: key }) }));
}

function inForm(name: string, path: string, most: number, seeds: Surface['seeds']): RequestSurface {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { name, most, seeds, request: (text) => ({ method: 'POST', path, token: null, headers, body: text }) };
}

function inHeader(header: string): RequestSurface {
  const own = header === 'authorization' ? { token: null } : {};
  return {
    name: `header ${header}`,
    most: headerLength,
    seeds: headerSeeds[header] ?? ['a', '"a"', '00-01a201b16fb076e5a1e4d6c2b8f0a1b2-b7ad6b7169203331-01'],
    request: (text) => ({
      path: '/v1/articles/movements?limit=1',
      ...own,
      headers: { [header]: text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '') },
    }),
  };
}

function compressed(body: Buffer, coding: string): Asked {
  return { method: 'POST', path: '/v1/articles?dryRun=true', headers: { ...json, 'content-encoding': coding }, body };
}

/** Percent-encodes what no client can send at this place. */
function escaped(text: string, not: RegExp): string {
  return text
    .toWellFormed()
    .replaceAll(not, (character) => encodeURIComponent(character))
    .slice(0, urlLength);
}
