// What is shown instead of records: loading, empty, failed, forbidden; and the words of the service, of whatever fault.
import { Button, Center, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { Fragment, type ReactElement, type ReactNode, useEffect, useState } from 'react';
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
      {problem !== null && (
        <Text>
          <ErrorText error={problem} />
        </Text>
      )}
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

/** Why something failed: what the problem means in the reader's language, and what the service says of it. */
export function ErrorText({ error }: { readonly error: unknown }): ReactElement {
  const { say } = useTexts();
  if (error instanceof ConnectionError) return <>{say('offline')}</>;
  const detail = error instanceof Error ? error.message : String(error);
  return <ProblemText slug={error instanceof ProblemError ? error.slug : null} detail={detail} />;
}

/** @param props.slug null where it is no problem of this service */
export function ProblemText(props: { readonly slug: string | null; readonly detail: string }): ReactElement {
  const { refusal } = useTexts();
  const { slug, detail } = props;
  return <Told meaning={slug === null ? null : refusal('problem', slug)}>{detail}</Told>;
}

/** One thing that is wrong with a record or a file, as the service says it. */
interface ToldReason {
  readonly code: string;
  readonly detail: string;
}

export function Reasons({ reasons }: { readonly reasons: readonly ToldReason[] }): ReactElement {
  const { refusal } = useTexts();
  return (
    <>
      {reasons.map(({ code, detail }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may be alike
        <Fragment key={index}>
          {index > 0 && ' '}
          <Told meaning={refusal('reason', code)}>{detail}</Told>
        </Fragment>
      ))}
    </>
  );
}

/** What is wrong with a value, of which the service gives no code. */
export function ValueFault({ children }: { readonly children: string }): ReactElement {
  const { language, say } = useTexts();
  return <Told meaning={language === 'en' ? null : say('valueRefused')}>{children}</Told>;
}

function Told({ meaning, children }: { readonly meaning: string | null; readonly children: string }): ReactElement {
  return (
    <>
      {meaning !== null && `${meaning} `}
      <English>{children}</English>
    </>
  );
}
