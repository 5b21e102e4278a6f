// Adds a user, who gets a link at which to choose a password.
import { Button, Card, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import type { InvitedUser } from '../../../../client/src/index.ts';
import { useTexts } from '../../texts/texts.ts';
import { Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { useOperatorWords } from '../words/words.ts';
import { ActivitiesField, type Role, RolesField } from './fields.tsx';
import { ShownOnce } from './shown-once.tsx';

export function NewUser(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [login, setLogin] = useState('');
  const [activityCodes, setActivityCodes] = useState<string[]>([]);
  const [operator, setOperator] = useState(false);
  const [roles, setRoles] = useState<Role[]>([]);
  const [secondFactorRequired, setDemanded] = useState(false);
  const [invited, setInvited] = useState<InvitedUser | null>(null);
  const adding = useAction(async () => {
    setInvited(null);
    const rights = { activityCodes, operator, roles: operator ? roles : [], secondFactorRequired };
    setInvited(await platform.administration.addUser({ login: login.trim(), ...rights, invite: true }));
    setLogin('');
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
            label={say('login')}
            description={say('loginMeaning')}
            value={login}
            onChange={(event) => setLogin(event.currentTarget.value)}
            maxLength={100}
            required
          />
          <ActivitiesField value={activityCodes} onChange={setActivityCodes} />
          <Checkbox
            label={say('isOperator')}
            checked={operator}
            onChange={(event) => setOperator(event.currentTarget.checked)}
          />
          {operator && <RolesField value={roles} onChange={setRoles} />}
          <Checkbox
            label={say('demandFactor')}
            checked={secondFactorRequired}
            onChange={(event) => setDemanded(event.currentTarget.checked)}
          />
          <Group>
            <Button type="submit" loading={adding.isPending}>
              {say('addAndInvite')}
            </Button>
          </Group>
          <Outcome error={adding.error} told={null} />
          {invited !== null && <Invitation invited={invited} />}
        </Stack>
      </form>
    </Card>
  );
}

export function Invitation({ invited }: { readonly invited: InvitedUser }): ReactElement | null {
  const say = useOperatorWords();
  const { instant } = useTexts();
  const { login, invitation } = invited;
  if (invitation === undefined || invitation === null) return null;
  return (
    <ShownOnce
      name={say('invitationFor', { login })}
      value={invitation.address}
      more={say('goodUntil', { instant: instant(invitation.expiresAt) })}
    />
  );
}
