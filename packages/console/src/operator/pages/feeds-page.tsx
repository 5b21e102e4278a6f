// The feeds, each with its last message and its gaps.
import { Checkbox } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FeedList } from '../../../../client/src/index.ts';
import { placeAddress, usePlace } from '../../route.ts';
import { useTexts } from '../../texts/texts.ts';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame } from '../page-frame.tsx';
import { usePaged } from '../paged.ts';
import { useOperatorWords } from '../words/words.ts';
import { ActivityChoice, useChosen, useResourceName } from '../choices.tsx';
import { StateBadge } from '../state-badge.tsx';

type Feed = FeedList['feeds'][number];

export function FeedsPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const { parameters } = usePlace();
  const choose = useChosen();
  const activity = parameters.get('activity') ?? '';
  const missing = parameters.get('missing') === 'true';
  const asked = { ...(activity !== '' && { activity }), ...(missing && { missing: 'true' as const }) };
  const paged = usePaged(
    ['feeds', asked],
    async (after, signal) => {
      const page = await platform.feeds({ ...asked, limit: 100, ...(after !== undefined && { after }) }, { signal });
      return { rows: page.feeds, after: page.after };
    },
    { everyMs: 30_000 },
  );
  return (
    <PageFrame title={say('feeds')} intro={say('feedsIntro')} actions={<ActivityChoice />}>
      <Checkbox
        label={say('missingOnly')}
        checked={missing}
        onChange={({ currentTarget }) => choose({ missing: currentTarget.checked ? 'true' : '' })}
      />
      <PagedRows paged={paged} nothing={say(missing ? 'nothingMissing' : 'noFeeds')}>
        {(feeds) => <FeedTable feeds={feeds} />}
      </PagedRows>
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
function missingOf(ranges: Feed['missing']): number {
  return ranges.reduce((sum, [from = 0, to = 0]) => sum + to - from + 1, 0);
}
