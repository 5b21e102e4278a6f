// The test of a carrier account: a button for each account, and the carrier's answer.
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { CarrierAccountTest } from '../../../../client/src/index.ts';
import { Outcome } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { useOperatorWords } from '../words/words.ts';
import type { DeskAccount } from './account-choice.tsx';

/** One test at a time. */
export type AccountTesting = UseMutationResult<CarrierAccountTest, Error, DeskAccount>;

export function useAccountTest(): AccountTesting {
  const { platform } = useOperator();
  return useMutation({ mutationFn: ({ context, carrier }) => platform.desk.testAccount(context, carrier) });
}

interface TestProps {
  readonly account: DeskAccount;
  readonly testing: AccountTesting;
}

export function AccountTestButton({ account: { context, carrier }, testing }: TestProps): ReactElement {
  const say = useOperatorWords();
  const { variables, isPending } = testing;
  const isThis = variables?.context === context && variables.carrier === carrier;
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`${say('testAccount')}: ${nameOf({ context, carrier })}`}
      loading={isPending && isThis}
      disabled={isPending && !isThis}
      onClick={() => testing.mutate({ context, carrier })}
    >
      {say('testAccount')}
    </Button>
  );
}

export function AccountTestOutcome({ testing }: { readonly testing: AccountTesting }): ReactElement | null {
  const say = useOperatorWords();
  const { variables, isPending, error, data } = testing;
  if (variables === undefined) return null;
  const name = nameOf(variables);
  if (isPending) return <Text role="status">{say('testing', { name })}</Text>;
  if (data === undefined) return <Outcome error={error} told={null} />;
  const [word, color] =
    data.works === null
      ? (['accountUntested', 'yellow'] as const)
      : data.works
        ? (['accountWorks', 'green'] as const)
        : (['accountFails', 'red'] as const);
  return (
    <Alert color={color} role={data.works === false ? 'alert' : 'status'}>
      <Stack gap={4}>
        <Text fw={700}>{say(word, { name })}</Text>
        <Text lang="en">{data.detail}</Text>
      </Stack>
    </Alert>
  );
}

function nameOf({ context, carrier }: DeskAccount): string {
  return `${context}, ${carrier}`;
}
