// The names of delivery modes in the console beside the codes that the carriers' own rules accept.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modeNames, modeText } from '../../packages/console/src/ship/mode-names.ts';
import { carrierNames, loadCarrier } from '../../src/carriers/index.ts';
import { labelForm } from '../../src/carriers/label-form.ts';

/** Codes of Colissimo whose meaning is published nowhere. */
const unnamed: Readonly<Record<string, readonly string[]>> = {
  colissimo: ['COPLAT', 'COPLAT_J1', 'COLL'],
};

describe('the modes of a carrier in a form for labels', () => {
  for (const name of carrierNames)
    it(`of ${name}: every code that its rules list has a name, and no name is of another code`, async () => {
      const carrier = await loadCarrier(name);
      assert.ok(carrier !== null);
      const { choices } = labelForm(carrier, { settings: { billingNumbers: '33333333330102' } }, {});
      for (const field of ['modeCol', 'modeLiv'] as const) {
        const codes = choices.find((choice) => choice.field === field)?.values ?? [];
        const names = Object.keys(modeNames[name]?.[field] ?? {});
        assert.deepEqual([...names, ...(field === 'modeLiv' ? (unnamed[name] ?? []) : [])].sort(), [...codes].sort());
      }
    });

  it('are read in the language of the reader, with a word on those without a name', () => {
    assert.equal(modeText('sandbox', 'modeLiv', 'HOM', 'en'), 'HOM · Home delivery');
    assert.equal(modeText('sandbox', 'modeLiv', 'HOM', 'fr'), 'HOM · Livraison à domicile');
    assert.equal(modeText('colissimo', 'modeLiv', 'COPLAT', 'fr'), 'COPLAT · sans nom publié');
    for (const [carrier, field, code] of [
      ['sandbox', 'apiVersion', 'HOM'],
      ['unknown', 'modeLiv', 'HOM'],
    ] as const)
      assert.equal(modeText(carrier, field, code, 'en'), code);
  });
});
