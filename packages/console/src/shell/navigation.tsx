// The menu: links to the pages of each area, and to the service's documentation.
import { NavLink, ScrollArea, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { type Area, areas, type Way, wayOf } from '../areas.ts';
import { useOperatorRoles, useSettings, useSignedIn } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { placeAddress } from '../route.ts';
import type { TextName } from '../texts/en.ts';
import { useTexts } from '../texts/texts.ts';

interface NavigationProps {
  /** Parts of the current page's address. */
  readonly parts: readonly string[];
  readonly onGo: () => void;
}

export function Navigation({ parts, onGo }: NavigationProps): ReactElement {
  const { say } = useTexts();
  const { baseUrl } = useSettings();
  const here = wayOf(parts);
  return (
    <ScrollArea className="ways">
      {areas.map((area) => (
        <Ways key={area.path} area={area} here={here} onGo={onGo} />
      ))}
      {(['reference', 'changelog', 'problems'] as const).map((name) => (
        <NavLink
          key={name}
          href={`${baseUrl}/${name === 'reference' ? 'docs' : name}`}
          hrefLang="en"
          label={say(name)}
          leftSection={<Icon name="code" />}
          className="way"
        />
      ))}
    </ScrollArea>
  );
}

interface WaysProps {
  readonly area: Area;
  readonly here: Way | null;
  readonly onGo: () => void;
}

function Ways({ area, here, onGo }: WaysProps): ReactElement {
  const { say } = useTexts();
  const { hasDemonstration } = useSettings();
  const roles = useOperatorRoles();
  // Until the roles of an operator are known, only the entry page is certain.
  const isOpen = { client: useSignedIn('client'), operator: roles !== null && roles.length > 0 };
  const all = area.needs === null || isOpen[area.needs] || area.door === null ? area.ways : [area.door];
  const isThere = ({ role, ofDemonstration }: Way): boolean =>
    (role === undefined || roles?.includes(role) === true) && (ofDemonstration !== true || hasDemonstration);
  const ways = all.filter(isThere);
  return (
    <>
      {area.title !== null && all === area.ways && <SectionTitle name={area.title} />}
      {ways.map((way) => (
        <NavLink
          key={way.name}
          href={placeAddress(way.parts)}
          label={say(way.name)}
          leftSection={<Icon name={way.icon} />}
          active={way === here}
          aria-current={way === here ? 'page' : undefined}
          onClick={onGo}
          className="way"
        />
      ))}
    </>
  );
}

function SectionTitle({ name }: { readonly name: TextName }): ReactElement {
  const { say } = useTexts();
  return (
    <Text size="sm" c="dimmed" mt="lg" mb={4} px="sm">
      {say(name)}
    </Text>
  );
}
