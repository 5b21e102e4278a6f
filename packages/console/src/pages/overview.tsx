// The first page: numbers of today, each a link to the list behind it, and the newest orders.
import { Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { type ListName, listSource, type ListRequest } from '../list/list-source.ts';
import { RecordTable } from '../list/record-table.tsx';
import { consoleList, usualFields } from '../resources.ts';
import { placeAddress } from '../route.ts';
import { Failed, Loading } from '../states.tsx';
import type { TextName } from '../texts/en.ts';
import { useTexts } from '../texts/texts.ts';

/** A number that costs a page of a list for each hundred; beyond so many it is told as «more». */
const maxCounted = 500;
const dayMs = 86_400_000;

interface Figure {
  readonly name: TextName;
  readonly list: ListName;
  readonly filter: string;
}

/** @param today milliseconds since 1970 */
function figuresOf(today: number): readonly Figure[] {
  const day = (days: number): string => new Date(today + days * dayMs).toISOString().slice(0, 10);
  return [
    { name: 'ordersToday', list: 'orders', filter: `dateCreation=ge=${day(-1)}` },
    { name: 'shippedLastWeek', list: 'order-reports', filter: `dateLastUpdate=ge=${day(-7)}` },
    { name: 'receptionsExpected', list: 'procurements', filter: `expectedReceiptDate=ge=${day(0)}` },
    { name: 'movementsToday', list: 'movements', filter: `movementTimestamp=ge=${day(-1)}` },
  ];
}

export function Overview(): ReactElement {
  const { say } = useTexts();
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        {say('overview')}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
        {figuresOf(Date.now()).map((figure) => (
          <FigureCard key={figure.name} figure={figure} />
        ))}
      </SimpleGrid>
      <NewestOrders />
    </Stack>
  );
}

function FigureCard({ figure }: { readonly figure: Figure }): ReactElement {
  const { say, number } = useTexts();
  const { client } = useSession();
  const { name, list, filter } = figure;
  const counted = useQuery({
    queryKey: ['count', list, filter],
    queryFn: ({ signal }) => count(listSource(client, list).pages({ filter, sort: '', activity: '' }, signal)),
  });
  return (
    <Card component="a" href={placeAddress([list], { filter })} withBorder padding="lg" className="figure">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" c="dimmed">
          {say(name)}
        </Text>
        <Icon name={list} />
      </Group>
      {counted.isPending ? (
        <Skeleton height={36} width={72} mt="sm" />
      ) : (
        <Text size="2rem" fw={700} mt="xs" className="number">
          {counted.isError
            ? '–'
            : `${number(Math.min(counted.data, maxCounted))}${counted.data > maxCounted ? '+' : ''}`}
        </Text>
      )}
    </Card>
  );
}

async function count(pages: AsyncIterable<{ readonly records: readonly unknown[] }>): Promise<number> {
  let records = 0;
  for await (const page of pages) {
    records += page.records.length;
    if (records > maxCounted) break;
  }
  return records;
}

function NewestOrders(): ReactElement {
  const { say } = useTexts();
  const { client } = useSession();
  const list = consoleList('orders');
  const request: ListRequest = { filter: '', sort: '-dateCreation', activity: '' };
  const orders = useQuery({
    queryKey: ['newest-orders'],
    queryFn: ({ signal }) => listSource(client, 'orders').page(request, signal, 8),
  });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {say('recentOrders')}
        </Title>
        <a href={placeAddress(['orders'])} className="more">
          {say('seeAll')}
        </a>
      </Group>
      {orders.isPending ? (
        <Loading />
      ) : orders.isError ? (
        <Failed error={orders.error} again={() => void orders.refetch()} />
      ) : (
        <RecordTable
          list={list}
          label={say('recentOrders')}
          records={orders.data.records}
          columns={usualFields(list)}
        />
      )}
    </Stack>
  );
}
