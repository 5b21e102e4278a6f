// Advances of the demonstration's clock: requesting one, and the results of earlier requests.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Demonstration, DemonstrationAdvance } from '../../../../client/src/index.ts';
import { English } from '../../states.tsx';
import { useDraft } from '../../kept-draft.ts';
import { useTexts } from '../../texts/texts.ts';
import { Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, Part } from '../page-frame.tsx';
import { StateBadge } from '../state-badge.tsx';
import { useOperatorWords } from '../words/words.ts';

const usual = [
  ['oneHour', 1],
  ['oneDay', 24],
  ['sevenDays', 168],
] as const;
const maxHours = 168;

export function AdvanceForm(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [typed, setTyped, forgetTyped] = useDraft('advance-hours', '');
  const own = Number(typed);
  const fits = Number.isInteger(own) && own >= 1 && own <= maxHours;
  const asking = useAction(async (hours: number) => {
    await platform.demonstration.advance({ hours });
    if (hours === own) forgetTyped();
    return say('advanceAsked', { hours });
  });
  return (
    <Part title={say('advanceClock')}>
      <Text c="dimmed">{say('advanceMeaning')}</Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fits) asking.mutate(own);
        }}
      >
        <Group gap="sm" align="flex-end">
          {usual.map(([word, hours]) => (
            <Button
              key={word}
              variant="default"
              loading={asking.isPending && asking.variables === hours}
              onClick={() => asking.mutate(hours)}
            >
              {say(word)}
            </Button>
          ))}
          <TextInput
            type="number"
            label={say('ownHours')}
            min={1}
            max={maxHours}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            maw={180}
          />
          <Button type="submit" variant="default" disabled={!fits}>
            {say('advanceBy')}
          </Button>
        </Group>
      </form>
      <Outcome error={asking.error} told={asking.data ?? null} />
    </Part>
  );
}

export function AdvanceTable({ demonstration }: { readonly demonstration: Demonstration }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const { advances, deliveredTo } = demonstration;
  const columns: readonly Column<DemonstrationAdvance>[] = [
    { name: 'number', label: say('number'), isNumber: true, cell: ({ advanceId }) => number(advanceId) },
    {
      name: 'state',
      label: say('state'),
      cell: (advance) => (
        <Stack gap={4} align="flex-start">
          <StateBadge state={advance.state} />
          <Progress advance={advance} deliveredTo={deliveredTo} />
          {advance.failure !== null && <English>{advance.failure}</English>}
        </Stack>
      ),
    },
    { name: 'hours', label: say('hours'), isNumber: true, cell: ({ hours }) => number(hours) },
    {
      name: 'fromTo',
      label: say('fromTo'),
      cell: ({ from, to }) => (
        <>
          <Instant at={from} /> → <Instant at={to} />
        </>
      ),
    },
    { name: 'askedAt', label: say('askedAt'), cell: ({ askedAt }) => <Instant at={askedAt} /> },
    { name: 'askedBy', label: say('askedBy'), cell: ({ askedBy }) => askedBy },
  ];
  return (
    <Part title={say('advances')}>
      {advances.length === 0 ? (
        <Text c="dimmed">{say('noAdvances')}</Text>
      ) : (
        <DataTable
          label={say('advances')}
          columns={columns}
          rows={advances}
          keyOf={({ advanceId }) => String(advanceId)}
        />
      )}
    </Part>
  );
}

interface ProgressProps {
  readonly advance: DemonstrationAdvance;
  readonly deliveredTo: string;
}

/** How much of an advance in progress has been delivered. */
function Progress({ advance: { advanceId, state, from, to }, deliveredTo }: ProgressProps): ReactElement | null {
  const say = useOperatorWords();
  if (state !== 'running' || from === null || to === null) return null;
  const [begin, end, now] = [from, to, deliveredTo].map((at) => Date.parse(at));
  if (begin === undefined || end === undefined || now === undefined) return null;
  const label = say('progressOf', { number: advanceId });
  return <progress aria-label={label} max={end - begin} value={Math.max(0, Math.min(end, now) - begin)} />;
}
