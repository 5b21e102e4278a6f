// Pick-up points at the shipping desk: searching near an address.
import { Button, Card, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { PickupPoint } from '../../../../client/src/index.ts';
import { useDraft } from '../../kept-draft.ts';
import { goTo, placeAddress, usePlace } from '../../route.ts';
import { Notice } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useOperator } from '../contexts.ts';
import { Answered, Facts } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';
import type { DeskAccount } from './account-choice.tsx';
import { FieldFaults } from './field-faults.tsx';

/** Named like the fields of the label request, as the interface's parameters are. */
const fieldNames = ['destCountry', 'destZip', 'destCity', 'destAddr2', 'weight'] as const;

type Near = Readonly<Record<(typeof fieldNames)[number], string>>;

export function PointSearch({ account }: { readonly account: DeskAccount }): ReactElement {
  const say = useOperatorWords();
  const { parameters } = usePlace();
  const given = (name: keyof Near): string => parameters.get(name) ?? '';
  const near: Near = {
    destCountry: given('destCountry') || 'FR',
    destZip: given('destZip'),
    destCity: given('destCity'),
    destAddr2: given('destAddr2'),
    weight: given('weight'),
  };
  return (
    <Stack gap="md">
      <Text c="dimmed">{say('pointsIntro')}</Text>
      <Request key={JSON.stringify(near)} account={account} near={near} />
      {near.destZip !== '' && <Found account={account} near={near} />}
    </Stack>
  );
}

function Request({ account, near }: { readonly account: DeskAccount; readonly near: Near }): ReactElement {
  const say = useOperatorWords();
  const [typed, setTyped, forgetTyped] = useDraft('point-search', near);
  const input = (name: keyof Near, label: string, maxLength: number, required = false): ReactElement => (
    <TextInput
      label={label}
      value={typed[name]}
      onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
      maxLength={maxLength}
      required={required}
    />
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const trimmed = Object.fromEntries(fieldNames.map((name) => [name, typed[name].trim()]));
        forgetTyped();
        goTo(placeAddress(['operator', 'labels', 'points'], { ...account, ...trimmed }));
      }}
    >
      <Group gap="sm" align="flex-end">
        {input('destCountry', say('country'), 2, true)}
        {input('destZip', say('postcode'), 10, true)}
        {input('destCity', say('town'), 100)}
        {input('destAddr2', say('street'), 100)}
        {input('weight', say('grams'), 6)}
        <Button type="submit">{say('find')}</Button>
      </Group>
    </form>
  );
}

function Found({ account, near }: { readonly account: DeskAccount; readonly near: Near }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const { context, carrier } = account;
  const { destCountry, destZip, destCity, destAddr2, weight } = near;
  const optional = Object.entries({ destCity, destAddr2, weight }).filter(([, value]) => value !== '');
  const query = useQuery({
    queryKey: ['platform', 'points', account, near],
    queryFn: ({ signal }) =>
      platform.desk.points(context, carrier, { destCountry, destZip, ...Object.fromEntries(optional) }, { signal }),
    staleTime: 60_000,
  });
  return (
    <>
      <Answered query={query}>
        {({ points }) =>
          points.length === 0 ? (
            <Notice icon="empty" title={say('noPoints')} />
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              {points.map((point) => (
                <Point key={point.labelRequest.shippingPickupPoint} point={point} />
              ))}
            </SimpleGrid>
          )
        }
      </Answered>
      <FieldFaults error={query.error} />
    </>
  );
}

function Point({ point }: { readonly point: PickupPoint }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const { labelRequest, name, street, supplement, zip, city, country, distanceMeters, maxGrams } = point;
  return (
    <Card withBorder padding="lg" component="article">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            {name}
          </Title>
          <Text>{[street, supplement, `${zip} ${city}`, country].filter((line) => line.trim() !== '').join(', ')}</Text>
        </div>
        <Facts
          facts={[
            [say('pointNumber'), `${labelRequest.shippingPickupPoint} (${labelRequest.shippingPickupPointCountry})`],
            [say('deliveryMode'), labelRequest.modeLiv],
            [say('distance'), distanceMeters === null ? null : say('meters', { meters: number(distanceMeters) })],
            [say('heaviest'), maxGrams === null ? null : say('gramsOf', { grams: number(maxGrams) })],
          ]}
          hidesEmpty
        />
        <OpeningHours point={point} />
      </Stack>
    </Card>
  );
}

function OpeningHours({ point: { openingHours } }: { readonly point: PickupPoint }): ReactElement {
  const say = useOperatorWords();
  return (
    <div>
      {[...Map.groupBy(openingHours, ({ day }) => day)].map(([day, hours]) => (
        <Text key={day} size="sm">
          {say(`day-${day}`)} {hours.map(({ from, to }) => `${from}–${to}`).join(', ')}
        </Text>
      ))}
    </div>
  );
}
