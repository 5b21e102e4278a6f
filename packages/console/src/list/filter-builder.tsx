// The filter of a list: its conditions, each of which can be removed, a form for adding one, and the text itself.
import { ActionIcon, Button, Card, Group, Pill, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useEffect, useRef } from 'react';
import type { FieldFacts } from '../generated/resources.ts';
import { Icon } from '../icons.tsx';
import { useDraft } from '../kept-draft.ts';
import { useTexts } from '../texts/texts.ts';
import { type Comparison, comparisonsIn, filterText, type Operator, operators } from './filter.ts';

interface BuilderProps {
  /** Of the list: unfinished input is kept under it. */
  readonly name: string;
  readonly fields: readonly FieldFacts[];
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

export function FilterBuilder({ name, fields, filter, onFilter }: BuilderProps): ReactElement {
  const { say } = useTexts();
  const comparisons = comparisonsIn(filter);
  return (
    <Card withBorder padding="md">
      <Stack gap="md">
        {comparisons === null ? (
          <Text size="sm">{say('filterByHand')}</Text>
        ) : (
          <>
            <Conditions comparisons={comparisons} onFilter={onFilter} />
            <NewCondition
              name={name}
              fields={fields}
              onAdd={(added) => onFilter(filterText([...comparisons, added]))}
            />
          </>
        )}
        <FilterAsText name={name} filter={filter} onFilter={onFilter} />
      </Stack>
    </Card>
  );
}

function Conditions(props: {
  readonly comparisons: readonly Comparison[];
  readonly onFilter: (filter: string) => void;
}): ReactElement | null {
  const { say, fieldName } = useTexts();
  const { comparisons, onFilter } = props;
  if (comparisons.length === 0) return null;
  return (
    <Group gap="xs">
      {comparisons.map((each, index) => {
        const told = `${fieldName(each.field)} ${say(each.operator)} ${each.value}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no other name than its place
          <Pill key={index} size="lg" component="span">
            <Group gap={4} wrap="nowrap">
              {told}
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`${say('remove')}: ${told}`}
                onClick={() => onFilter(filterText(comparisons.filter((_other, place) => place !== index)))}
              >
                <Icon name="close" size={14} />
              </ActionIcon>
            </Group>
          </Pill>
        );
      })}
      <Button variant="subtle" size="compact-sm" onClick={() => onFilter('')}>
        {say('clearFilter')}
      </Button>
    </Group>
  );
}

function NewCondition(props: {
  readonly name: string;
  readonly fields: readonly FieldFacts[];
  readonly onAdd: (comparison: Comparison) => void;
}): ReactElement {
  const { say, fieldName } = useTexts();
  const begun: Comparison = { field: props.fields[0]?.name ?? '', operator: '==', value: '' };
  const [typed, setTyped] = useDraft(`condition-${props.name}`, begun);
  const { field, operator, value } = typed;
  const facts = props.fields.find(({ name }) => name === field);
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (value.trim() === '' || field === '') return;
    props.onAdd({ field, operator, value: value.trim() });
    setTyped({ ...typed, value: '' });
  };
  return (
    <form onSubmit={add}>
      <Group align="flex-end" gap="sm">
        <Select
          label={say('field')}
          data={props.fields.map(({ name }) => ({ value: name, label: fieldName(name) }))}
          value={field}
          onChange={(next) => setTyped({ ...typed, field: next ?? '' })}
          searchable
          flex="1 1 12rem"
        />
        <Select
          label={say('comparison')}
          data={operators.map((each) => ({ value: each, label: say(each) }))}
          value={operator}
          onChange={(next) => setTyped({ ...typed, operator: (next ?? '==') as Operator })}
          allowDeselect={false}
          flex="1 1 10rem"
        />
        <TextInput
          label={say('value')}
          value={value}
          onChange={(event) => setTyped({ ...typed, value: event.currentTarget.value })}
          placeholder={facts?.kind === 'date-time' ? '2026-11-22' : undefined}
          flex="1 1 10rem"
        />
        <Button type="submit" variant="light" leftSection={<Icon name="add" />}>
          {say('addCondition')}
        </Button>
      </Group>
    </form>
  );
}

function FilterAsText({ name, filter, onFilter }: Omit<BuilderProps, 'fields'>): ReactElement {
  const { say } = useTexts();
  const [text, setText] = useDraft(`filter-${name}`, filter);
  const known = useRef(filter);
  useEffect(() => {
    if (known.current === filter) return;
    known.current = filter;
    setText(filter);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onFilter(text.trim());
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          label={say('filterText')}
          description={say('filterHint')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          spellCheck={false}
          autoCapitalize="off"
          className="code"
          flex="1 1 20rem"
        />
        <Button type="submit" variant="default" disabled={text.trim() === filter}>
          {say('apply')}
        </Button>
      </Group>
    </form>
  );
}
