// Whether stock agrees with the movements: two stock images, the movements between them, and the class of each
// difference.
import { Button, Card, Checkbox, Group, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Reconciliation } from '../../../../client/src/index.ts';
import { useSignedIn } from '../../contexts.ts';
import { useDraft } from '../../kept-draft.ts';
import { goTo, placeAddress, usePlace } from '../../route.ts';
import { Failed, Loading, Notice } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useActivityCodes } from '../choices.tsx';
import { useOperator } from '../contexts.ts';
import { localDay, startOfDay } from '../local-day.ts';
import { type Column, DataTable, Facts, Instant, PageFrame, Part } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';

type ReconciledPlace = Reconciliation['places'][number];

interface Asked {
  readonly activity: string;
  readonly from: string;
  readonly to: string;
  readonly all: boolean;
}

export function ReconciliationPage(): ReactElement {
  const say = useOperatorWords();
  const { parameters } = usePlace();
  const now = new Date();
  const asked: Asked = {
    activity: parameters.get('activity') ?? '',
    from: parameters.get('from') ?? localDay(now, -1),
    to: parameters.get('to') ?? localDay(now, 1),
    all: parameters.get('all') === 'true',
  };
  return (
    <PageFrame title={say('reconciliation')} intro={say('reconciliationIntro')}>
      <Request key={JSON.stringify(asked)} asked={asked} />
      {asked.activity !== '' && <Compared asked={asked} />}
    </PageFrame>
  );
}

function Request({ asked }: { readonly asked: Asked }): ReactElement {
  const say = useOperatorWords();
  const codes = useActivityCodes();
  const [typed, setTyped, forgetTyped] = useDraft('reconciliation', asked);
  const { activity, from, to, all } = typed;
  const change = (part: Partial<Asked>): void => setTyped({ ...typed, ...part });
  const chosen = activity === '' ? (codes[0] ?? '') : activity;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        forgetTyped();
        goTo(placeAddress(['operator', 'reconciliation'], { activity: chosen, from, to, all: all ? 'true' : null }));
      }}
    >
      <Group gap="sm" align="flex-end">
        <Select
          label={say('activity')}
          data={[...new Set([...codes, ...(activity === '' ? [] : [activity])])]}
          value={chosen}
          onChange={(code) => change({ activity: code ?? '' })}
          allowDeselect={false}
          maw={160}
        />
        <TextInput
          type="date"
          label={say('from')}
          value={from}
          onChange={(e) => change({ from: e.currentTarget.value })}
        />
        <TextInput type="date" label={say('to')} value={to} onChange={(e) => change({ to: e.currentTarget.value })} />
        <Checkbox
          label={say('showAll')}
          checked={all}
          onChange={(e) => change({ all: e.currentTarget.checked })}
          mb={12}
        />
        <Button type="submit" disabled={chosen === ''}>
          {say('compare')}
        </Button>
      </Group>
    </form>
  );
}

function Compared({ asked }: { readonly asked: Asked }): ReactElement {
  const say = useOperatorWords();
  const { say: sayCommon } = useTexts();
  const { platform } = useOperator();
  const { activity, from, to, all } = asked;
  const pages = useInfiniteQuery({
    queryKey: ['platform', 'reconciliation', asked],
    queryFn: ({ pageParam: after, signal }) =>
      platform.reconcile(
        {
          ...{ activity, from: startOfDay(from), to: startOfDay(to) },
          ...(all && { all: 'true' }),
          ...(after !== undefined && { after }),
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ after }) => after ?? undefined,
    staleTime: 60_000,
  });
  const first = pages.data?.pages[0];
  if (pages.isPending) return <Loading />;
  if (first === undefined) return <Failed error={pages.error} again={() => void pages.refetch()} />;
  const places = pages.data?.pages.flatMap((page) => page.places) ?? [];
  return (
    <>
      <Totals compared={first} />
      {places.length === 0 && !pages.hasNextPage ? (
        <Notice icon="check" title={say('addsUp')} />
      ) : (
        <Part title={say('places')}>
          <PlaceTable activity={activity} places={places} />
          <Group justify="space-between">
            <span role="status">
              {sayCommon(pages.hasNextPage ? 'loadedMore' : 'loaded', { count: places.length })}
            </span>
            {pages.hasNextPage && (
              <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                {sayCommon('loadMore')}
              </Button>
            )}
          </Group>
        </Part>
      )}
      {pages.isFetchNextPageError && <Failed error={pages.error} again={() => void pages.fetchNextPage()} />}
    </>
  );
}

function Totals({ compared: { from, to, totals } }: { readonly compared: Reconciliation }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const names = [
    ...(['places', 'differing', 'movedIn', 'movedOut', 'expected', 'difference'] as const),
    ...(['movements', 'notCounted'] as const),
  ];
  return (
    <Card withBorder padding="lg">
      <Facts
        facts={[
          [say('imageFrom'), <Instant key="from" at={from.stockImageExtractionDate} />],
          [say('imageTo'), <Instant key="to" at={to.stockImageExtractionDate} />],
          ...names.map((name) => [say(name), number(totals[name])] as const),
        ]}
      />
    </Card>
  );
}

/** Articles are pages for clients' people: a link for whoever is signed in to those too. */
function ArticleLink({ activity, reference }: { readonly activity: string; readonly reference: string }): ReactElement {
  const isOpen = useSignedIn('client');
  return isOpen ? <a href={placeAddress(['articles', activity, reference])}>{reference}</a> : <>{reference}</>;
}

interface PlaceTableProps {
  readonly activity: string;
  readonly places: readonly ReconciledPlace[];
}

function PlaceTable({ activity, places }: PlaceTableProps): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const quantity = (name: 'imageFrom' | 'movedIn' | 'movedOut' | 'expected' | 'imageTo' | 'difference') => ({
    ...{ name, label: say(name), isNumber: true },
    cell: (place: ReconciledPlace) => (name === 'difference' ? <b>{number(place[name])}</b> : number(place[name])),
  });
  const columns: readonly Column<ReconciledPlace>[] = [
    {
      name: 'article',
      label: say('article'),
      cell: ({ articleReference }) => <ArticleLink activity={activity} reference={articleReference} />,
    },
    { name: 'unit', label: say('stockUnit'), cell: ({ stockUnitID }) => stockUnitID ?? '–' },
    {
      name: 'lot',
      label: say('lot'),
      cell: ({ articleLotNumber, lotsJoined }) => (lotsJoined ? '*' : articleLotNumber) ?? '–',
    },
    { name: 'grade', label: say('grade'), cell: ({ gradeCode }) => gradeCode ?? '–' },
    quantity('difference'),
    { name: 'class', label: say('class'), cell: (place) => (place.class === null ? '–' : say(`class-${place.class}`)) },
    ...(['imageFrom', 'movedIn', 'movedOut', 'expected', 'imageTo'] as const).map(quantity),
  ];
  return (
    <DataTable
      label={say('places')}
      columns={columns}
      rows={places}
      keyOf={({ articleReference, stockUnitID, articleLotNumber, gradeCode }) =>
        JSON.stringify([articleReference, stockUnitID, articleLotNumber, gradeCode])
      }
    />
  );
}
