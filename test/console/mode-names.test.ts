// The names of delivery modes in the console beside the codes that the carriers' own rules accept.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modeNames, modeText } from '../../packages/console/src/ship/mode-names.ts';
import { carrierNames, loadCarrier } from '../../src/carriers/index.ts';
import { labelForm } from '../../src/carriers/label-form.ts';

/** Codes of Colissimo whose meaning is published nowhere, or that are older codes for what has another one. */
const unnamed: Readonly<Record<string, readonly string[]>> = {
  colissimo: [
    ...['CECO', 'CORF', 'COLR', 'J+1', 'COPLAT', 'COPLAT_J1', 'ACCI', 'COLD', 'COL', 'COLI', 'COLL'],
    ...['A2P', 'BPR', 'CMT', 'PCS', 'BDP', 'ACP', 'CDI'],
  ],
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

  it('are read in the language of the reader, and as a bare code where nothing is known of one', () => {
    assert.equal(modeText('sandbox', 'modeLiv', 'HOM', 'en'), 'HOM · Home delivery');
    assert.equal(modeText('sandbox', 'modeLiv', 'HOM', 'fr'), 'HOM · Livraison à domicile');
    for (const [carrier, field, code] of [
      ['colissimo', 'modeLiv', 'CECO'],
      ['sandbox', 'apiVersion', 'HOM'],
      ['unknown', 'modeLiv', 'HOM'],
    ] as const)
      assert.equal(modeText(carrier, field, code, 'en'), code);
  });
});
