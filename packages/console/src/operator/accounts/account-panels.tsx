// Around the form of a carrier account: a new one, and the test that follows when one was saved.
import { Alert, Group, Stack, Text } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import type { AdministeredAccount } from '../../../../client/src/index.ts';
import { placeAddress } from '../../route.ts';
import { AccountTestButton, AccountTestOutcome, useAccountTest } from '../desk/account-test.tsx';
import { useOperatorWords } from '../words/words.ts';
import { AccountForm } from './account-form.tsx';

export function NewAccount(): ReactElement {
  const [saved, setSaved] = useState<AdministeredAccount | null>(null);
  return (
    <Stack gap="md">
      <AccountForm account={null} onSaved={setSaved} />
      {saved !== null && <SavedAccount key={JSON.stringify(saved)} account={saved} isNew />}
    </Stack>
  );
}

/** Says that an account was saved, with the button that asks its carrier whether it works. */
export function SavedAccount(props: { readonly account: AdministeredAccount; readonly isNew?: boolean }): ReactElement {
  const { context, carrier } = props.account;
  const say = useOperatorWords();
  const testing = useAccountTest();
  const name = `${context}, ${carrier}`;
  return (
    <Stack gap="sm">
      <Alert color="green" role="status">
        <Group gap="sm">
          <Text size="sm">
            {props.isNew === true && `${say('accountAdded', { name })} `}
            {say('accountSaved', { name })}
          </Text>
          <AccountTestButton account={{ context, carrier }} testing={testing} />
          {props.isNew === true && (
            <a href={placeAddress(['operator', 'accounts', context, carrier])}>{say('openAccount')}</a>
          )}
        </Group>
      </Alert>
      <AccountTestOutcome testing={testing} />
    </Stack>
  );
}
