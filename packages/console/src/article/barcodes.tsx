// The barcodes of an article, drawn so that a scanner reads them from the screen.
import { Badge, Card, Group, Stack, Text } from '@mantine/core';
import { code128, drawingSVG, ean13, ean8, itf14, upca } from 'bwip-js/browser';
import type { ReactElement } from 'react';
import type { AnyRecord } from '../list/list-source.ts';
import { Section } from '../section.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { recordsIn } from './edited.ts';
import { textOf } from './values.ts';
import { articleWords } from './words.ts';

/** Further ones are in the JSON of the record. */
const maxShown = 24;

export function Barcodes({ article }: { readonly article: AnyRecord }): ReactElement {
  const say = useWords(articleWords);
  const { say: sayCommon } = useTexts();
  const variants = recordsIn(article, 'logisticalVariants');
  // A barcode of the article may be repeated in its variant.
  const all = [article, ...variants].flatMap((holder) => recordsIn(holder, 'barcodes'));
  const told = ({ code, barcodeUnit, barcodeQuantity, isPrimary, disabled }: AnyRecord): string =>
    JSON.stringify([code, barcodeUnit, barcodeQuantity, isPrimary, disabled]);
  const different = new Map(all.map((barcode) => [told(barcode), barcode]));
  const barcodes = [...different].slice(0, maxShown);
  return (
    <Section title={say('barcodes')}>
      {barcodes.length === 0 && <Text c="dimmed">{sayCommon('none')}</Text>}
      <Group align="stretch">
        {barcodes.map(([name, barcode]) => (
          <Card key={name} withBorder padding="md">
            <Stack gap="xs">
              <Drawn code={textOf(barcode.code)} />
              <Text size="sm" className="number">
                {textOf(barcode.code)}
              </Text>
              <Group gap="xs">
                {textOf(barcode.barcodeUnit) !== '' && (
                  <Text size="sm" c="dimmed">
                    {textOf(barcode.barcodeUnit)} × {textOf(barcode.barcodeQuantity) || '1'}
                  </Text>
                )}
                {barcode.isPrimary === true && (
                  <Badge className="state" variant="outline">
                    {say('primary')}
                  </Badge>
                )}
                {barcode.disabled === true && (
                  <Badge className="state" variant="outline" color="red">
                    {say('disabled')}
                  </Badge>
                )}
              </Group>
            </Stack>
          </Card>
        ))}
      </Group>
    </Section>
  );
}

function Drawn({ code }: { readonly code: string }): ReactElement | null {
  const drawing = drawn(code);
  return drawing === null ? null : (
    <img className="barcode" src={`data:image/svg+xml,${encodeURIComponent(drawing)}`} alt={code} />
  );
}

/** Null if no symbol can represent it. */
function drawn(code: string): string | null {
  const options = { text: code, height: 12, paddingwidth: 10, paddingheight: 4, backgroundcolor: 'ffffff', bcid: '' };
  for (const draw of [symbolOf(code), code128])
    try {
      return draw(options, drawingSVG());
    } catch {
      // A wrong check digit: it is drawn as an arbitrary number.
    }
  return null;
}

function symbolOf(code: string): typeof code128 {
  const byLength: Readonly<Record<number, typeof code128>> = { 8: ean8, 12: upca, 13: ean13, 14: itf14 };
  return /^\d+$/.test(code) ? (byLength[code.length] ?? code128) : code128;
}
