// Requests of clients and their responses: found by client, by problem, or by the id of the request.
import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { ProblemText } from '../../states.tsx';
import type { RequestPage } from '../../../../client/src/index.ts';
import { useSettings } from '../../contexts.ts';
import { useDraft } from '../../kept-draft.ts';
import { goTo, placeAddress, usePlace } from '../../route.ts';
import { useTexts } from '../../texts/texts.ts';
import { ActorName } from '../actor-name.tsx';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame } from '../page-frame.tsx';
import { usePaged } from '../paged.ts';
import { StatusBadge } from '../state-badge.tsx';
import { useOperatorWords } from '../words/words.ts';

type LoggedRequest = RequestPage['requests'][number];

interface Asked {
  readonly client: string;
  readonly requestId: string;
  readonly problems: boolean;
}

export function RequestsPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const { parameters } = usePlace();
  const asked: Asked = {
    client: parameters.get('client') ?? '',
    requestId: parameters.get('requestId') ?? '',
    problems: parameters.get('problems') === 'true',
  };
  const paged = usePaged(['requests', asked], async (after, signal) => {
    const page = await platform.requests(
      {
        ...(asked.client !== '' && { client: asked.client }),
        ...(asked.requestId !== '' && { requestId: asked.requestId }),
        ...(asked.problems && { problems: 'true' }),
        ...(after !== undefined && { after }),
        limit: 50,
      },
      { signal },
    );
    return { rows: page.requests, after: page.after };
  });
  return (
    <PageFrame
      title={say('requestLog')}
      intro={say('requestLogIntro')}
      actions={
        <Button variant="default" onClick={paged.again}>
          {say('readAgain')}
        </Button>
      }
    >
      <Search key={JSON.stringify(asked)} asked={asked} />
      <PagedRows paged={paged} nothing={say('noRequests')}>
        {(requests) => <RequestTable requests={requests} />}
      </PagedRows>
    </PageFrame>
  );
}

function Search({ asked }: { readonly asked: Asked }): ReactElement {
  const say = useOperatorWords();
  const [typed, setTyped, forgetTyped] = useDraft('request-search', asked);
  const { client, requestId, problems } = typed;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        forgetTyped();
        goTo(
          placeAddress(['operator', 'requests'], {
            ...{ client: client.trim(), requestId: requestId.trim() },
            problems: problems ? 'true' : null,
          }),
        );
      }}
    >
      <Group gap="sm" align="flex-end">
        <TextInput
          label={say('clientOrKey')}
          value={client}
          onChange={({ currentTarget }) => setTyped({ ...typed, client: currentTarget.value })}
        />
        <TextInput
          label={say('requestId')}
          value={requestId}
          onChange={({ currentTarget }) => setTyped({ ...typed, requestId: currentTarget.value })}
        />
        <Checkbox
          label={say('problemsOnly')}
          checked={problems}
          onChange={({ currentTarget }) => setTyped({ ...typed, problems: currentTarget.checked })}
          mb={12}
        />
        <Button type="submit">{say('search')}</Button>
      </Group>
    </form>
  );
}

function RequestTable({ requests }: { readonly requests: readonly LoggedRequest[] }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const columns: readonly Column<LoggedRequest>[] = [
    { name: 'at', label: say('at'), cell: ({ at }) => <Instant at={at} /> },
    {
      name: 'client',
      label: say('clientOrKey'),
      cell: ({ client, subject }) => (
        <a href={placeAddress(['operator', 'requests'], { client })}>
          <ActorName id={client} subject={subject} />
        </a>
      ),
    },
    { name: 'status', label: say('status'), cell: ({ status }) => <StatusBadge status={status} /> },
    { name: 'asked', label: say('asked'), cell: (request) => <AskedFor request={request} /> },
    {
      name: 'time',
      label: say('took'),
      isNumber: true,
      cell: (row) => say('milliseconds', { ms: number(row.milliseconds) }),
    },
    { name: 'id', label: say('requestId'), cell: ({ requestId }) => <code>{requestId}</code> },
    {
      name: 'further',
      label: say('further'),
      isNumber: true,
      cell: ({ further }) => (further === 0 ? '–' : `+ ${number(further)}`),
    },
  ];
  return <DataTable label={say('requestLog')} columns={columns} rows={requests} keyOf={({ id }) => id} />;
}

/** Characters of a request that its row shows: the filter of an export may have thousands. */
const maxShown = 160;

/**
 * The request as received; a long one is opened by a click. Below it the problem, with a link to the service's
 * explanation.
 */
function AskedFor({ request }: { readonly request: LoggedRequest }): ReactElement {
  const { baseUrl } = useSettings();
  const { method, target, problem, detail } = request;
  return (
    <Stack gap={0} className="asked">
      <Target text={`${method} ${target}`} />
      {problem !== null && (
        <Text size="sm">
          <a href={`${baseUrl}/problems/${problem}`}>{problem}</a> <ProblemText slug={problem} detail={detail ?? ''} />
        </Text>
      )}
    </Stack>
  );
}

function Target({ text }: { readonly text: string }): ReactElement {
  if (text.length <= maxShown) return <code>{text}</code>;
  return (
    <details>
      <summary>
        <code>{text.slice(0, maxShown)}…</code>
      </summary>
      <code>{text}</code>
    </details>
  );
}
