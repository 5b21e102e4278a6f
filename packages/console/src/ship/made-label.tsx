// A label that was just made, at an address of its own, so that it is there after a reload.
import { Alert, Button, Card, Group, Stack, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ShippingAccount } from '../../../client/src/index.ts';
import { Failed, Loading } from '../states.tsx';
import { useWords } from '../texts/texts.ts';
import { LabelView } from './label-view.tsx';
import { useLabel } from './use-label.ts';
import { shipWords } from './words.ts';

export function MadeLabel(props: {
  readonly account: ShippingAccount;
  readonly number: string;
  readonly again: () => void;
}): ReactElement {
  const { account, number, again } = props;
  const say = useWords(shipWords);
  const found = useLabel(account, number);
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
