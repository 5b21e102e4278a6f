// Who collects what clients wrote, and how far each consumer has come.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { OutboxConsumers } from '../../../../client/src/index.ts';
import { placeAddress } from '../../route.ts';
import { Notice } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useOperator } from '../contexts.ts';
import { Answered, type Column, DataTable, Instant, PageFrame } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';

type Consumer = OutboxConsumers['consumers'][number];

export function OutboxPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const query = useQuery({
    queryKey: ['platform', 'consumers'],
    queryFn: ({ signal }) => platform.consumers({ signal }),
    refetchInterval: 10_000,
  });
  return (
    <PageFrame title={say('outbox')} intro={say('outboxIntro')}>
      <Answered query={query}>
        {({ consumers }) =>
          consumers.length === 0 ? (
            <Notice icon="empty" title={say('noConsumers')} />
          ) : (
            <ConsumerTable consumers={consumers} />
          )
        }
      </Answered>
    </PageFrame>
  );
}

function ConsumerTable({ consumers }: { readonly consumers: readonly Consumer[] }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const columns: readonly Column<Consumer>[] = [
    {
      name: 'consumer',
      label: say('consumer'),
      cell: ({ consumer }) => (consumer === null ? <em>{say('nobody')}</em> : consumer),
    },
    { name: 'activity', label: say('activity'), cell: ({ activityCode }) => activityCode },
    {
      name: 'waiting',
      label: say('waitingEntries'),
      isNumber: true,
      cell: ({ waiting, activityCode, consumer }) =>
        waiting === 0 ? (
          number(0)
        ) : (
          <a
            href={placeAddress(['operator', 'outbox', 'waiting'], { activity: activityCode, consumer })}
            aria-label={say('showWaiting', {
              count: waiting,
              activity: activityCode,
              consumer: consumer ?? say('nobody'),
            })}
          >
            {number(waiting)}
          </a>
        ),
    },
    { name: 'since', label: say('waitingSince'), cell: ({ waitingSince }) => <Instant at={waitingSince} /> },
    { name: 'delivered', label: say('delivered'), cell: ({ delivered }) => <code>{delivered}</code> },
    { name: 'acknowledged', label: say('acknowledged'), cell: ({ acknowledged }) => <code>{acknowledged}</code> },
    { name: 'seen', label: say('lastSeen'), cell: ({ updatedAt }) => <Instant at={updatedAt} /> },
  ];
  return (
    <DataTable
      label={say('outbox')}
      columns={columns}
      rows={consumers}
      keyOf={({ consumer, activityCode }) => `${consumer ?? ''} ${activityCode}`}
    />
  );
}
