// Figures that count the records of a list, up to a bound: parcels in transit, and expected receptions.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useSession } from '../contexts.ts';
import { placeAddress } from '../route.ts';
import { useTexts, useWords } from '../texts/texts.ts';
import { walked } from './bounded-walk.ts';
import { FigureCard } from './figure-card.tsx';
import { dayFrom, since } from './filters.ts';
import { overviewWords } from './words.ts';

/** After this many days most parcels have arrived. */
const onTheirWayDays = 3;
/** The most pages of 100 records that are read; a count of an incomplete list says so. */
const maxPages = 3;

interface FigureProps {
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function ParcelsOnTheirWay({ now }: FigureProps): ReactElement {
  const say = useWords(overviewWords);
  const { client } = useSession();
  const filter = since('lastPackageLoadDate', dayFrom(now, -onTheirWayDays));
  const parcels = useQuery({
    queryKey: ['overview-parcels', filter],
    queryFn: async ({ signal }) => {
      const query = { filter, sort: '-lastPackageLoadDate' };
      const { records, next } = await walked(client.orderReports, query, null, { maxPages, signal });
      const count = records.reduce((sum, report) => sum + report.parcels.length, 0);
      return { count, reports: records.length, isWhole: next === null };
    },
    staleTime: 60_000,
  });
  const told = useCounted();
  const ofReports = parcels.data?.isWhole === false ? 'ofNewestReports' : 'ofReports';
  const reports = parcels.data === undefined ? '' : `${say(ofReports, { count: parcels.data.reports })} `;
  return (
    <FigureCard
      name={say('onTheirWay')}
      icon="movements"
      address={placeAddress(['order-reports'], { filter })}
      value={parcels.isPending ? undefined : parcels.isError ? null : told(parcels.data)}
      hint={`${reports}${say('onTheirWayHint')}`}
      again={() => void parcels.refetch()}
    />
  );
}

export function Receptions({ now }: FigureProps): ReactElement {
  const say = useWords(overviewWords);
  const { client } = useSession();
  const filter = since('expectedReceiptDate', dayFrom(now, 0));
  const expected = useQuery({
    queryKey: ['overview-receptions', filter],
    queryFn: async ({ signal }) => {
      const query = { filter, sort: 'expectedReceiptDate' };
      const { records, next } = await walked(client.procurements, query, null, { maxPages, signal });
      return { count: records.length, isWhole: next === null };
    },
    staleTime: 60_000,
  });
  const told = useCounted();
  return (
    <FigureCard
      name={say('receptions')}
      icon="procurements"
      address={placeAddress(['procurements'], { filter })}
      value={expected.isPending ? undefined : expected.isError ? null : told(expected.data)}
      hint={say('receptionsHint')}
      again={() => void expected.refetch()}
    />
  );
}

interface Counted {
  readonly count: number;
  readonly isWhole: boolean;
}

function useCounted(): (counted: Counted) => string {
  const { number } = useTexts();
  return ({ count, isWhole }) => `${isWhole ? '' : '≥ '}${number(count)}`;
}
