// The outputs of a label in the console: what is a file to show and save, and what is told as text.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf } from '../../packages/console/src/ship/label-files.ts';

const file = 'https://logistics.example/v1/shippings/files/Zx3kQ0y1';

describe('the outputs of a label', () => {
  it('are files under names that tell label and papers apart, and the carrier’s page is none', () => {
    const outputs = [
      { name: 'PdfUrl', value: file },
      { name: 'PdfUrl', value: file },
      { name: 'CustomsUrl', value: `data:application/pdf;base64,${btoa('%PDF-')}` },
      { name: 'ZplCode', value: btoa('^XA^XZ') },
      { name: 'TrackingUrl', value: 'https://carrier.example/parcels/1' },
      { name: 'ParcelNumber', value: '1' },
    ];
    const { files, texts } = filesOf({ status: '0', expeditionNumber: 'A/1', outputs });
    assert.deepEqual(
      files.map(({ name, kind, mediaType }) => [name, kind, mediaType]),
      [
        ['label-A_1.pdf', 'PDF', 'application/pdf'],
        ['label-A_1-2.pdf', 'PDF', 'application/pdf'],
        ['label-A_1-customs.pdf', 'PDF', 'application/pdf'],
        ['label-A_1.zpl', 'ZPL', 'text/plain'],
      ],
    );
    assert.deepEqual(
      texts.map(({ name }) => name),
      ['TrackingUrl', 'ParcelNumber'],
    );
  });
});
