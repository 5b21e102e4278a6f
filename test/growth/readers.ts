// Everything that reads what a stranger wrote, each with the pieces of text that its grammar is made of and how long
// the text may be.
import { readAccept, readAcceptEncoding } from './negotiated.ts';
import { bearerToken } from '../../src/auth/bearer.ts';
import { passwordFault, passwordMatches } from '../../src/auth/passwords.ts';
import { createCsrf } from '../../src/auth/csrf.ts';
import { languageOf } from '../../src/auth/pages/language.ts';
import { parsePlatformKey } from '../../src/auth/platform-keys.ts';
import { jsonFault, repeatedProperties } from '../../src/model/json-fault.ts';
import { readKey } from '../../src/http/idempotency-key.ts';
import { readArrayBody } from '../../src/api/json-body.ts';
import { readLabelRequest } from '../../src/shipping/label-request.ts';
import { parseJson } from '../../src/carriers/json.ts';
import { parseXml } from '../../src/carriers/xml/read.ts';
import { recognizeDocument } from '../../src/documents/kinds.ts';
import type { DocumentContent } from '../../src/documents/storage.ts';
import { truncatedTiff } from '../../src/documents/tiff.ts';
import { truncatedJpeg, truncatedPdf, truncatedPng } from '../../src/documents/truncation.ts';
import { splitArray } from '../../src/feeds/split-array.ts';
import { splitLines } from '../../src/feeds/split-lines.ts';
import { checkAnnouncedBody } from '../../src/http/body-rules.ts';
import { splitTarget } from '../../src/http/call.ts';
import { matches } from '../../src/http/conditional.ts';
import { fileNameOf } from '../../src/http/file-name.ts';
import { parameterized } from '../../src/http/header-parameters.ts';
import { partHeaders } from '../../src/http/part-headers.ts';
import { queryPairs } from '../../src/http/query.ts';
import { requestIdOf, traceIdOf } from '../../src/http/request-id.ts';
import { invalidCursor, readCursor } from '../../src/model/cursor.ts';
import { filterFields, parseFilter } from '../../src/model/filter.ts';
import { readMoment } from '../../src/model/filter-values.ts';
import { parseInstant } from '../../src/model/instant.ts';
import { readListQuery } from '../../src/model/list-parameters.ts';
import { createChecker } from '../../src/model/check.ts';
import { parseSort, sortFields } from '../../src/model/sort.ts';
import { closestName } from '../../src/model/closest-name.ts';
import { submissionReader } from '../../src/model/submission.ts';
import { jsonObject } from '../../src/platform/json-object.ts';
import { article, order } from '../../src/resources/index.ts';

/** Something that reads text of others. */
export interface Reader {
  readonly name: string;
  /** Longest text that reaches it, in bytes; of bodies, as much as is worth trying. */
  readonly longest: number;
  /** Pieces that texts are made of. */
  readonly pieces: readonly string[];
  /** Beginnings and ends between which a piece over and over may be valid; none where every text is as good. */
  readonly frames?: readonly (readonly [before: string, after: string])[];
  /** Reads; what it throws does not matter. */
  readonly read: (text: string) => unknown;
}

const url = 8192;
const headers = 16_384;
const body = 262_144;

