// A figure of the overview: a number that links to the list behind it.
import { Button, Card, Group, Skeleton, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from '../icons.tsx';
import { useTexts } from '../texts/texts.ts';

/** Two figures fit side by side even on a phone. */
export const figurePadding = { base: 'sm', xs: 'lg' };
const figureSize = { base: '1.5rem', xs: '2rem' };

interface FigureProps {
  readonly name: string;
  readonly icon: IconName;
  /** Of the list behind it. */
  readonly address: string;
  /** Undefined: loading; null: loading failed. */
  readonly value: ReactNode | undefined;
  /** What it counts, and how accurate it is. */
  readonly hint: string;
  /** Reads it again after a failure. */
  readonly again: () => void;
}

export function FigureCard({ name, icon, address, value, hint, again }: FigureProps): ReactElement {
  const head = (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Icon name={icon} />
    </Group>
  );
  if (value === null) return <NotRead head={head} name={name} again={again} />;
  return (
    <Card component="a" href={address} withBorder p={figurePadding} className="figure">
      {head}
      {value === undefined ? (
        <Skeleton height={40} width={96} my={4} />
      ) : (
        <Text fz={figureSize} fw={700} my={4} lh={1.25} className="number">
          {value}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    </Card>
  );
}

function NotRead(props: { readonly head: ReactElement; readonly name: string; readonly again: () => void }) {
  const { say } = useTexts();
  return (
    <Card withBorder p={figurePadding}>
      {props.head}
      <Text size="sm" my="xs" role="status">
        {say('failed')}
      </Text>
      <Group mt="auto">
        <Button variant="light" aria-label={`${say('again')}: ${props.name}`} onClick={props.again}>
          {say('again')}
        </Button>
      </Group>
    </Card>
  );
}
