// Actions that need confirmation: a button that asks first, shows that it is working, and then the result.
import { Alert, Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactElement, type ReactNode, useRef } from 'react';
import { ErrorText } from '../states.tsx';
import { AuthorizationError, ConnectionError, ProblemError } from '../../../client/src/index.ts';
import { Icon, type IconName } from '../icons.tsx';
import { useTexts } from '../texts/texts.ts';
import { useOperatorWords } from './words/words.ts';

interface ActionProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly variant?: ButtonProps['variant'];
  readonly color?: string;
  readonly disabled?: boolean;
  /** The confirmation question; absent: the action starts at once. */
  readonly question?: string;
  /** @returns the message shown afterwards; null: the page shows the result */
  readonly act: () => Promise<string | null>;
}

/** Afterwards everything read from the platform is refetched. */
export function useAction<Given = void>(act: (given: Given) => Promise<string | null>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => queries.invalidateQueries({ queryKey: ['platform'] }),
  });
}

export function ActionButton({ label, icon, question, act, ...look }: ActionProps): ReactElement {
  const { say } = useTexts();
  const [isAsked, { open, close }] = useDisclosure();
  const action = useAction(act);
  /** At once, where what is drawn comes later: a dialog that fades out still takes clicks. */
  const now = useRef({ isAsking: false, isActing: false });
  const ask = (): void => {
    now.current.isAsking = true;
    open();
  };
  const end = (): void => {
    now.current.isAsking = false;
    close();
  };
  const begin = (): void => {
    const { isAsking, isActing } = now.current;
    if (isActing || (question !== undefined && !isAsking)) return;
    now.current.isActing = true;
    end();
    action.mutate(undefined, {
      onSettled: () => {
        now.current.isActing = false;
      },
    });
  };
  const endsSomething = look.color === 'red';
  return (
    <Stack gap={4}>
      <Button
        variant="default"
        {...look}
        leftSection={icon === undefined ? undefined : <Icon name={icon} />}
        loading={action.isPending}
        onClick={question === undefined ? begin : ask}
        onKeyDown={ignoreRepeat}
      >
        {label}
      </Button>
      <Outcome error={action.error} told={action.data ?? null} />
      {/* What locks the page's scrolling makes style elements without a nonce, which the policy forbids. */}
      <Modal.Root opened={isAsked} onClose={end} lockScroll={false}>
        <Modal.Overlay />
        <Modal.Content>
          <Modal.Body>
            <Stack pt="md">
              <Modal.Title fw={700}>{label}</Modal.Title>
              <Text>{question}</Text>
              <Group justify="flex-end">
                <Button
                  variant="default"
                  onClick={end}
                  onKeyDown={ignoreRepeat}
                  data-autofocus={endsSomething || undefined}
                >
                  {say('cancel')}
                </Button>
                <Button
                  color={endsSomething ? 'red.9' : look.color}
                  onClick={begin}
                  onKeyDown={ignoreRepeat}
                  data-autofocus={!endsSomething || undefined}
                >
                  {label}
                </Button>
              </Group>
            </Stack>
          </Modal.Body>
        </Modal.Content>
      </Modal.Root>
    </Stack>
  );
}

/** A key that presses, if held, presses one button once, and not the next one that gets the keyboard focus. */
function ignoreRepeat(event: KeyboardEvent): void {
  if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault();
}

/** The result of an action, or why it failed. */
export function Outcome(props: { readonly error: unknown; readonly told: ReactNode }): ReactElement | null {
  const { error, told } = props;
  if (error !== null && error !== undefined)
    return (
      <Alert color="red" role="alert" icon={<Icon name="warning" />}>
        <FaultText error={error} />
      </Alert>
    );
  if (told === null || told === '') return null;
  return (
    <Alert color="green" role="status">
      {told}
    </Alert>
  );
}

/**
 * Says why an action failed: in the words of the service, and how to find the request in its log.
 * @param props.error a string is in the words of the console already
 */
export function FaultText({ error }: { readonly error: unknown }): ReactElement {
  const say = useOperatorWords();
  if (typeof error === 'string') return <>{error}</>;
  if (error instanceof ConnectionError) return <>{say('maybeDone')}</>;
  if (error instanceof AuthorizationError) return <>{say('signInOver')}</>;
  const requestId = error instanceof ProblemError ? error.requestId : null;
  return (
    <>
      <ErrorText error={error} />
      {requestId !== null && ` (${requestId})`}
    </>
  );
}