const jsonPieces = [
  '{}',
  '[]',
  '{},',
  '[],',
  '1,',
  '"a",',
  '"a":1,"b":2,',
  '"a":[],',
  '\\n',
  '\\ud800',
  '\\"',
  'é',
  'null,',
  '"barcodes":[],',
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\\',
  '\\u0001',
  '"a":1,',
  '"a":',
  '1',
  '-',
  '.5',
  'e9',
  ' ',
  '\n',
  '{"a":',
  '[{}],',
  '"\u0301\u0316",',
  '\u0301\u0316',
  '😀',
  '"x":{',
  '0',
  'tru',
  '"a":"2026-01-31T08:00:00.1",',
];
const jsonFrames = [
  ['[', '1]'],
  ['{', '"z":1}'],
  ['["', '"]'],
  ['[{"a":"', '"}]'],
  ['[[', '1]]'],
  ['[{', '"z":1}]'],
  ['{"a":{', '"z":1}}'],
  ['{"barcodes":[', '1]}'],
  ['[{"barcodes":[', '{}]}]'],
  ['', '1'],
  ['[', ']'],
  ['[0.', ']'],
  ['[1e', ']'],
  ['[{"', '":1}]'],
  ['{"', '":1}'],
  ['{"destAddr1":"', '"}'],
] as const;
const markupFrames = [
  ['<a>', '</a>'],
  ['<a ', '/>'],
  ['<a b="', '"/>'],
  ['<a><![CDATA[', ']]></a>'],
  ['<!--', '--><a/>'],
  ['<?a ', '?><a/>'],
  ['<a', '/>'],
  ['<a/>', ''],
  ['', '<a/>'],
  ['<a xmlns:a="b">', '</a>'],
] as const;
const headerPieces = [
  'a',
  ';',
  ',',
  '"',
  '=',
  ' ',
  '\t',
  '\\',
  'q',
  '; q=0',
  'a/b',
  '*/*',
  '/',
  ';a=',
  '"a"',
  'W/"',
  ';;',
  ' ,',
  'application/json',
  'form-data',
  'name=',
  '%',
  "UTF-8''",
];
const filterPieces = [
  'a',
  'orderUniqueID',
  '==',
  '=in=',
  '(',
  ')',
  ',',
  ';',
  ' ',
  '"',
  "'",
  '\\',
  '*',
  '1T',
  ' and ',
  ' or ',
  '=',
  '1',
  ':',
  '\u0301',
  '😀',
  '2026-01-31T',
];
const markup = [
  '<a xmlns:b="c"/>',
  '<a b="1"/>',
  '<a>b</a>',
  '<!---->',
  '<![CDATA[a]]>',
  '<?a?>',
  ' b1="c"',
  '&lt;',
  '&#60;',
  '<b:a/>',
  '<',
  '>',
  '/',
  '<a',
  '<a>',
  '</a>',
  '<a/>',
  '<!',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '?>',
  '&',
  '&#1',
  ';',
  '&amp;',
  'a',
  ' ',
  '"',
  "'",
  '=',
  ' a="',
  ' a="1"',
  ' xmlns:a="b"',
  'a:',
  '\n',
  '\r',
  '\u00a0',
];
const binary = [
  '\0',
  '\xff',
  '\xff\xd8',
  '\xff\xda',
  '\xff\xc0',
  '\xff\x00',
  '\xff\xe0\0\x02',
  '\0\0\0\0IDAT1234',
  '\0\0\0\x01',
  'II*\0',
  'MM\0*',
  '\x08\0\0\0',
  '\x01\0\x4a\x01\x04\0\x01\0\0\0\x08\0\0\0',
  '%PDF-',
  '<<',
  '/Linearized',
  '>>',
  'startxref 1 ',
  '%%EOF',
  ' ',
  '\n',
  '1',
  'xref',
  '/L 1 ',
  'obj',
  '^XA',
  '^XZ',
];

const contentOf = (text: string): DocumentContent => {
  const bytes = Buffer.from(text, 'latin1');
  return { size: bytes.length, read: async (position, length) => bytes.subarray(position, position + length) };
};
const activities = new Map([['AUR', 'Aurora']]);
const key = { secret: 'a secret of this database', history: '01890000-0000-7000-8000-000000000001' };
const csrf = createCsrf(['a secret of this database']);
const challenges = { missing: invalidCursor, invalid: invalidCursor, malformed: invalidCursor };
const jsonOf = (text: string): unknown => JSON.parse(text);
const rule = {
  types: ['application/json', 'application/*+json'],
  limit: 10_485_760,
  encodings: [],
  schema: {},
  example: {},
} as const;

/** Articles made of a text in every place where a client can write one. */
function submit(text: string): void {
  const read = submissionReader(article, activities, 3);
  const values = [
    text,
    text.slice(0, 300),
    { [text.slice(0, 200)]: 1 },
    [text],
    Object.fromEntries(text.match(/[\s\S]{1,9}/g)?.map((name) => [name, name]) ?? []),
  ];
  for (const [index, value] of values.entries()) {
    read(
      {
        activityCode: 'AUR',
        articleReference: value,
        longArticleDescription: value,
        customField1: value,
        customField3: value,
        barcodes: [{ code: value, ...(typeof value === 'object' ? value : {}) }],
        ...(typeof value === 'object' ? value : {}),
      },
      index,
    );
  }
}

