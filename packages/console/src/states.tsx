// What is shown instead of records: loading, empty, failed, forbidden; and the words of the service, of whatever fault.
import { Button, Center, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { ConnectionError, ProblemError } from '../../client/src/index.ts';
import { Icon, type IconName } from './icons.tsx';
import { useTexts } from './texts/texts.ts';

/** After this time the reader is told that it is still working. */
const slowMs = 4000;

interface LoadingProps {
  readonly rows?: number;
  /** It replaces a chart, and has the height of one. */
  readonly isChart?: boolean;
  /** It replaces more than fits in a window: what is below is out of sight, so its movement is not visible. */
  readonly isLong?: boolean;
}

export function Loading({ rows = 8, isChart = false, isLong = false }: LoadingProps): ReactElement {
  const { say } = useTexts();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Stack gap="xs" role="status" aria-label={say('loading')} mih={isLong ? '90vh' : undefined}>
      <VisuallyHidden>{say('loading')}</VisuallyHidden>
      {isChart ? (
        <Skeleton className="chart-wait" radius="sm" />
      ) : (
        Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
          <Skeleton key={row} height={28} radius="sm" />
        ))
      )}
      {isSlow && <Text c="dimmed">{say('slow')}</Text>}
    </Stack>
  );
}

export function Notice(props: {
  readonly icon: IconName;
  readonly title: string;
  /** It replaces the whole page, including the heading. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}): ReactElement {
  return (
    <Center py="xl" role="status">
      <Stack align="center" gap="sm" maw={520} ta="center">
        <Text c="dimmed">
          <Icon name={props.icon} size={40} />
        </Text>
        <Text fw={600} size="lg" component={props.isPage === true ? 'h1' : 'p'} m={0}>
          {props.title}
        </Text>
        {props.children}
      </Stack>
    </Center>
  );
}

/** Shows the error in the words of the service, and how to find the request in its log. */
export function Failed({ error, again }: { readonly error: unknown; readonly again?: () => void }): ReactElement {
  const { say } = useTexts();
  const problem = error instanceof ProblemError ? error : null;
  const title = error instanceof ConnectionError ? 'offline' : problem?.status === 403 ? 'forbidden' : 'failed';
  return (
    <Notice icon="warning" title={say(title)}>
      {problem !== null && <Text lang="en">{problem.message}</Text>}
      {problem?.requestId != null && (
        <Text size="sm" c="dimmed">
          {say('requestId')} <code>{problem.requestId}</code>
        </Text>
      )}
      {again !== undefined && (
        <Button variant="light" onClick={again}>
          {say('again')}
        </Button>
      )}
    </Notice>
  );
}

/**
 * What the service, a carrier or the browser says: English in every language of the console. Screen readers pronounce
 * it as what it is (WCAG 2.2, 3.1.2).
 */
export function English({ children }: { readonly children: ReactNode }): ReactElement {
  return <span lang="en">{children}</span>;
}

/** The reason of an error, in English. */
export function ErrorText({ error }: { readonly error: unknown }): ReactElement {
  return <English>{error instanceof Error ? error.message : String(error)}</English>;
}
