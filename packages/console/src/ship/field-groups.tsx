// The fields of a label form in their groups, each in the form that the carrier accepts: a list of codes or a text.
import { Card, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { ValueFault } from '../states.tsx';
import type { ShippingAccount } from '../../../client/src/index.ts';
import { labelFieldFacts } from '../generated/label-fields.ts';
import { useTexts, useWords } from '../texts/texts.ts';
import { fieldGroups, type LabelDraft, type LabelField, labelFieldName } from './label-fields.ts';
import { modeText } from './mode-names.ts';
import { shipWords } from './words.ts';

interface GroupsProps {
  readonly account: ShippingAccount;
  readonly values: LabelDraft;
  readonly errors: Readonly<Partial<Record<LabelField, string>>>;
  readonly onChange: (field: LabelField, value: string) => void;
}

export function FieldGroups(props: GroupsProps): ReactElement {
  const say = useWords(shipWords);
  const { language } = useTexts();
  const { account, errors, values } = props;
  return (
    <>
      {fieldGroups.map(({ name, fields, isOpen }) => {
        const content = (
          <Stack gap="md">
            {name === 'sender' && account.presetFields.length > 0 && (
              <Text size="sm" c="dimmed">
                {say('senderPreset', { fields: presetText(account, (field) => labelFieldName(field, language)) })}
              </Text>
            )}
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {fields.map((field) => (
                <Field key={field} field={field} {...props} />
              ))}
            </SimpleGrid>
          </Stack>
        );
        const mustSee = fields.some(
          (field) =>
            errors[field] !== undefined || account.requiredFields.includes(field) || (values[field] ?? '') !== '',
        );
        return (
          <Card key={name} withBorder padding="lg">
            {isOpen ? (
              <Stack gap="md">
                <Title order={2} size="h5">
                  {say(name)}
                </Title>
                {content}
              </Stack>
            ) : (
              <details open={mustSee || undefined}>
                <summary className="more">{say(name)}</summary>
                {content}
              </details>
            )}
          </Card>
        );
      })}
      <Card withBorder padding="lg">
        <Outputs {...props} />
      </Card>
    </>
  );
}

function Field({
  field,
  account,
  values,
  errors,
  onChange,
}: GroupsProps & { readonly field: LabelField }): ReactElement {
  const { language } = useTexts();
  const say = useWords(shipWords);
  const facts = labelFieldFacts[field];
  const choices = account.choices.find((choice) => choice.field === field)?.values;
  const common = {
    label: labelFieldName(field, language),
    required: account.requiredFields.includes(field),
    error: englishFault(errors[field]),
    ...(account.presetFields.includes(field) && { placeholder: say('asPreset') }),
  };
  const value = values[field] ?? '';
  return choices === undefined ? (
    <TextInput
      {...common}
      value={value}
      maxLength={facts.max}
      inputMode={field === 'weight' || field === 'nbPackage' || field === 'crtValue' ? 'numeric' : 'text'}
      onChange={(event) => onChange(field, event.currentTarget.value)}
    />
  ) : (
    <Select
      {...common}
      data={choices.map((code) => ({ value: code, label: modeText(account.carrier, field, code, language) }))}
      value={choices.includes(value) ? value : null}
      clearable={!common.required}
      onChange={(chosen) => onChange(field, chosen ?? '')}
    />
  );
}

function Outputs({ account, values, errors, onChange }: GroupsProps): ReactElement {
  const say = useWords(shipWords);
  const { language } = useTexts();
  const chosen = account.outputs.find(({ outputType }) => outputType === values.outputType) ?? account.outputs[0];
  return (
    <Stack gap="md">
      <Title order={2} size="h5">
        {say('output')}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={labelFieldName('outputType', language)}
          data={account.outputs.map(({ outputType }) => outputType)}
          value={chosen?.outputType ?? null}
          error={englishFault(errors.outputType)}
          allowDeselect={false}
          onChange={(type) => onChange('outputType', type ?? '')}
        />
        <Select
          label={labelFieldName('outputFormat', language)}
          data={chosen?.outputFormats ?? []}
          value={
            chosen?.outputFormats.find((format) => format === values.outputFormat) ?? chosen?.outputFormats[0] ?? null
          }
          error={englishFault(errors.outputFormat)}
          allowDeselect={false}
          onChange={(format) => onChange('outputFormat', format ?? '')}
        />
      </SimpleGrid>
    </Stack>
  );
}

function englishFault(fault: string | undefined): ReactElement | undefined {
  return fault === undefined ? undefined : <ValueFault>{fault}</ValueFault>;
}

function presetText({ presetFields }: ShippingAccount, nameOf: (field: LabelField) => string): string {
  return presetFields.map((field) => (isLabelField(field) ? nameOf(field) : field)).join(', ');
}

function isLabelField(name: string): name is LabelField {
  return Object.hasOwn(labelFieldFacts, name);
}
