// Platform keys: the credentials of programs on the warehouse side; created here, shown once, revoked.
import { Button, Card, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import type { AdministeredKey, NewKey as MadeKey } from '../../../../client/src/index.ts';
import { useDraft } from '../../kept-draft.ts';
import { placeAddress } from '../../route.ts';
import { allKeys } from '../administration/all-of.ts';
import { CsvExport } from '../administration/csv-export.tsx';
import { ActivitiesField, RolesField } from '../administration/fields.tsx';
import { KeyImport } from '../administration/imports.tsx';
import { keysText } from '../administration/key-csv.ts';
import type { Role } from '../administration/roles.ts';
import { ShownOnce } from '../administration/shown-once.tsx';
import { ActionButton, Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame } from '../page-frame.tsx';
import { PageLink } from '../page-link.tsx';
import { usePanel } from '../panel.tsx';
import { SearchField, useSearched } from '../search-field.tsx';
import { pageLength, useSearchedPages } from '../searched-pages.ts';
import { useOperatorWords } from '../words/words.ts';

export function KeysPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const searched = useSearched();
  const paged = useSearchedPages({
    key: ['keys'],
    read: async (after, signal) => {
      const asked = { limit: pageLength, ...(after !== undefined && { after }) };
      const page = await platform.administration.keys(asked, { signal });
      return { rows: page.keys, after: page.after };
    },
    readAll: (signal) => allKeys(platform, signal),
    textsOf: ({ id, name }) => [id, name],
  });
  const panel = usePanel('keys', { add: say('addKey'), import: say('importCsv') });
  return (
    <PageFrame
      title={say('keys')}
      intro={say('keysIntro')}
      actions={
        <>
          {panel.buttons}
          <CsvExport file="keys.csv" text={async () => keysText(await allKeys(platform))} />
        </>
      }
    >
      {panel.shown === 'add' && <NewKey />}
      {panel.shown === 'import' && <KeyImport />}
      <SearchField />
      <PagedRows paged={paged} nothing={say(searched === '' ? 'noKeys' : 'nothingFound')}>
        {(keys) => <KeyTable keys={keys} />}
      </PagedRows>
    </PageFrame>
  );
}

interface KeyDraft {
  readonly name: string;
  readonly everyActivity: boolean;
  readonly activityCodes: string[];
  readonly roles: Role[];
}

const emptyKey: KeyDraft = { name: '', everyActivity: false, activityCodes: [], roles: ['outbox'] };

function NewKey(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [draft, setDraft] = useDraft('key', emptyKey);
  const { name, everyActivity, activityCodes, roles } = draft;
  const [made, setMade] = useState<MadeKey | null>(null);
  const adding = useAction(async () => {
    setMade(null);
    setMade(
      await platform.administration.addKey({
        ...{ name: name.trim(), roles },
        ...(everyActivity ? { everyActivity } : { activityCodes }),
      }),
    );
    setDraft({ ...draft, name: '' });
    return null;
  });
  return (
    <Card withBorder padding="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate();
        }}
      >
        <Stack gap="sm" maw={560}>
          <TextInput
            label={say('name')}
            value={name}
            onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
            maxLength={60}
            required
          />
          <Checkbox
            label={say('everyActivity')}
            checked={everyActivity}
            onChange={(event) => setDraft({ ...draft, everyActivity: event.currentTarget.checked })}
          />
          {!everyActivity && (
            <ActivitiesField value={activityCodes} onChange={(codes) => setDraft({ ...draft, activityCodes: codes })} />
          )}
          <RolesField value={roles} onChange={(chosen) => setDraft({ ...draft, roles: chosen })} />
          <Group>
            <Button type="submit" loading={adding.isPending}>
              {say('addKey')}
            </Button>
          </Group>
          <Outcome error={adding.error} told={null} />
          {made !== null && <ShownOnce name={say('keyOf', { name: made.name })} value={made.key} />}
        </Stack>
      </form>
    </Card>
  );
}

function KeyTable({ keys }: { readonly keys: readonly AdministeredKey[] }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const columns: readonly Column<AdministeredKey>[] = [
    { name: 'name', label: say('name'), cell: ({ name }) => <b>{name}</b> },
    {
      name: 'id',
      label: say('id'),
      cell: ({ id }) => (
        <PageLink address={placeAddress(['operator', 'requests'], { client: id })}>
          <code>{id}</code>
        </PageLink>
      ),
    },
    {
      name: 'activities',
      label: say('activities'),
      cell: ({ activityCodes }) => activityCodes?.join(', ') ?? say('everyActivity'),
    },
    { name: 'roles', label: say('roles'), cell: ({ roles }) => roles.join(', ') },
    { name: 'used', label: say('lastUsed'), cell: ({ lastUsedAt }) => <Instant at={lastUsedAt} /> },
    { name: 'created', label: say('created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
    {
      name: 'state',
      label: say('state'),
      cell: ({ id, name, revokedAt }) =>
        revokedAt !== null ? (
          <>
            {say('revoked')} <Instant at={revokedAt} />
          </>
        ) : (
          <ActionButton
            label={say('revoke')}
            question={say('revokeQuestion', { name })}
            color="red"
            act={async () => {
              await platform.administration.revokeKey(id);
              return null;
            }}
          />
        ),
    },
  ];
  return <DataTable label={say('keys')} columns={columns} rows={keys} keyOf={({ id }) => id} />;
}
