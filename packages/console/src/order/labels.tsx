// The labels of an order, and the way to make another one.
import { Badge, Button, Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { OrderLabel } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { placeAddress } from '../route.ts';
import { Section } from '../section.tsx';
import { LabelView } from '../ship/label-view.tsx';
import { useLabel } from '../ship/use-label.ts';
import { shipWords } from '../ship/words.ts';
import { Failed, Loading } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';

interface LabelsProps {
  readonly orderId: string;
  readonly order: string;
  readonly activity: string;
}

export function OrderLabels({ orderId, order, activity }: LabelsProps): ReactElement {
  const say = useWords(shipWords);
  const { client } = useSession();
  const labels = useQuery({
    queryKey: ['labels-of-order', orderId],
    queryFn: ({ signal }) => client.orders.labels(orderId, { activityCode: activity }, { signal }),
  });
  return (
    <Section
      title={say('labels')}
      aside={
        <Button component="a" variant="light" href={placeAddress(['ship'], { activity, order })}>
          {say('shipOrder')}
        </Button>
      }
    >
      {labels.isPending ? (
        <Loading rows={2} />
      ) : labels.isError ? (
        <Failed error={labels.error} again={() => void labels.refetch()} />
      ) : labels.data.length === 0 ? (
        <Text c="dimmed">{say('noLabels')}</Text>
      ) : (
        labels.data.map((label) => <LabelCard key={`${label.carrier}/${label.expeditionNumber}`} label={label} />)
      )}
    </Section>
  );
}

function LabelCard({ label }: { readonly label: OrderLabel }): ReactElement {
  const say = useWords(shipWords);
  const { instant } = useTexts();
  const [isShown, setShown] = useState(false);
  const number = label.expeditionNumber ?? '';
  return (
    <Card withBorder padding="lg">
      <Stack gap="md">
        <Group justify="space-between">
          <Text fw={600}>
            {label.carrier} {number}
          </Text>
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {instant(label.dateCreation)}
            </Text>
            {label.isVoid ? (
              <Badge className="state" size="lg" color="red" variant="outline">
                {say('voided')}
              </Badge>
            ) : (
              <Button variant="default" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
                {say(isShown ? 'hide' : 'show')}
              </Button>
            )}
          </Group>
        </Group>
        {isShown && <Shown label={label} number={number} />}
      </Stack>
    </Card>
  );
}

function Shown({ label, number }: { readonly label: OrderLabel; readonly number: string }): ReactElement {
  const found = useLabel(label, number);
  if (found.isPending) return <Loading rows={3} />;
  if (found.isError) return <Failed error={found.error} again={() => void found.refetch()} />;
  return <LabelView result={found.data} />;
}
