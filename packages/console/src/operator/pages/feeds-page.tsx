// The feeds, each with its last message and its gaps.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { FeedList } from '../../../../client/src/index.ts';
import { placeAddress, usePlace } from '../../route.ts';
import { Notice } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useOperator } from '../contexts.ts';
import { Answered, type Column, DataTable, Instant, PageFrame } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';
import { ActivityChoice, useResourceName } from '../choices.tsx';
import { StateBadge } from '../state-badge.tsx';

type Feed = FeedList['feeds'][number];

export function FeedsPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const activity = usePlace().parameters.get('activity') ?? '';
  const query = useQuery({
    queryKey: ['platform', 'feeds', activity],
    queryFn: ({ signal }) => platform.feeds(activity === '' ? {} : { activity }, { signal }),
    refetchInterval: 30_000,
  });
  return (
    <PageFrame title={say('feeds')} intro={say('feedsIntro')} actions={<ActivityChoice />}>
      <Answered query={query}>
        {({ feeds }) =>
          feeds.length === 0 ? <Notice icon="empty" title={say('noFeeds')} /> : <FeedTable feeds={feeds} />
        }
      </Answered>
    </PageFrame>
  );
}

function FeedTable({ feeds }: { readonly feeds: readonly Feed[] }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const sayResource = useResourceName();
  const columns: readonly Column<Feed>[] = [
    {
      name: 'feed',
      label: say('feed'),
      cell: ({ activityCode, resource, feed }) => (
        <a href={placeAddress(['operator', 'messages'], { activity: activityCode, resource, feed })}>
          {activityCode} · {sayResource(resource)} · {feed}
        </a>
      ),
    },
    { name: 'lag', label: say('lag'), cell: ({ receivedAt }) => <Instant at={receivedAt} /> },
    {
      name: 'state',
      label: say('state'),
      cell: ({ lastMessage }) => (lastMessage === null ? '–' : <StateBadge state={lastMessage.state} />),
    },
    {
      name: 'last',
      label: say('lastMessage'),
      cell: ({ lastMessage }) =>
        lastMessage === null ? (
          '–'
        ) : (
          <a href={placeAddress(['operator', 'messages', lastMessage.id])}>{lastMessage.id}</a>
        ),
    },
    ...(['read', 'new', 'changed', 'refused'] as const).map(
      (name): Column<Feed> => ({
        name,
        label: say(name),
        isNumber: true,
        cell: ({ lastMessage }) => (lastMessage === null ? '–' : number(lastMessage.counts[name])),
      }),
    ),
    { name: 'missing', label: say('missing'), isNumber: true, cell: ({ missing }) => number(missingOf(missing)) },
  ];
  return (
    <DataTable
      label={say('feeds')}
      columns={columns}
      rows={feeds}
      keyOf={({ activityCode, resource, feed }) => `${activityCode} ${resource} ${feed}`}
    />
  );
}

/** Number of missing sequence numbers. */
export function missingOf(ranges: Feed['missing']): number {
  return ranges.reduce((sum, [from = 0, to = 0]) => sum + to - from + 1, 0);
}
