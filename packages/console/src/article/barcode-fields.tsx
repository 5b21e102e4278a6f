// The barcodes of an article in its form.
import { ActionIcon, Button, Card, Group, Radio, Stack, Text, TextInput, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { Icon } from '../icons.tsx';
import type { AnyRecord } from '../list/list-source.ts';
import { Reasons } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { type ArticleFault, textOf } from './values.ts';
import { articleWords } from './words.ts';

interface BarcodeFieldsProps {
  /** In the form of the interface; members that the form does not show stay unchanged. */
  readonly barcodes: readonly AnyRecord[];
  readonly fault: readonly ArticleFault[] | undefined;
  readonly onChange: (barcodes: readonly AnyRecord[]) => void;
}

export function BarcodeFields({ barcodes, fault, onChange }: BarcodeFieldsProps): ReactElement {
  const say = useWords(articleWords);
  const { say: sayCommon } = useTexts();
  const change = (place: number, members: AnyRecord): void =>
    onChange(barcodes.map((barcode, index) => (index === place ? { ...barcode, ...members } : barcode)));
  return (
    <Card withBorder padding="lg">
      <Stack gap="md">
        <Title order={2} size="h5">
          {say('barcodes')}
        </Title>
        {fault !== undefined && (
          <Text c="red" size="sm" role="alert">
            <Reasons reasons={fault} />
          </Text>
        )}
        {barcodes.map((barcode, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a new barcode has no other name than its place
          <Group key={place} align="flex-end">
            <TextInput
              label={say('barcode', { place: place + 1 })}
              value={textOf(barcode.code)}
              maxLength={255}
              onChange={(event) => change(place, { code: event.currentTarget.value })}
            />
            <TextInput
              label={say('unitOf')}
              value={textOf(barcode.barcodeUnit)}
              maxLength={255}
              w={110}
              onChange={(event) => change(place, { barcodeUnit: event.currentTarget.value || null })}
            />
            <Radio
              label={say('primary')}
              checked={barcode.isPrimary === true}
              mb="sm"
              onChange={() => onChange(barcodes.map((other, index) => ({ ...other, isPrimary: index === place })))}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={44}
              aria-label={`${sayCommon('remove')}: ${say('barcode', { place: place + 1 })}`}
              onClick={() => onChange(barcodes.filter((_barcode, index) => index !== place))}
            >
              <Icon name="close" />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            leftSection={<Icon name="add" />}
            onClick={() => onChange([...barcodes, { code: '', isPrimary: barcodes.length === 0, barcodeUnit: 'UVC' }])}
          >
            {say('addBarcode')}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

export function barcodesIn({ barcodes }: AnyRecord): readonly AnyRecord[] {
  return Array.isArray(barcodes) ? barcodes : [];
}
