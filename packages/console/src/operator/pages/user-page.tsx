// One person who signs in: their rights, their credentials, and where they are signed in.
import { Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { AdministeredUser, InvitedUser, SignedIn } from '../../../../client/src/index.ts';
import { changedMembers, useDraft } from '../../kept-draft.ts';
import { goTo, placeAddress } from '../../route.ts';
import { RightsFields, type UserRights } from '../administration/fields.tsx';
import { Invitation } from '../administration/new-user.tsx';
import { allRoles } from '../administration/roles.ts';
import { ActionButton, Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { Answered, DataTable, Facts, Instant, PageFrame, Part } from '../page-frame.tsx';
import { PageLink } from '../page-link.tsx';
import { useOperatorWords } from '../words/words.ts';
import { factorOf, UserState } from './users-page.tsx';

export function UserPage({ id }: { readonly id: string }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const query = useQuery({
    queryKey: ['platform', 'user', id],
    queryFn: ({ signal }) => platform.administration.user(id, { signal }),
  });
  return (
    <PageFrame
      title={query.data?.login ?? say('users')}
      back={{ address: placeAddress(['operator', 'users']), label: say('users') }}
    >
      <Answered query={query}>
        {(user) => (
          <>
            <About user={user} />
            <Rights user={user} />
            <WayIn user={user} />
            <SignIns user={user} />
          </>
        )}
      </Answered>
    </PageFrame>
  );
}

function About({ user }: { readonly user: AdministeredUser }): ReactElement {
  const say = useOperatorWords();
  return (
    <Card withBorder padding="lg">
      <Facts
        facts={[
          [say('state'), <UserState key="state" isDisabled={user.disabledAt !== null} />],
          [say('secondFactor'), say(factorOf(user))],
          [say('created'), <Instant key="created" at={user.createdAt} />],
          [say('signedOutAt'), <Instant key="out" at={user.signedOutAt} />],
          [say('id'), <code key="id">{user.id}</code>],
          [
            say('audit'),
            <PageLink key="audit" address={placeAddress(['operator', 'audit'], { actor: user.id })} otherwise="–">
              {say('whatTheyDid')}
            </PageLink>,
          ],
        ]}
      />
    </Card>
  );
}

/** The user's rights: saving writes those that were changed. */
function Rights({ user }: { readonly user: AdministeredUser }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const saving = useAction(async (draft: UserDraft) => {
    const { login, operator, roles } = draft;
    const wanted = { ...draft, login: login.trim(), roles: operator ? roles : [] };
    await platform.administration.changeUser(user.id, changedMembers(wanted, rightsOf(user)));
    return say('savedUser');
  });
  return (
    <Part title={say('rights')}>
      <RightsForm
        key={JSON.stringify(user)}
        user={user}
        isPending={saving.isPending}
        onSave={(draft, forget) => saving.mutate(draft, { onSuccess: forget })}
      />
      <Outcome error={saving.error} told={saving.data ?? null} />
    </Part>
  );
}

type UserDraft = UserRights & { readonly login: string };

function rightsOf({ login, activityCodes, operator, roles, secondFactorRequired }: AdministeredUser): UserDraft {
  return {
    ...{ login, activityCodes: [...activityCodes], operator, secondFactorRequired },
    roles: allRoles.filter((role) => roles.includes(role)),
  };
}

function RightsForm(props: {
  readonly user: AdministeredUser;
  readonly isPending: boolean;
  /** @param forget discards the kept input of the form */
  readonly onSave: (draft: UserDraft, forget: () => void) => void;
}): ReactElement {
  const { user, isPending, onSave } = props;
  const say = useOperatorWords();
  const [draft, setDraft, forget] = useDraft(`user-${user.id}`, rightsOf(user));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(draft, forget);
      }}
    >
      <Stack gap="sm" maw={560}>
        <TextInput
          label={say('login')}
          value={draft.login}
          onChange={(event) => setDraft({ ...draft, login: event.currentTarget.value })}
        />
        <RightsFields rights={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
        <Group>
          <Button type="submit" loading={isPending}>
            {say('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Password, second factor, and whether they may sign in at all. */
function WayIn({ user }: { readonly user: AdministeredUser }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [invited, setInvited] = useState<InvitedUser | null>(null);
  const set = (action: 'disable' | 'enable' | 'reset-second-factor') => async () => {
    await platform.administration.setUser(user.id, action);
    return null;
  };
  return (
    <Part title={say('wayIn')}>
      <Group align="flex-start" gap="xs">
        <ActionButton
          label={say('inviteAgain')}
          question={say('inviteQuestion')}
          act={async () => {
            setInvited(await platform.administration.inviteUser(user.id));
            return null;
          }}
        />
        {user.secondFactor && (
          <ActionButton
            label={say('resetFactor')}
            question={say('resetFactorQuestion')}
            act={set('reset-second-factor')}
          />
        )}
        {user.disabledAt === null ? (
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
          label={say('removeUser')}
          question={say('removeUserQuestion', { login: user.login })}
          color="red"
          act={async () => {
            await platform.administration.setUser(user.id, 'remove');
            goTo(placeAddress(['operator', 'users']));
            return null;
          }}
        />
      </Group>
      {invited !== null && <Invitation invited={invited} />}
    </Part>
  );
}

function SignIns({ user }: { readonly user: AdministeredUser }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const query = useQuery({
    queryKey: ['platform', 'signed-in', user.id],
    queryFn: ({ signal }) => platform.administration.signedIn(user.id, { signal }),
  });
  return (
    <Part title={say('signedIn')}>
      <Answered query={query}>{(signedIn) => <SessionTables user={user} signedIn={signedIn} />}</Answered>
    </Part>
  );
}

function SessionTables(props: { readonly user: AdministeredUser; readonly signedIn: SignedIn }): ReactElement {
  const { user, signedIn } = props;
  const say = useOperatorWords();
  const { platform } = useOperator();
  const ending = (end: () => Promise<unknown>) => async (): Promise<null> => {
    await end();
    return null;
  };
  const { sessions, programs } = signedIn;
  if (sessions.length + programs.length === 0) return <Text c="dimmed">{say('notSignedIn')}</Text>;
  return (
    <Stack gap="sm">
      {sessions.length > 0 && (
        <DataTable
          label={say('sessions')}
          rows={sessions}
          keyOf={({ id }) => id}
          columns={[
            { name: 'since', label: say('sessions'), cell: ({ since }) => <Instant at={since} /> },
            { name: 'until', label: say('until'), cell: ({ until }) => <Instant at={until} /> },
            {
              name: 'factor',
              label: say('secondFactor'),
              cell: ({ secondFactor }) => say(secondFactor ? 'factorOn' : 'factorOff'),
            },
            {
              name: 'end',
              label: say('action'),
              cell: ({ id }) => (
                <ActionButton label={say('end')} act={ending(() => platform.administration.endSession(user.id, id))} />
              ),
            },
          ]}
        />
      )}
      {programs.length > 0 && (
        <DataTable
          label={say('programs')}
          rows={programs}
          keyOf={({ clientId }) => clientId}
          columns={[
            { name: 'name', label: say('programs'), cell: ({ name, clientId }) => `${name} (${clientId})` },
            { name: 'codes', label: say('activities'), cell: ({ activityCodes }) => activityCodes.join(', ') || '–' },
            { name: 'since', label: say('since'), cell: ({ since }) => <Instant at={since} /> },
            { name: 'used', label: say('lastUsed'), cell: ({ lastUsedAt }) => <Instant at={lastUsedAt} /> },
            {
              name: 'end',
              label: say('action'),
              cell: ({ clientId }) => (
                <ActionButton
                  label={say('end')}
                  act={ending(() => platform.administration.endProgram(user.id, clientId))}
                />
              ),
            },
          ]}
        />
      )}
      <Group>
        <ActionButton
          label={say('signOutEverywhere')}
          question={say('signOutQuestion')}
          color="red"
          act={ending(() => platform.administration.signOutUser(user.id))}
        />
      </Group>
    </Stack>
  );
}
