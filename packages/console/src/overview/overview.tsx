// The first page: stock, the state of orders, and what is expected; each number is a link to the list behind it.
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useSession } from '../contexts.ts';
import { placeAddress } from '../route.ts';
import { Section } from '../section.tsx';
import { Failed, Loading } from '../states.tsx';
import { PlainTable } from '../table.tsx';
import { useTexts } from '../texts/texts.ts';
import { OrderOverview } from './order-overview.tsx';

export function Overview(): ReactElement {
  const { say } = useTexts();
  // The figures refer to the moment when the page was opened.
  const [now] = useState(() => Date.now());
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        {say('overview')}
      </Title>
      <OrderOverview now={now} />
      <NewestOrders />
    </Stack>
  );
}

function NewestOrders(): ReactElement {
  const { say, instant, fieldName } = useTexts();
  const { client } = useSession();
  const orders = useQuery({
    queryKey: ['newest-orders'],
    queryFn: async ({ signal }) =>
      (await client.orders.page({ sort: '-customerOrderPlacementDate', limit: 8 }, { signal })).records,
  });
  const columns = ['orderUniqueID', 'customerOrderPlacementDate', 'deliveryAddressCity', 'deliveryAddressCountry'];
  return (
    <Section
      title={say('recentOrders')}
      aside={
        <a href={placeAddress(['orders'])} className="more">
          {say('seeAll')}
        </a>
      }
    >
      {orders.isPending ? (
        <Loading />
      ) : orders.isError ? (
        <Failed error={orders.error} again={() => void orders.refetch()} />
      ) : orders.data.length === 0 ? (
        <Text c="dimmed">{say('nothing')}</Text>
      ) : (
        <PlainTable
          label={say('recentOrders')}
          columns={columns.map((name) => ({ name: fieldName(name) }))}
          rows={orders.data.map((order) => ({
            key: String(order.id),
            cells: [
              <a key="order" href={placeAddress(['orders', order.activityCode, order.orderUniqueID])}>
                {order.orderUniqueID}
              </a>,
              instant(order.customerOrderPlacementDate ?? ''),
              order.deliveryAddressCity,
              order.deliveryAddressCountry,
            ],
          }))}
        />
      )}
    </Section>
  );
}
