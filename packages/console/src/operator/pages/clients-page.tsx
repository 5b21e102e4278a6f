// Clients: the programs that call the interface; registered, changed, given a new secret, disabled, removed.
import { Card, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { AdministeredClient } from '../../../../client/src/index.ts';
import { changedMembers } from '../../kept-draft.ts';
import { goTo, placeAddress } from '../../route.ts';
import { useTexts } from '../../texts/texts.ts';
import { allClients } from '../administration/all-of.ts';
import { clientsText } from '../administration/client-csv.ts';
import { type ClientDraft, ClientForm, emptyClient } from '../administration/client-form.tsx';
import { CsvExport } from '../administration/csv-export.tsx';
import { ClientImport } from '../administration/imports.tsx';
import { ShownOnce } from '../administration/shown-once.tsx';
import { ActionButton, Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { Answered, type Column, DataTable, Facts, Instant, PagedRows, PageFrame, Part } from '../page-frame.tsx';
import { PageLink } from '../page-link.tsx';
import { usePanel } from '../panel.tsx';
import { SearchField, useSearched } from '../search-field.tsx';
import { pageLength, useSearchedPages } from '../searched-pages.ts';
import { useOperatorWords } from '../words/words.ts';
import { UserState } from './users-page.tsx';

export function ClientsPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const searched = useSearched();
  const paged = useSearchedPages({
    key: ['clients'],
    read: async (after, signal) => {
      const asked = { limit: pageLength, ...(after !== undefined && { after }) };
      const page = await platform.administration.clients(asked, { signal });
      return { rows: page.clients, after: page.after };
    },
    readAll: (signal) => allClients(platform, signal),
    textsOf: ({ id, name, activityCodes }) => [id, name, ...activityCodes],
  });
  const panel = usePanel('clients', { add: say('addClient'), import: say('importCsv') });
  return (
    <PageFrame
      title={say('clients')}
      intro={say('clientsIntro')}
      actions={
        <>
          {panel.buttons}
          <CsvExport file="clients.csv" text={async () => clientsText(await allClients(platform))} />
        </>
      }
    >
      {panel.shown === 'add' && <NewClient />}
      {panel.shown === 'import' && <ClientImport />}
      <SearchField />
      <PagedRows paged={paged} nothing={say(searched === '' ? 'noClients' : 'nothingFound')}>
        {(clients) => <ClientTable clients={clients} />}
      </PagedRows>
    </PageFrame>
  );
}

function NewClient(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [secret, setSecret] = useState<{ readonly name: string; readonly value: string } | null>(null);
  const adding = useAction(async (draft: ClientDraft) => {
    setSecret(null);
    const made = await platform.administration.registerClient(draft);
    if (made.secret !== null) setSecret({ name: made.name, value: made.secret });
    return say('added', { name: made.id });
  });
  return (
    <Card withBorder padding="lg">
      <Stack gap="sm">
        <ClientForm
          draftName="client"
          client={emptyClient}
          flags={['confidential', 'readOnly', 'service', 'pkceRequired', 'platform']}
          button={say('addClient')}
          isPending={adding.isPending}
          onSave={(draft, forget) => adding.mutate(draft, { onSuccess: forget })}
        />
        <Outcome error={adding.error} told={adding.data ?? null} />
        {secret !== null && <ShownOnce name={say('secretOf', { name: secret.name })} value={secret.value} />}
      </Stack>
    </Card>
  );
}

function ClientTable({ clients }: { readonly clients: readonly AdministeredClient[] }): ReactElement {
  const say = useOperatorWords();
  const columns: readonly Column<AdministeredClient>[] = [
    {
      name: 'name',
      label: say('client'),
      cell: ({ id, name }) => <a href={placeAddress(['operator', 'clients', id])}>{name}</a>,
    },
    { name: 'id', label: say('id'), cell: ({ id }) => <code>{id}</code> },
    { name: 'activities', label: say('activities'), cell: ({ activityCodes }) => activityCodes.join(', ') || '–' },
    { name: 'state', label: say('state'), cell: ({ disabledAt }) => <UserState isDisabled={disabledAt !== null} /> },
    { name: 'created', label: say('created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
  ];
  return <DataTable label={say('clients')} columns={columns} rows={clients} keyOf={({ id }) => id} />;
}

export function ClientPage({ id }: { readonly id: string }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const query = useQuery({
    queryKey: ['platform', 'client', id],
    queryFn: ({ signal }) => platform.administration.client(id, { signal }),
  });
  return (
    <PageFrame
      title={query.data?.name ?? id}
      back={{ address: placeAddress(['operator', 'clients']), label: say('clients') }}
    >
      <Answered query={query}>
        {(client) => (
          <>
            <About client={client} />
            <Change client={client} />
            <WayIn client={client} />
          </>
        )}
      </Answered>
    </PageFrame>
  );
}

function About({ client }: { readonly client: AdministeredClient }): ReactElement {
  const say = useOperatorWords();
  const { say: sayCommon } = useTexts();
  return (
    <Card withBorder padding="lg">
      <Facts
        facts={[
          [say('state'), <UserState key="state" isDisabled={client.disabledAt !== null} />],
          [say('id'), <code key="id">{client.id}</code>],
          [say('confidential'), sayCommon(client.confidential ? 'yes' : 'no')],
          [say('created'), <Instant key="created" at={client.createdAt} />],
          [
            say('requestLog'),
            <PageLink
              key="requests"
              address={placeAddress(['operator', 'requests'], { client: client.id })}
              otherwise="–"
            >
              {say('itsRequests')}
            </PageLink>,
          ],
        ]}
      />
    </Card>
  );
}

function Change({ client }: { readonly client: AdministeredClient }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const begun = { ...client, redirectUris: [...client.redirectUris], activityCodes: [...client.activityCodes] };
  const saving = useAction(async (draft: ClientDraft) => {
    await platform.administration.changeClient(client.id, changedMembers(draft, begun));
    return say('savedUser');
  });
  return (
    <Part title={say('rights')}>
      <ClientForm
        key={JSON.stringify(client)}
        draftName={`client-${client.id}`}
        client={begun}
        flags={['readOnly', 'service', 'pkceRequired', 'platform']}
        button={say('save')}
        isPending={saving.isPending}
        onSave={(draft, forget) => saving.mutate(draft, { onSuccess: forget })}
      />
      <Outcome error={saving.error} told={saving.data ?? null} />
    </Part>
  );
}

/** How long the old secret stays valid beside the new one. */
const keepOldHours = 48;

function WayIn({ client }: { readonly client: AdministeredClient }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [secret, setSecret] = useState<string | null>(null);
  const set = (action: 'disable' | 'enable') => async () => {
    await platform.administration.setClient(client.id, action);
    return null;
  };
  const rotate = (kept: { readonly keepOldHours?: number }) => async () => {
    setSecret((await platform.administration.rotateSecret(client.id, kept)).secret);
    return null;
  };
  return (
    <Part title={say('wayIn')}>
      <Group align="flex-start" gap="xs">
        {client.confidential && (
          <>
            <ActionButton label={say('rotate')} question={say('rotateQuestion')} act={rotate({ keepOldHours })} />
            <ActionButton
              label={say('rotateAtOnce')}
              question={say('rotateAtOnceQuestion')}
              color="red"
              act={rotate({})}
            />
          </>
        )}
        {client.disabledAt === null ? (
          <ActionButton
            key="disable"
            label={say('disable')}
            question={say('disableQuestion')}
            color="red"
            act={set('disable')}
          />
        ) : (
          <ActionButton key="enable" label={say('enable')} act={set('enable')} />
        )}
        <ActionButton
          label={say('removeClient')}
          question={say('removeClientQuestion', { name: client.name })}
          color="red"
          act={async () => {
            await platform.administration.setClient(client.id, 'remove');
            goTo(placeAddress(['operator', 'clients']));
            return null;
          }}
        />
      </Group>
      {secret !== null && <ShownOnce name={say('secretOf', { name: client.name })} value={secret} />}
    </Part>
  );
}
