// Fields of a carrier account's form: the settings of its carrier as the service describes them, secrets, the sender.
import { Checkbox, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { ProblemError, type CarrierSettings } from '../../../../client/src/index.ts';
import { labelFieldFacts } from '../../generated/label-fields.ts';
import { type LabelField, labelFieldName } from '../../ship/label-fields.ts';
import { English, ValueFault } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useOperatorWords } from '../words/words.ts';
import type { DescribedCarrier, DescribedSetting, Entered, EnteredSecrets } from './account-draft.ts';
import { frenchMeaning } from './setting-meanings-fr.ts';

interface SettingFieldsProps {
  readonly carrier: DescribedCarrier;
  readonly values: Entered;
  readonly secrets: EnteredSecrets;
  /** Names of the secrets that the account has. */
  readonly stored: readonly string[];
  readonly error: unknown;
  readonly onChange: (name: string, value: string) => void;
  /** @param value null: the stored secret stays */
  readonly onSecret: (name: string, value: string | null) => void;
}

/** The settings, those that few accounts have behind a fold that opens where one of them has a value or a fault. */
export function SettingFields(props: SettingFieldsProps): ReactElement {
  const say = useOperatorWords();
  const { carrier, values, error } = props;
  const [usual, rare] = [false, true].map((isRare) => carrier.settings.filter((setting) => setting.rare === isRare));
  const mustSee = rare?.some(({ name }) => (values[name] ?? '') !== '' || faultAt(error, `settings.${name}`) !== null);
  const fields = (settings: readonly DescribedSetting[] = []): ReactElement => (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {settings.map((setting) => (
        <SettingField key={setting.name} setting={setting} {...props} />
      ))}
    </SimpleGrid>
  );
  return (
    <Stack gap="md">
      {fields(usual)}
      {rare !== undefined && rare.length > 0 && (
        <details open={mustSee === true || undefined}>
          <summary className="more">{say('rareSettings')}</summary>
          {fields(rare)}
        </details>
      )}
    </Stack>
  );
}

function SettingField(props: SettingFieldsProps & { readonly setting: DescribedSetting }): ReactElement {
  const { setting, carrier, values, error, onChange } = props;
  const say = useOperatorWords();
  const { name, secret, required, otherwise, choices } = setting;
  if (secret) return <SecretField {...props} />;
  const common = {
    label: name,
    description: <Meaning carrier={carrier.carrier} setting={setting} />,
    error: faultNode(error, `settings.${name}`),
    required,
    ...(otherwise !== null && otherwise !== '' && { placeholder: say('otherwiseIs', { value: otherwise }) }),
  };
  const value = values[name] ?? '';
  return choices === null ? (
    <TextInput
      {...common}
      value={value}
      onChange={(event) => onChange(name, event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
    />
  ) : (
    <Select
      {...common}
      data={choices}
      value={choices.includes(value) ? value : null}
      clearable={!required}
      onChange={(chosen) => onChange(name, chosen ?? '')}
    />
  );
}

/** Never shows what is stored; empty, the stored secret stays. */
function SecretField(props: SettingFieldsProps & { readonly setting: DescribedSetting }): ReactElement {
  const { setting, carrier, secrets, stored, error, onSecret } = props;
  const say = useOperatorWords();
  const { name, required } = setting;
  const isStored = stored.includes(name);
  const isRemoved = secrets[name] === '';
  return (
    <Stack gap="xs">
      <TextInput
        type="password"
        label={name}
        description={<Meaning carrier={carrier.carrier} setting={setting} />}
        error={faultNode(error, `settings.${name}`)}
        required={required && !isStored}
        {...(isStored && !isRemoved && { placeholder: say('isKept') })}
        value={secrets[name] ?? ''}
        onChange={(event) => onSecret(name, event.currentTarget.value === '' ? null : event.currentTarget.value)}
        autoComplete="new-password"
        disabled={isRemoved}
      />
      {isStored && !required && (
        <Checkbox
          label={say('removeSecret', { name })}
          checked={isRemoved}
          onChange={(event) => onSecret(name, event.currentTarget.checked ? '' : null)}
        />
      )}
    </Stack>
  );
}

function Meaning(props: { readonly carrier: string; readonly setting: DescribedSetting }): ReactElement {
  const { language } = useTexts();
  const { name, meaning } = props.setting;
  const french = language === 'fr' ? frenchMeaning(props.carrier, name) : null;
  return french === null ? <English>{meaning}</English> : <>{french}</>;
}

export function SenderFields(props: {
  readonly fields: CarrierSettings['senderFields'];
  readonly values: Entered;
  readonly error: unknown;
  readonly onChange: (name: string, value: string) => void;
}): ReactElement {
  const { language } = useTexts();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {props.fields.map(({ name, maxLength }) => (
        <TextInput
          key={name}
          label={isLabelField(name) ? labelFieldName(name, language) : name}
          value={props.values[name] ?? ''}
          maxLength={maxLength}
          error={faultNode(props.error, `sender.${name}`)}
          onChange={(event) => props.onChange(name, event.currentTarget.value)}
        />
      ))}
    </SimpleGrid>
  );
}

function isLabelField(name: string): name is LabelField {
  return Object.hasOwn(labelFieldFacts, name);
}

/** What a refusal says of a field; null: nothing. */
function faultAt(error: unknown, field: string): string | null {
  const sentences = error instanceof ProblemError ? error.problem.errors?.[field] : undefined;
  return sentences === undefined ? null : sentences.join(' ');
}

export function faultNode(error: unknown, field: string): ReactNode {
  const fault = faultAt(error, field);
  return fault === null ? undefined : <ValueFault>{fault}</ValueFault>;
}
