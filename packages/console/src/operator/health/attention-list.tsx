// What needs attention, on the page of health; and what could not be looked at.
import { Alert, Text } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Health } from '../../../../client/src/index.ts';
import { Icon } from '../../icons.tsx';
import { placeAddress } from '../../route.ts';
import { Loading } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useResourceName } from '../choices.tsx';
import { useOperator } from '../contexts.ts';
import { PageLink } from '../page-link.tsx';
import { useOperatorWords } from '../words/words.ts';
import { attentionOf, type Reading, verdictOf } from './attention.ts';

interface AttentionProps {
  readonly health: Health;
  /** False: it could not be read again. */
  readonly isCurrent: boolean;
  readonly everyMs: number;
}

export function AttentionList({ health, isCurrent, everyMs }: AttentionProps): ReactElement {
  const say = useOperatorWords();
  const { number, instant, bytes } = useTexts();
  const resource = useResourceName();
  const { platform, roles } = useOperator();
  const maySeeFeeds = roles.includes('feed');
  const consumers = useQuery({
    queryKey: ['platform', 'consumers'],
    queryFn: ({ signal }) => platform.consumers({ signal }),
    refetchInterval: everyMs,
  });
  const feeds = useQuery({
    queryKey: ['platform', 'feeds-missing'],
    queryFn: ({ signal }) => platform.feeds({ missing: 'true', limit: 100 }, { signal }),
    enabled: maySeeFeeds,
    refetchInterval: 3 * everyMs,
  });
  const known = {
    health,
    consumers: consumers.data?.consumers ?? [],
    feeds: feeds.data?.feeds ?? [],
    hasMoreFeeds: typeof feeds.data?.after === 'string',
    readings: {
      health: isCurrent ? 'read' : 'failed',
      consumers: readingOf(consumers),
      feeds: maySeeFeeds ? readingOf(feeds) : 'forbidden',
    },
  } as const;
  const found = attentionOf(known, { say, number, instant, bytes, resource, addressOf: placeAddress });
  const verdict = verdictOf(known, found);
  if (verdict === 'pending') return <Loading rows={1} />;
  if (verdict === 'well')
    return (
      <Alert color="green" role="status" icon={<Icon name="check" />}>
        {say('allWell')}
      </Alert>
    );
  const unseen = known.readings.feeds === 'forbidden' && <Text size="sm">{say('missingForbidden')}</Text>;
  if (verdict === 'well-as-seen')
    return (
      <Alert color="gray" role="status" title={say('allWellSeen')}>
        {unseen}
      </Alert>
    );
  return (
    <Alert color="yellow" role="status" title={say('attention')} icon={<Icon name="warning" />}>
      <ul className="plain">
        {found.map(({ text, address }) => (
          <li key={text}>{address === null ? text : <PageLink address={address}>{text}</PageLink>}</li>
        ))}
      </ul>
      {unseen}
    </Alert>
  );
}

function readingOf({ data, error }: UseQueryResult<unknown>): Reading {
  if (error !== null) return 'failed';
  return data === undefined ? 'pending' : 'read';
}
