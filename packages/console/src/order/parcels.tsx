// The parcels of an order: the content of each, and where it is.
import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useMeasured } from '../measures.ts';
import { placeAddress } from '../route.ts';
import { Section } from '../section.tsx';
import { PlainTable } from '../table.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import type { Report, ReportParcel } from './reports.ts';
import { Tracking } from './tracking.tsx';
import { orderWords } from './words.ts';

/** Parcels that are shown initially. */
const maxShown = 20;

export function Parcels({
  activity,
  reports,
}: {
  readonly activity: string;
  readonly reports: readonly Report[];
}): ReactElement {
  const say = useWords(orderWords);
  const [shown, setShown] = useState(maxShown);
  const parcels = reports.flatMap((report) => report.parcels);
  return (
    <Section title={say('parcels')}>
      {parcels.length === 0 && <Text c="dimmed">{say('noParcels')}</Text>}
      {parcels.slice(0, shown).map((parcel) => (
        <ParcelCard key={parcel.id} activity={activity} parcel={parcel} />
      ))}
      {parcels.length > shown && (
        <Group>
          <Button variant="default" onClick={() => setShown(shown + maxShown)}>
            {say('moreParcels', { count: Math.min(maxShown, parcels.length - shown) })}
          </Button>
        </Group>
      )}
    </Section>
  );
}

function ParcelCard({ activity, parcel }: { readonly activity: string; readonly parcel: ReportParcel }): ReactElement {
  const say = useWords(orderWords);
  const { instant } = useTexts();
  const measured = useMeasured();
  const tracking = parcel.shipmentTrackingNumber ?? '';
  const title = say('parcel', { number: tracking || (parcel.packageNumber ?? '') });
  const facts = [
    [say('weight'), parcel.actualPackageWeight === null ? null : measured('weight', parcel.actualPackageWeight)],
    [say('service'), parcel.transportService],
    [say('loaded'), parcel.packageLoadDate === null ? null : instant(parcel.packageLoadDate)],
  ] as const;
  return (
    <Card withBorder padding="lg">
      <Stack gap="md">
        <Title order={3} size="h5">
          {title}
        </Title>
        <dl className="facts">
          {facts.map(([name, value]) =>
            value === null || value === '' ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
          )}
        </dl>
        <Contents activity={activity} parcel={parcel} label={`${say('contents')}: ${title}`} />
        {tracking !== '' && <Tracking activity={activity} parcel={tracking} page={parcel.trackingurl} />}
      </Stack>
    </Card>
  );
}

function Contents(props: {
  readonly activity: string;
  readonly parcel: ReportParcel;
  readonly label: string;
}): ReactElement | null {
  const say = useWords(orderWords);
  const { number } = useTexts();
  const { activity, parcel, label } = props;
  if (parcel.entries.length === 0) return null;
  return (
    <PlainTable
      label={label}
      columns={[{ name: say('article') }, { name: say('quantity'), isRight: true }, { name: say('lot') }]}
      rows={parcel.entries.map((entry) => ({
        key: String(entry.id),
        cells: [
          <a key="article" href={placeAddress(['articles', activity, entry.articleReference ?? ''])}>
            {entry.articleReference}
          </a>,
          number(entry.shippedQuantityInPackage ?? 0),
          entry.properties.map((property) => Object.values(property).filter(isText).join(' ')).join(', ') || '–',
        ],
      }))}
    />
  );
}

function isText(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
