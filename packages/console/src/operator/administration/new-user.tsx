// Adds a user, who gets a link for choosing a password.
import { Button, Card, Group, Stack, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import type { InvitedUser } from '../../../../client/src/index.ts';
import { useDraft } from '../../kept-draft.ts';
import { useTexts } from '../../texts/texts.ts';
import { Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { useOperatorWords } from '../words/words.ts';
import { RightsFields, type UserRights } from './fields.tsx';
import { ShownOnce } from './shown-once.tsx';

const emptyUser: UserRights & { readonly login: string } = {
  ...{ login: '', activityCodes: [], operator: false, roles: [], secondFactorRequired: false },
};

export function NewUser(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [draft, setDraft] = useDraft('user', emptyUser);
  const { login, roles, ...rights } = draft;
  const [invited, setInvited] = useState<InvitedUser | null>(null);
  const adding = useAction(async () => {
    setInvited(null);
    const given = { login: login.trim(), ...rights, roles: rights.operator ? roles : [], invite: true };
    setInvited(await platform.administration.addUser(given));
    setDraft({ ...draft, login: '' });
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
            onChange={(event) => setDraft({ ...draft, login: event.currentTarget.value })}
            maxLength={100}
            required
          />
          <RightsFields rights={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
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
