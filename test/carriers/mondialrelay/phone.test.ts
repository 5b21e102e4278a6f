// Telephone numbers of Mondial Relay: how people's spellings go out, and every documented form per country and version,
// at its limits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { internationalPhone, isMobile, phoneAdvice } from '../../../src/carriers/mondialrelay/phone.ts';

type Lengths = readonly [least: number, most: number];

/**
 * Prefix → digits after it in version 1 and in version 2; null where no form is documented, and 3 to 20 digits in all
 * go.
 */
const documented: Readonly<Record<string, readonly [Lengths | null, Lengths]>> = {
  33: [
    [9, 9],
    [9, 9],
  ],
  34: [
    [9, 9],
    [9, 9],
  ],
  49: [
    [10, 11],
    [5, 11],
  ],
  352: [
    [6, 10],
    [5, 9],
  ],
  351: [
    [9, 9],
    [5, 9],
  ],
  39: [
    [10, 10],
    [9, 10],
  ],
  43: [null, [4, 13]],
  44: [null, [7, 10]],
  31: [null, [9, 9]],
  353: [null, [9, 9]],
  41: [null, [9, 9]],
  48: [null, [9, 9]],
  // Five digits in the documents of version 1, which is no number of Monaco.
  377: [
    [5, 9],
    [5, 9],
  ],
  594: [null, [9, 9]],
  590: [null, [9, 9]],
  596: [null, [9, 9]],
  262: [null, [9, 9]],
};
const isRight = (phone: string, version: '1' | '2'): boolean => phoneAdvice(phone, version) === null;

describe('a telephone number of Mondial Relay', () => {
  for (const [prefix, lengths] of Object.entries(documented)) {
    for (const [index, version] of (['1', '2'] as const).entries()) {
      it(`after +${prefix} has as many digits as version ${version} documents`, () => {
        const [least, most] = lengths[index] ?? [Math.max(0, 3 - prefix.length), 20 - prefix.length];
        const of = (count: number): string => `+${prefix}${'6'.repeat(count)}`;
        for (let count = least; count <= most; count += 1) assert.ok(isRight(of(count), version), of(count));
        for (const count of [least - 1, most + 1]) if (count >= 0) assert.ok(!isRight(of(count), version), of(count));
      });
    }
  }

  it('has the first digits that are documented', () => {
    for (const version of ['1', '2'] as const) {
      for (const first of '123456789') assert.ok(isRight(`+33${first}12345678`, version));
      assert.ok(!isRight('+33012345678', version));
      // Belgium: eight digits, or 4 and eight digits.
      for (const [rest, right] of [
        ['21234567', true],
        ['471234567', true],
        ['521234567', false],
        ['2123456', false],
        ['4712345678', false],
      ] as const)
        assert.equal(isRight(`+32${rest}`, version), right, rest);
    }
    for (const first of '123456789') {
      assert.equal(isRight(`+34${first}12345678`, '1'), first === '6' || first === '9', first);
      assert.ok(isRight(`+34${first}12345678`, '2'), first);
    }
    for (const prefix of ['34', '594', '590', '596', '262']) assert.ok(!isRight(`+${prefix}012345678`, '2'), prefix);
  });

  it('elsewhere has 3 to 20 digits', () => {
    for (const version of ['1', '2'] as const) {
      for (const [phone, right] of [
        ['+12', false],
        ['+123', true],
        [`+1${'2'.repeat(19)}`, true],
        [`+1${'2'.repeat(20)}`, false],
        ['+12a4', false],
        ['123456', false],
        ['+', false],
      ] as const)
        assert.equal(isRight(phone, version), right, phone);
    }
  });

  it('of a country loses its trunk digit where the country has one', () => {
    const cases: readonly (readonly [country: string, written: string, sent: string])[] = [
      ['FR', '0612345678', '+33612345678'],
      ['fr', '06 12.34-56/78', '+33612345678'],
      ['BE', '0470 12 34 56', '+32470123456'],
      ['DE', '030 1234567', '+49301234567'],
      ['AT', '01 23456', '+43123456'],
      ['GB', '020 7946 0018', '+442079460018'],
      ['UK', '02079460018', '+442079460018'],
      ['NL', '020 1234567', '+31201234567'],
      ['IE', '086 1234567', '+353861234567'],
      ['CH', '079 123 45 67', '+41791234567'],
      ['GF', '0594 123456', '+594594123456'],
      ['MF', '0690123456', '+590690123456'],
      ['GP', '0690123456', '+590690123456'],
      ['MQ', '0696123456', '+596696123456'],
      ['YT', '0639123456', '+262639123456'],
      ['RE', '0692123456', '+262692123456'],
      // These have none: Italy keeps its 0.
      ['IT', '06 1234 5678', '+390612345678'],
      ['ES', '612345678', '+34612345678'],
      ['LU', '27 12 34 56', '+35227123456'],
      ['PT', '211234567', '+351211234567'],
      ['PL', '12 345 67 89', '+48123456789'],
      ['MC', '93 15 15 00', '+37793151500'],
      ['FR', '+33 (0)6 12 34 56 78', '+33612345678'],
      ['FR', '0033612345678', '+33612345678'],
      ['BE', '+33612345678', '+33612345678'],
      // Nothing is known of other countries, and nothing is made of what is no number.
      ['US', '202 555 0100', '2025550100'],
      ['FR', 'call me', 'callme'],
      ['FR', '', ''],
    ];
    for (const [country, written, sent] of cases)
      assert.equal(internationalPhone(written, country), sent, `${country} ${written}`);
  });

  it('is a mobile one where it is surely one', () => {
    for (const [phone, mobile] of [
      ['+33612345678', true],
      ['+33712345678', true],
      ['+33112345678', false],
      ['+32470123456', false],
      ['', false],
    ] as const)
      assert.equal(isMobile(phone), mobile, phone);
  });
});
