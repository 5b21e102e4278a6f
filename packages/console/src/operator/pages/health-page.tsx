// The health of the service: what needs attention first, then its parts.
import { Card, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Health } from '../../../../client/src/index.ts';
import { placeAddress } from '../../route.ts';
import { useTexts } from '../../texts/texts.ts';
import { useOperator } from '../contexts.ts';
import { AttentionList } from '../health/attention-list.tsx';
import { useRate } from '../health/rate.ts';
import { ServiceParts } from '../health/service-parts.tsx';
import { Answered, DataTable, Instant, PageFrame, Part } from '../page-frame.tsx';
import { PageLink } from '../page-link.tsx';
import { useOperatorWords } from '../words/words.ts';

const everyMs = 10_000;

export function HealthPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const query = useQuery({
    queryKey: ['platform', 'health'],
    queryFn: ({ signal }) => platform.health({ signal }),
    refetchInterval: everyMs,
  });
  return (
    <PageFrame title={say('health')} intro={say('healthIntro')}>
      <Answered query={query}>
        {(health) => (
          <>
            <AttentionList health={health} isCurrent={query.error === null} everyMs={everyMs} />
            <Figures health={health} />
            <Activities health={health} />
            {health.service === null ? (
              <Text c="dimmed">{say('forAllOnly')}</Text>
            ) : (
              <ServiceParts service={health.service} tasks={health.tasks ?? []} />
            )}
          </>
        )}
      </Answered>
    </PageFrame>
  );
}

function Figures({ health }: { readonly health: Health }): ReactElement {
  const say = useOperatorWords();
  const { number, pair } = useTexts();
  const { service, storage, labelsUnknown } = health;
  const total = service?.requests.reduce((sum, { count }) => sum + count, 0);
  const seconds = service?.requests.reduce((sum, each) => sum + each.seconds, 0) ?? 0;
  const rate = useRate(total, health.at);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      <Figure
        name={say('storage')}
        value={storage.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}
        more={say('milliseconds', { ms: number(storage.milliseconds) })}
      />
      {total !== undefined && (
        <>
          <Figure
            name={say('requests')}
            value={rate === null ? '…' : say('perSecond', { rate: number(Math.round(rate * 10) / 10) })}
            more={
              rate === null
                ? say('measuring')
                : pair(say('meanTime'), say('milliseconds', { ms: number(meanMs(seconds, total)) }))
            }
          />
          <Figure
            name={say('requestsRunning')}
            value={`${number(service?.running ?? 0)} · ${number(service?.waiting ?? 0)}`}
            more={[pair(say('processes'), number(service?.processes ?? 0)), pair(say('version'), health.version)].join(
              ' · ',
            )}
          />
        </>
      )}
      {labelsUnknown !== null && (
        <Figure name={say('labelsUnknown')} value={number(labelsUnknown)} more={say('labelsUnknownMeaning')} />
      )}
    </SimpleGrid>
  );
}

function meanMs(seconds: number, count: number): number {
  return Math.round((seconds * 1000) / Math.max(count, 1));
}

function Figure(props: { readonly name: string; readonly value: string; readonly more: string }): ReactElement {
  return (
    <Card withBorder padding="lg">
      <Text size="sm" c="dimmed">
        {props.name}
      </Text>
      <Text size="1.5rem" fw={700} mt="xs" className="number">
        {props.value}
      </Text>
      <Text size="sm" c="dimmed">
        {props.more}
      </Text>
    </Card>
  );
}

function Activities({ health: { activities } }: { readonly health: Health }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  return (
    <Part title={say('activities')}>
      <DataTable
        label={say('activities')}
        rows={activities}
        keyOf={({ activityCode }) => activityCode}
        columns={[
          {
            name: 'code',
            label: say('activity'),
            cell: ({ activityCode }) => (
              <PageLink address={placeAddress(['operator', 'feeds'], { activity: activityCode })}>
                {activityCode}
              </PageLink>
            ),
          },
          { name: 'name', label: say('name'), cell: ({ activityName }) => activityName },
          { name: 'write', label: say('lastWrite'), cell: ({ lastWriteAt }) => <Instant at={lastWriteAt} /> },
          { name: 'image', label: say('stockImage'), cell: ({ stockImageAt }) => <Instant at={stockImageAt} /> },
          {
            name: 'refused',
            label: say('refusedLines'),
            isNumber: true,
            cell: ({ activityCode, refusedLines }) => (
              <PageLink address={placeAddress(['operator', 'lines'], { activity: activityCode })}>
                {number(refusedLines)}
              </PageLink>
            ),
          },
        ]}
      />
    </Part>
  );
}
