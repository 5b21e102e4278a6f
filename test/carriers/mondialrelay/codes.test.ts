// The tables of status codes: complete, in sentences, and the same in the documentation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { CarrierErrorKind } from '../../../src/carriers/carrier.ts';
import { type CodeAnswer, restAnswer, restCodes, soapAnswer, soapCodes } from '../../../src/carriers/mondialrelay/codes.ts';
import { mondialrelay } from '../../../src/carriers/mondialrelay/mondialrelay.ts';

const page = readFileSync(new URL('../../../docs/carriers/mondialrelay.md', import.meta.url), 'utf8');
const statuses: Readonly<Record<CarrierErrorKind, number>> = { invalid: 400, refused: 422, unknown: 404, configuration: 502, unavailable: 502, timeout: 504 };
const rowOf = ({ kind, fields, detail }: CodeAnswer): string => `${kind} (${statuses[kind]}) | ${fields.join(', ')} | ${detail} |`;

describe('the codes of mondialrelay', () => {
  it('are all those that are documented', () => {
    const soap = [1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 33, 34, 35, 36, 37, 38, 39, 40, 42, 43, 44, 45, 46, 47, 48, 49, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 74, 78, 79, 92, 93, 94, 95, 96, 97, 98, 99];
    for (const code of soap) assert.ok(Object.hasOwn(soapCodes, code), String(code));
    const missing = [10064, 10082, 10083, 10084, 10086, 10087, 10088, 10089];
    const rest = Array.from({ length: 91 }, (_, index) => 10000 + index).filter((code) => !missing.includes(code));
    assert.deepEqual(Object.keys(restCodes).map(Number).toSorted((left, right) => left - right), [-1, ...rest, 99998, 99999]);
  });

  it('each say in a sentence what is to be done', () => {
    for (const { kind, detail, fields } of [...Object.values(soapCodes), ...Object.values(restCodes)]) {
      assert.match(detail, /^[A-Z].*\.$/);
      assert.ok(kind !== 'invalid' || fields.length > 0, detail);
      assert.equal(new Set(fields).size, fields.length, detail);
    }
  });

  it('let the operator act where the account is at fault', () => {
    for (const code of ['1', '2', '3', '8', '46', '69', '92', '95', '96', '97']) assert.equal(soapAnswer(code).kind, 'configuration', code);
    for (const code of ['10000', '10001', '10002', '10003', '10004', '10005', '10006', '10007', '10066', '10067']) assert.equal(restAnswer(code).kind, 'configuration', code);
  });

  it('are the refusal of the carrier where nobody knows them', () => {
    for (const code of ['4', '', 'toString', '<b>', '999999999999']) {
      assert.equal(soapAnswer(code).kind, 'refused');
      assert.equal(restAnswer(code).kind, 'refused');
      assert.doesNotMatch(soapAnswer(code).detail, /</);
    }
  });

  it('are on the page of the carrier', () => {
    for (const [code, answer] of Object.entries(soapCodes)) assert.ok(page.includes(`\n| ${code} | ${rowOf(answer)}\n`), `| ${code} | ${rowOf(answer)}`);
    for (const [code, answer] of Object.entries(restCodes)) assert.ok(page.includes(`\n| ${code} | ${answer.level} | ${rowOf(answer)}\n`), `| ${code} | ${answer.level} | ${rowOf(answer)}`);
  });

  it('stand beside every setting on that page', () => {
    for (const { name } of mondialrelay.settings) assert.ok(page.includes(`\n| \`${name}\` |`), name);
  });
});
