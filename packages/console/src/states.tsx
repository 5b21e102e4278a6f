// What stands in the place of records: loading, nothing, failed, forbidden.
import { Button, Center, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { ConnectionError, ProblemError } from '../../client/src/index.ts';
import { Icon, type IconName } from './icons.tsx';
import { useTexts } from './texts/texts.ts';

/** After so long the reader is told that it is not stuck. */
const slowMs = 4000;

interface LoadingProps {
  readonly rows?: number;
  /** It stands in the place of a chart, and is as high as one. */
  readonly isChart?: boolean;
  /** It stands in the place of more than a window shows: what is below is out of sight, and is not seen to move. */
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
  /** It stands in the place of the whole page, whose heading it is. */
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

/** Says what went wrong in the words of the service, and how the request is found in its log. */
export function Failed({ error, again }: { readonly error: unknown; readonly again?: () => void }): ReactElement {
  const { say } = useTexts();
  const problem = error instanceof ProblemError ? error : null;
  const title = error instanceof ConnectionError ? 'offline' : problem?.status === 403 ? 'forbidden' : 'failed';
  return (
    <Notice icon="warning" title={say(title)}>
      {problem !== null && <Text>{problem.message}</Text>}
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
