// One field in the form of an article: of the article itself, or of an element of its lists.
import { Select, TextInput } from '@mantine/core';
import { memo, type ReactElement } from 'react';
import { useSession } from '../contexts.ts';
import type { ArticleFieldFacts } from '../generated/article-fields.ts';
import { measureOf, useUnits } from '../measures.ts';
import { Reasons } from '../states.tsx';
import { useTexts } from '../texts/texts.ts';
import type { ArticleList } from './edited.ts';
import { frenchMeaning } from './field-meanings-fr.ts';
import type { ArticleFault } from './values.ts';

const fieldOrder: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

interface FieldProps {
  /** The list whose elements have it; null: the article has it. */
  readonly list: ArticleList | null;
  readonly field: ArticleFieldFacts;
  readonly value: string;
  readonly fault: readonly ArticleFault[] | undefined;
  readonly isFixed?: boolean;
  /** The same function in every drawing. */
  readonly onChange: (name: string, value: string) => void;
}

/** Drawn anew only where something of the field itself has changed: a form has a hundred of them. */
export const ArticleField = memo(function ArticleField(props: FieldProps): ReactElement {
  const { list, field, value, fault, isFixed, onChange } = props;
  const { fieldName, language, say } = useTexts();
  const { activityCodes } = useSession();
  const unit = useUnits()(measureOf(field.name));
  const meaning = language === 'fr' ? frenchMeaning(field, list) : field.meaning;
  const common = {
    label: fieldName(field.name),
    required: field.required,
    error: fault === undefined ? undefined : <Reasons reasons={fault} />,
    // Below its field, so that fields beside each other stay level where one of them says more.
    inputWrapperOrder: fieldOrder,
    description: unit === null ? meaning : `${meaning ?? ''} (${unit})`.trimStart(),
  };
  const choices =
    field.kind === 'boolean'
      ? [
          { value: 'true', label: say('yes') },
          { value: 'false', label: say('no') },
        ]
      : field.name === 'activityCode' && activityCodes.length > 0
        ? activityCodes.map((code) => ({ value: code, label: code }))
        : null;
  return choices === null ? (
    <TextInput
      {...common}
      value={value}
      disabled={isFixed}
      maxLength={field.max ?? 40}
      inputMode={field.kind === 'integer' || field.kind === 'decimal' ? 'decimal' : 'text'}
      placeholder={field.kind === 'date-time' ? '2026-01-31T12:00:00Z' : undefined}
      onChange={(event) => onChange(field.name, event.currentTarget.value)}
    />
  ) : (
    <Select
      {...common}
      data={choices}
      disabled={isFixed}
      clearable={!field.required}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(field.name, chosen ?? '')}
    />
  );
});