export const readers: readonly Reader[] = [
  {
    name: 'query',
    longest: url,
    pieces: [...filterPieces, '%', '%41', '&', '+', 'limit=', 'a=1&', 'filter='],
    read: queryPairs,
  },
  {
    name: 'list query',
    longest: url,
    pieces: ['a', '&', '=', 'limit=1&', 'orderUniqueID=', 'x1=&', '%41', 'updatedSince=', '1T', '+'],
    read: (text) =>
      readListQuery(
        order,
        queryPairs(text).map(([name, value], index) => [name === 'x1' ? `x${index}` : name, value]),
        0,
      ),
  },
  { name: 'filter', longest: url, pieces: filterPieces, read: (text) => parseFilter(text, filterFields(order)) },
  {
    name: 'sort',
    longest: url,
    pieces: [...filterPieces, '-', '+'],
    read: (text) => parseSort(text, sortFields(order)),
  },
  {
    name: 'cursor',
    longest: url,
    pieces: ['A', '-', '_', 'z', '='],
    read: (text) => readCursor(text, 'listOrders', key),
  },
  { name: 'target', longest: url, pieces: ['/', 'http://', '#', '?', '%', 'a'], read: splitTarget },
  {
    name: 'moment',
    longest: url,
    pieces: ['2026-01-31', 'T', '1T', '08:00:00', ':', '.', '1', ' ', '+', 'Z', ','],
    read: readMoment,
  },
  {
    name: 'instant',
    longest: body,
    pieces: ['2026-01-31', 'T', '1T', '08:00:00', ':', '.', '1', ' ', '+', 'Z', ','],
    read: parseInstant,
  },
  {
    name: 'near name',
    longest: url,
    pieces: ['a', 'orderUnique', 'I', '.'],
    read: (text) => closestName(text, filterFields(order).keys()),
  },
  { name: 'Accept', longest: headers, pieces: headerPieces, read: readAccept },
  { name: 'Accept-Encoding', longest: headers, pieces: [...headerPieces, 'gzip', 'br'], read: readAcceptEncoding },
  { name: 'Accept-Language', longest: headers, pieces: [...headerPieces, 'en', '-'], read: languageOf },
  { name: 'If-None-Match', longest: headers, pieces: headerPieces, read: (text) => matches(text, 'W/"abc"') },
  { name: 'header with parameters', longest: headers, pieces: headerPieces, read: parameterized },
  {
    name: 'Content-Type',
    longest: headers,
    pieces: headerPieces,
    read: (text) => checkAnnouncedBody(rule, { 'content-type': text, 'content-length': '5' }),
  },
  {
    name: 'headers of a part',
    longest: 8192,
    pieces: [...headerPieces, '\r\n', 'Content-Disposition: form-data; name="file"; filename="', 'Content-Type:'],
    read: partHeaders,
  },
  {
    name: 'file name',
    longest: 8192,
    pieces: [...headerPieces, '/', '.', '\xcc\x81\xcc\x96', '\xcc\x81', 'e', '%CC%81', "UTF-8''"],
    read: (text) => [fileNameOf(new Map([['filename', text]])), fileNameOf(new Map([['filename*', text]]))],
  },
  { name: 'Idempotency-Key', longest: headers, pieces: headerPieces, read: readKey },
  {
    name: 'Authorization',
    longest: headers,
    pieces: ['Bearer ', 'a', '.', '=', ',', ' ', ', bearer ', '-'],
    read: (text) => bearerToken(text, challenges),
  },
  { name: 'platform key', longest: headers, pieces: ['lcp_', 'a', '_'], read: parsePlatformKey },
  {
    name: 'trace',
    longest: headers,
    pieces: ['00-', 'a', '-'],
    read: (text) => [traceIdOf(text, 'a'), requestIdOf(text)],
  },
  {
    name: 'password',
    longest: 8192,
    pieces: ['a', '\u0301\u0316', '1', ' ', 'password', 'someone', '\ufdfa', '\uff9e', '-'],
    read: (text) => [passwordFault(text, 'someone'), text.length > 4096 ? passwordMatches(text, null) : null],
  },
  { name: 'form token', longest: 8192, pieces: ['a', '.', '-'], read: (text) => csrf.matches(text, 'b') },
  { name: 'JSON fault', longest: body, pieces: jsonPieces, frames: jsonFrames, read: jsonFault },
  {
    name: 'repeated properties',
    longest: body,
    pieces: jsonPieces,
    frames: jsonFrames,
    read: (text) => [JSON.parse(text), repeatedProperties(text, 1)],
  },
  {
    name: 'JSON array',
    longest: body,
    pieces: jsonPieces,
    frames: jsonFrames,
    read: async (text) => {
      const array = await readArrayBody(Buffer.from(text), { noun: 'articles', max: 500 }, () => undefined);
      for (let index = 0; index < array.length; index++) await array.read(index);
    },
  },
  {
    name: 'articles',
    longest: body,
    pieces: ['a', '\u0301\u0316', ' ', '\n', '\u00a0', '😀', '1', 'barcodes', '\u0001', 'é'],
    read: submit,
  },
  {
    name: 'JSON of articles',
    longest: body,
    pieces: jsonPieces,
    frames: jsonFrames,
    read: (text) => submissionReader(article, activities, 1)(jsonOf(text), 0),
  },
  {
    name: 'imported record',
    longest: body,
    pieces: jsonPieces,
    frames: jsonFrames,
    read: (text) => createChecker(order)(jsonOf(text), { activity: 'AUR', activityName: 'Aurora' }),
  },
  {
    name: 'label request',
    longest: 65_536,
    pieces: [...jsonPieces, '"destAddr1":"', '"weight":1,'],
    read: (text) => readLabelRequest(Buffer.from(text), {}),
  },
  {
    name: 'acknowledgement',
    longest: 65_536,
    pieces: [...jsonPieces, '"consumer":"'],
    read: (text) => jsonObject(Buffer.from(text), { consumer: 'required' }),
  },
  {
    name: 'imported array',
    longest: body,
    pieces: jsonPieces,
    frames: jsonFrames,
    read: (text) => {
      const splitter = splitArray(1, 16_777_216);
      return [splitter.push(Buffer.from(`[${text}`)), splitter.end()];
    },
  },
  {
    name: 'imported lines',
    longest: body,
    pieces: jsonPieces,
    frames: jsonFrames,
    read: (text) => {
      const splitter = splitLines(1, 16_777_216);
      return [splitter.push(Buffer.from(text)), splitter.end()];
    },
  },
  {
    name: 'JSON of a carrier',
    longest: body,
    pieces: [...jsonPieces, '12345678901234567890,', '1234567890123456'],
    frames: jsonFrames,
    read: (text) => parseJson(Buffer.from(text)),
  },
  {
    name: 'XML of a carrier',
    longest: body,
    pieces: markup,
    frames: markupFrames,
    read: (text) => parseXml(Buffer.from(text)),
  },
  {
    name: 'beginning of a PDF',
    longest: 1024,
    pieces: binary,
    read: (text) => truncatedPdf(contentOf(`${text}${' '.repeat(2000)}startxref\n0\n%%EOF`)),
  },
  { name: 'PDF', longest: body, pieces: binary, read: (text) => truncatedPdf(contentOf(text)) },
  {
    name: 'PNG',
    longest: body,
    pieces: binary,
    read: (text) => truncatedPng(contentOf(`\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR1234567890123${text}`)),
  },
  {
    name: 'JPEG',
    longest: body,
    pieces: binary,
    read: (text) => truncatedJpeg(contentOf(`\xff\xd8\xff\xc0\0\x02${text}`)),
  },
  { name: 'TIFF', longest: body, pieces: binary, read: (text) => truncatedTiff(contentOf(`II*\0\x08\0\0\0${text}`)) },
  {
    name: 'document',
    longest: body,
    pieces: binary,
    read: (text) => recognizeDocument(contentOf(text), { slug: 'label', mediaType: text.slice(0, 8192) }),
  },
];
