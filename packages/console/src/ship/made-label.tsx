// A label that was just made, at an address of its own, so that it is there after a reload.
import { Alert, Button, Card, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { LabelResult, ShippingAccount } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { Failed, Loading } from '../states.tsx';
import { useWords } from '../texts/texts.ts';
import { LabelView } from './label-view.tsx';
import { shipWords } from './words.ts';

/** What is known of the label when it is made; later, only what the service tells of it. */
type Known = LabelResult & { readonly isReplayed?: boolean };

/** By which the form leaves its answer here. */
export function madeLabelKey({ context, carrier }: ShippingAccount, number: string): readonly string[] {
  return ['made-label', context, carrier, number];
}

export function MadeLabel(props: {
  readonly account: ShippingAccount;
  readonly number: string;
  readonly again: () => void;
}): ReactElement {
  const { account, number, again } = props;
  const say = useWords(shipWords);
  const { client } = useSession();
  const found = useQuery<Known>({
    queryKey: madeLabelKey(account, number),
    queryFn: ({ signal }) => client.shipping.label(account.context, account.carrier, number, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (found.isPending) return <Loading />;
  if (found.isError) return <Failed error={found.error} again={() => void found.refetch()} />;
  return (
    <Card withBorder padding="lg">
      <Stack gap="md">
        <div role="status">
          <Title order={2} size="h4">
            {say('created', { number: found.data.expeditionNumber })}
          </Title>
        </div>
        {found.data.isReplayed === true && <Alert color="yellow">{say('duplicate')}</Alert>}
        <LabelView result={found.data} />
        <Group>
          <Button variant="light" onClick={again}>
            {say('another')}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
