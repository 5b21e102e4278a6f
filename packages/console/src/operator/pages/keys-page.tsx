// Platform keys: the credentials of programs on the warehouse side; made here, shown once, revoked.
import { Button, Card, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactElement, useState } from 'react';
import type { AdministeredKey, NewKey as MadeKey } from '../../../../client/src/index.ts';
import { Icon } from '../../icons.tsx';
import { placeAddress } from '../../route.ts';
import { ActivitiesField, type Role, RolesField } from '../administration/fields.tsx';
import { ShownOnce } from '../administration/shown-once.tsx';
import { ActionButton, Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame } from '../page-frame.tsx';
import { usePaged } from '../paged.ts';
import { useOperatorWords } from '../words/words.ts';

export function KeysPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [isAdding, { toggle }] = useDisclosure();
  const paged = usePaged(['keys'], async (after, signal) => {
    const page = await platform.administration.keys(after === undefined ? {} : { after }, { signal });
    return { rows: page.keys, after: page.after };
  });
  return (
    <PageFrame
      title={say('keys')}
      intro={say('keysIntro')}
      actions={
        <Button leftSection={<Icon name="add" />} onClick={toggle} aria-expanded={isAdding}>
          {say('addKey')}
        </Button>
      }
    >
      {isAdding && <NewKey />}
      <PagedRows paged={paged} nothing={say('noKeys')}>
        {(keys) => <KeyTable keys={keys} />}
      </PagedRows>
    </PageFrame>
  );
}

function NewKey(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [name, setName] = useState('');
  const [everyActivity, setEvery] = useState(false);
  const [activityCodes, setActivityCodes] = useState<string[]>([]);
  const [roles, setRoles] = useState<Role[]>(['outbox']);
  const [made, setMade] = useState<MadeKey | null>(null);
  const adding = useAction(async () => {
    setMade(null);
    setMade(
      await platform.administration.addKey({
        ...{ name: name.trim(), roles },
        ...(everyActivity ? { everyActivity } : { activityCodes }),
      }),
    );
    setName('');
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
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={60}
            required
          />
          <Checkbox
            label={say('everyActivity')}
            checked={everyActivity}
            onChange={(event) => setEvery(event.currentTarget.checked)}
          />
          {!everyActivity && <ActivitiesField value={activityCodes} onChange={setActivityCodes} />}
          <RolesField value={roles} onChange={setRoles} />
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
        <a href={placeAddress(['operator', 'requests'], { client: id })}>
          <code>{id}</code>
        </a>
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
