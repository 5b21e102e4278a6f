// The end of a day at the shipping desk: its handover lists, their papers, and making them.
import { Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { HandoverDay } from '../../../../client/src/index.ts';
import { useDraft } from '../../kept-draft.ts';
import { saveFile } from '../../list/save-file.ts';
import { goTo, placeAddress, usePlace } from '../../route.ts';
import { Notice } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { ActionButton } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { Answered, type Column, DataTable, Facts, Instant, Part } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';
import type { DeskAccount } from './account-choice.tsx';

type List = HandoverDay['handovers'][number];

export function EndOfDay({ account }: { readonly account: DeskAccount }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const { context, carrier } = account;
  const day = usePlace().parameters.get('day') ?? '';
  const query = useQuery({
    queryKey: ['platform', 'handovers', context, carrier, day],
    queryFn: ({ signal }) => platform.desk.handovers(context, carrier, dayQuery(day), { signal }),
  });
  return (
    <Stack gap="md">
      <Text c="dimmed">{say('dayIntro')}</Text>
      <DayChoice key={query.data?.day ?? day} account={account} day={query.data?.day ?? day} />
      <Answered query={query}>{(found) => <Day found={found} />}</Answered>
    </Stack>
  );
}

/** Without a date, the service uses today's in France. */
function dayQuery(day: string): { readonly day?: string } {
  return day === '' ? {} : { day };
}

function DayChoice({ account, day }: { readonly account: DeskAccount; readonly day: string }): ReactElement {
  const say = useOperatorWords();
  const [typed, setTyped, forgetTyped] = useDraft('handover-day', day);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        forgetTyped();
        goTo(placeAddress(['operator', 'labels', 'day'], { ...account, day: typed }));
      }}
    >
      <Group gap="sm" align="flex-end">
        <TextInput
          type="date"
          label={say('shippingDay')}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          required
        />
        <Button type="submit" variant="default">
          {say('show')}
        </Button>
      </Group>
    </form>
  );
}

function Day({ found }: { readonly found: HandoverDay }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const { platform } = useOperator();
  const { context, carrier, day, openLabels, doubtfulLabels, handovers } = found;
  const endDay = async (): Promise<string> => {
    const { openLabels: left } = await platform.desk.handOver(context, carrier, { day });
    return left === 0 ? say('listsMade') : say('listsGoOn', { count: left });
  };
  return (
    <>
      <Card withBorder padding="lg">
        <Stack gap="sm">
          <Facts
            facts={[
              [say('activity'), found.activityCode],
              [say('openLabels'), number(openLabels)],
              [say('doubtfulLabels'), number(doubtfulLabels)],
            ]}
          />
          {doubtfulLabels > 0 && <Text size="sm">{say('doubtfulMeaning')}</Text>}
          <Group>
            <ActionButton
              label={say('makeLists')}
              question={say('makeListsQuestion')}
              variant="filled"
              disabled={openLabels === 0 && handovers.every(({ state }) => state === 'made' || state === 'refused')}
              act={endDay}
            />
          </Group>
        </Stack>
      </Card>
      <Part title={say('lists')}>
        {handovers.length === 0 ? <Notice icon="empty" title={say('noLists')} /> : <Lists lists={handovers} />}
      </Part>
    </>
  );
}

function Lists({ lists }: { readonly lists: readonly List[] }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const columns: readonly Column<List>[] = [
    { name: 'created', label: say('created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
    { name: 'state', label: say('state'), cell: ({ state }) => say(`list-${state}`) },
    { name: 'labels', label: say('labelCount'), isNumber: true, cell: ({ labels }) => number(labels) },
    { name: 'parcels', label: say('parcelCount'), isNumber: true, cell: ({ parcels }) => number(parcels) },
    { name: 'number', label: say('number'), cell: ({ number: given }) => given ?? '–' },
    { name: 'paper', label: say('paper'), cell: (list) => <Paper list={list} /> },
    { name: 'detail', label: say('details'), cell: ({ detail }) => detail || '–' },
  ];
  return <DataTable label={say('lists')} columns={columns} rows={lists} keyOf={({ handoverId }) => handoverId} />;
}

function Paper({ list: { document, handoverId } }: { readonly list: List }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  if (document === null) return <>–</>;
  const save = async (): Promise<null> => {
    saveFile(await platform.desk.handoverDocument(document), `handover-${handoverId}.pdf`);
    return null;
  };
  return <ActionButton label={say('savePaper')} icon="export" act={save} />;
}
