// Where a parcel is: queried from the carrier on request, as a line of places and a list of steps.
import { Alert, Badge, Button, Group, Select, Stack, Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { Tracking as TrackingRecord } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { useAccounts } from '../ship/use-accounts.ts';
import { Failed, Loading } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { type OrderWord, orderWords } from './words.ts';

interface TrackingProps {
  readonly activity: string;
  /** Number of the parcel at the carrier. */
  readonly parcel: string;
  /** Address of the carrier's own page; null: unknown. */
  readonly page: string | null;
}

export function Tracking({ activity, parcel, page }: TrackingProps): ReactElement {
  const say = useWords(orderWords);
  const [isAsked, setAsked] = useState(false);
  const isLink = page !== null && /^https?:\/\//.test(page);
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Button
          variant="light"
          aria-expanded={isAsked}
          aria-label={`${say('track')} ${parcel}`}
          onClick={() => setAsked(!isAsked)}
        >
          {say('track')}
        </Button>
        {isLink && (
          <a href={page} className="more" target="_blank" rel="noreferrer">
            {say('carrierPage')}
          </a>
        )}
      </Group>
      {isAsked && <Asked activity={activity} parcel={parcel} />}
    </Stack>
  );
}

function Asked({ activity, parcel }: Omit<TrackingProps, 'page'>): ReactElement {
  const say = useWords(orderWords);
  const { client } = useSession();
  const accounts = useAccounts();
  const [chosen, setChosen] = useState<string | null>(null);
  const own = (accounts.data ?? []).filter((account) => account.tracksParcels && account.activityCode === activity);
  const account = own.find(({ context, carrier }) => `${context}/${carrier}` === chosen) ?? own[0];
  const found = useQuery({
    queryKey: ['tracking', account?.context, account?.carrier, parcel],
    queryFn: ({ signal }) =>
      client.shipping.tracking(account?.context ?? '', account?.carrier ?? '', parcel, { signal }),
    enabled: account !== undefined,
    staleTime: 300_000,
  });
  if (accounts.isError) return <Failed error={accounts.error} again={() => void accounts.refetch()} />;
  if (!accounts.isPending && account === undefined) return <Text c="dimmed">{say('noSteps')}</Text>;
  return (
    <Stack gap="md">
      {own.length > 1 && account !== undefined && (
        <Select
          label={say('trackAt')}
          data={own.map((one) => ({
            value: `${one.context}/${one.carrier}`,
            label: `${one.carrierName} · ${one.context}`,
          }))}
          value={`${account.context}/${account.carrier}`}
          onChange={setChosen}
          allowDeselect={false}
          maw={360}
        />
      )}
      {found.isPending ? (
        <Loading rows={3} />
      ) : found.isError ? (
        <Failed error={found.error} again={() => void found.refetch()} />
      ) : (
        <Way tracking={found.data} />
      )}
    </Stack>
  );
}

const colours: Readonly<Record<string, string>> = { '80': 'gray', '81': 'blue', '82': 'green', '83': 'red' };

function Way({ tracking }: { readonly tracking: TrackingRecord }): ReactElement {
  const say = useWords(orderWords);
  const { clock } = useTexts();
  const { status, wording1, wording2, relayWording, relayNumber, steps } = tracking;
  const places = steps
    .map(({ location }) => location)
    .filter((place, index, all) => place !== '' && place !== all[index - 1]);
  const colour = colours[status] ?? 'gray';
  return (
    <Stack gap="md">
      <Group gap="xs" role="status">
        <Badge className="state" size="lg" variant="outline" color={colour}>
          {say(statusWord(status))}
        </Badge>
        <Text>{[wording1, wording2].filter((wording) => wording !== '').join(' · ')}</Text>
      </Group>
      {relayNumber !== '' && <Text>{say('pickUp', { name: relayWording, number: relayNumber })}</Text>}
      {places.length > 0 && (
        <ol className="route" aria-label={say('way')}>
          {places.map((place, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a parcel may come through a place twice
            <li key={index} className={index === places.length - 1 ? 'here' : undefined}>
              {place}
            </li>
          ))}
        </ol>
      )}
      {steps.length === 0 ? (
        <Alert color="gray">{say('noSteps')}</Alert>
      ) : (
        <Timeline active={steps.length} bulletSize={14} lineWidth={2} color={colour} aria-label={say('steps')}>
          {steps.map(({ wording, date, hour, location }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order of the steps is theirs
            <Timeline.Item key={index} title={wording}>
              <Text size="sm" c="dimmed">
                {[clock(date, hour), location].filter((part) => part !== '').join(' · ')}
              </Text>
            </Timeline.Item>
          ))}
        </Timeline>
      )}
    </Stack>
  );
}

function statusWord(status: string): OrderWord {
  return status === '80' || status === '81' || status === '82' || status === '83' ? `status${status}` : 'status81';
}
