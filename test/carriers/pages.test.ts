// The pages of the carriers that speak JSON name what there is: every setting, mode, output, format and sample parcel.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Carrier } from '../../src/carriers/carrier.ts';
import { colissimo } from '../../src/carriers/colissimo/colissimo.ts';
import { dhl } from '../../src/carriers/dhl/dhl.ts';
import { dhlModes } from '../../src/carriers/dhl/rules.ts';
import { gls } from '../../src/carriers/gls/gls.ts';
import { glsModes } from '../../src/carriers/gls/rules.ts';
import { karrio } from '../../src/carriers/karrio/karrio.ts';
import { laposte } from '../../src/carriers/laposte/laposte.ts';
import { ups } from '../../src/carriers/ups/ups.ts';
import { upsServices } from '../../src/carriers/ups/rules.ts';

const pages: readonly (readonly [Carrier, readonly string[]])[] = [
  [karrio, []],
  [laposte, []],
  [colissimo, ['DOM', 'DOS', 'HD', 'CORE']],
  [gls, Object.keys(glsModes)],
  [ups, []],
  [dhl, Object.keys(dhlModes)],
];

for (const [carrier, modes] of pages) {
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
      for (const word of [...modes, ...Object.keys(carrier.outputs), ...Object.values(carrier.outputs).flat()])
        assert.ok(page.includes(`\`${word}\``), word);
    });

    it('says what is not known', () => assert.match(page, /## What is not known\n\n- Nothing here was tried /));
  });
}

it('the page of UPS names every service', () => {
  const page = readFileSync(new URL('../../docs/carriers/ups.md', import.meta.url), 'utf8');
  for (const code of upsServices) assert.match(page, new RegExp(`\\b${code}\\b`));
});
