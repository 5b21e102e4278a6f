// A list in the form of an article: its elements are added, removed, put into another order, and opened to be changed.
import { ActionIcon, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactElement, type ReactNode, useState } from 'react';
import { Icon } from '../icons.tsx';
import { Reasons } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { type ArticleFaults, type EditedElement, isFaulty, newElement } from './edited.ts';
import { articleWords } from './words.ts';

/** Longer lists begin closed: each element has many fields. */
const maxOpen = 4;

interface ListProps {
  readonly title: string;
  readonly addText: string;
  /** What an element is called. @param place from 1 */
  readonly nameOf: (place: number) => string;
  /** What is seen of one that is closed. */
  readonly summaryOf: (element: EditedElement) => string;
  /** What a new one begins with, as typed. */
  readonly begun: Readonly<Record<string, string>>;
  readonly elements: readonly EditedElement[];
  /** Place of the list: faults of its elements are below it. */
  readonly place: string;
  readonly faults: ArticleFaults;
  readonly onChange: (elements: readonly EditedElement[]) => void;
  /** The fields of an element. */
  readonly children: (element: EditedElement, place: string, index: number) => ReactNode;
}

export function ElementList(props: ListProps): ReactElement {
  const { title, addText, nameOf, summaryOf, begun, elements, place, faults, onChange, children } = props;
  const fault = faults[place];
  /** Those that were opened or closed by hand, by key. */
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>({});
  const add = (): void => {
    const added = newElement(begun);
    setChosen({ ...chosen, [added.key]: true });
    onChange([...elements, added]);
  };
  return (
    <Stack gap="md" component="section" aria-label={title}>
      <Title order={place.includes('/') ? 3 : 2} size="h5">
        {title}
      </Title>
      {fault !== undefined && (
        <Text c="red" size="sm" role="alert">
          <Reasons reasons={fault} />
        </Text>
      )}
      {elements.map((element, index) => {
        const own = `${place}/${element.key}`;
        const isOpen = isFaulty(faults, own) || (chosen[element.key] ?? elements.length <= maxOpen);
        return (
          <Card key={element.key} withBorder padding="md" role="group" aria-label={nameOf(index + 1)}>
            <Stack gap="sm">
              <ElementHead
                name={nameOf(index + 1)}
                summary={summaryOf(element)}
                isOpen={isOpen}
                isFirst={index === 0}
                isLast={index === elements.length - 1}
                onOpen={() => setChosen({ ...chosen, [element.key]: !isOpen })}
                onMove={(by) => onChange(moved(elements, index, by))}
                onRemove={() => onChange(elements.filter((one) => one !== element))}
              />
              {faults[own] !== undefined && (
                <Text c="red" size="sm" role="alert">
                  <Reasons reasons={faults[own]} />
                </Text>
              )}
              {isOpen && children(element, own, index)}
            </Stack>
          </Card>
        );
      })}
      <Group>
        <Button variant="default" leftSection={<Icon name="add" />} onClick={add}>
          {addText}
        </Button>
      </Group>
    </Stack>
  );
}

function ElementHead(props: {
  readonly name: string;
  readonly summary: string;
  readonly isOpen: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onOpen: () => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}): ReactElement {
  const { name, summary, isOpen, isFirst, isLast, onOpen, onMove, onRemove } = props;
  const say = useWords(articleWords);
  const { pair, say: sayCommon } = useTexts();
  const tool = { variant: 'subtle', color: 'gray', size: 44 } as const;
  return (
    <Group justify="space-between" gap="xs">
      <Button variant="subtle" px="xs" aria-expanded={isOpen} onClick={onOpen} leftSection={<span className="fold" />}>
        {summary === '' ? name : pair(name, summary)}
      </Button>
      <Group gap={0}>
        <ActionIcon {...tool} disabled={isFirst} aria-label={pair(say('moveUp'), name)} onClick={() => onMove(-1)}>
          <Icon name="up" />
        </ActionIcon>
        <ActionIcon {...tool} disabled={isLast} aria-label={pair(say('moveDown'), name)} onClick={() => onMove(1)}>
          <Icon name="down" />
        </ActionIcon>
        <ActionIcon {...tool} aria-label={pair(sayCommon('remove'), name)} onClick={onRemove}>
          <Icon name="close" />
        </ActionIcon>
      </Group>
    </Group>
  );
}

function moved(elements: readonly EditedElement[], index: number, by: -1 | 1): readonly EditedElement[] {
  const others = elements.toSpliced(index, 1);
  return others.toSpliced(index + by, 0, ...elements.slice(index, index + 1));
}
