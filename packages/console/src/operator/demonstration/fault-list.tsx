// The list of the demonstration's faults: what a client sees of each, and a way to trigger it.
import { Badge, Button, Card, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { English } from '../../states.tsx';
import type { Demonstration } from '../../../../client/src/index.ts';
import { placeAddress } from '../../route.ts';
import { Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { Part } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';
import { faultPlaces } from './faults.ts';

type Fault = Demonstration['faults'][number];

export function FaultList({ demonstration }: { readonly demonstration: Demonstration }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const { activities, faults } = demonstration;
  const [activity, setActivity] = useState(activities[0]?.activityCode ?? '');
  const asking = useAction(async (fault: string) => {
    await platform.demonstration.fault({ fault, activityCode: activity });
    return say('faultAsked', { fault, activity });
  });
  return (
    <Part title={say('faults')}>
      <Text c="dimmed">{say('faultsMeaning')}</Text>
      <Select
        label={say('activity')}
        data={activities.map(({ activityCode, activityName }) => ({ value: activityCode, label: activityName }))}
        value={activity}
        onChange={(code) => setActivity(code ?? activity)}
        allowDeselect={false}
        maw={260}
      />
      <Outcome error={asking.error} told={asking.data ?? null} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {faults.map((fault) => (
          <FaultCard
            key={fault.fault}
            fault={fault}
            activity={activity}
            isBusy={asking.isPending && asking.variables === fault.fault}
            onAsk={() => asking.mutate(fault.fault)}
          />
        ))}
      </SimpleGrid>
    </Part>
  );
}

interface FaultCardProps {
  readonly fault: Fault;
  readonly activity: string;
  readonly isBusy: boolean;
  readonly onAsk: () => void;
}

function FaultCard({ fault: { fault, meaning, setFor }, activity, isBusy, onAsk }: FaultCardProps): ReactElement {
  const say = useOperatorWords();
  const place = faultPlaces[fault];
  return (
    <Card withBorder padding="md" component="article" aria-label={fault}>
      <Stack gap="xs" h="100%" justify="space-between">
        <Group justify="space-between">
          <Text fw={600}>
            <code>{fault}</code>
          </Text>
          {setFor.length > 0 && (
            <Badge color="yellow" variant="light" autoContrast className="state">
              {say('faultWaits', { activities: setFor.join(', ') })}
            </Badge>
          )}
        </Group>
        <Text flex={1}>{place === undefined ? <English>{meaning}</English> : say(place.word)}</Text>
        <Group justify="space-between">
          <Button variant="default" loading={isBusy} onClick={onAsk} aria-label={say('letHappenOf', { fault })}>
            {say('letHappen')}
          </Button>
          {place !== undefined && (
            <a href={placeAddress(place.parts, place.parameters?.(activity))}>{say('whereSeen')}</a>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
