// The page of each carrier names what there is: every setting, mode, output, format and sample parcel.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { dhlModes } from '../../src/carriers/dhl/rules.ts';
import { glsModes } from '../../src/carriers/gls/rules.ts';
import { carrierNames, loadCarrier } from '../../src/carriers/index.ts';
import { upsServices } from '../../src/carriers/ups/rules.ts';

/** Modes that the page of a carrier must name. */
const modesOf: Readonly<Record<string, readonly string[]>> = {
  colissimo: ['DOM', 'DOS', 'HD', 'CORE'],
  gls: Object.keys(glsModes),
  dhl: Object.keys(dhlModes),
};

for (const carrier of (await Promise.all(carrierNames.map(loadCarrier))).filter((each) => each !== null)) {
  describe(`the page of ${carrier.title}`, () => {
    const page = readFileSync(new URL(`../../docs/carriers/${carrier.name}.md`, import.meta.url), 'utf8');

    it('names every setting with its default', () => {
      for (const { name, otherwise = '', secret } of carrier.settings) {
        assert.ok(page.includes(`\`${name}\``), name);
        assert.ok(otherwise === '' || page.includes(`\`${otherwise}\``), `${name}: ${otherwise}`);
        if (secret === true) assert.match(page, new RegExp(`${name}\`[^\n]*stored encrypted`, 'i'), name);
      }
    });

    it('names every mode, output and format', () => {
      for (const word of [
        ...(modesOf[carrier.name] ?? []),
        ...Object.keys(carrier.outputs),
        ...Object.values(carrier.outputs).flat(),
      ])
        assert.ok(page.includes(`\`${word}\``), word);
    });

    it('says what is not known', { skip: carrier.name === 'sandbox' && 'all of it is known' }, () =>
      assert.match(page, /## What is not known\n\n- Nothing here was tried /),
    );
  });
}

it('the page of UPS names every service', () => {
  const page = readFileSync(new URL('../../docs/carriers/ups.md', import.meta.url), 'utf8');
  for (const code of upsServices) assert.match(page, new RegExp(`\\b${code}\\b`));
});
