// The packaging levels of an article, drawn inside each other according to their content.
import { Card, Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { AnyRecord } from '../list/list-source.ts';
import { useMeasured } from '../measures.ts';
import { Section } from '../section.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { type ArticleWord, articleWords } from './words.ts';

interface Level {
  readonly name: ArticleWord;
  /** Number of consumer units in it. */
  readonly units: number;
  readonly length: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly weight: number | null;
}

export function Levels({ article }: { readonly article: AnyRecord }): ReactElement {
  const say = useWords(articleWords);
  const { number } = useTexts();
  const measured = useMeasured();
  const levels = levelsOf(article);
  /** The unit once, after the last side; empty where a side is unknown. */
  const sizeText = (sides: readonly (number | null)[]): string => {
    const known = sides.filter((side) => side !== null);
    const last = known.pop();
    if (last === undefined || known.length + 1 < sides.length) return '';
    return [...known.map(number), measured('length', last)].join(' × ');
  };
  return (
    <Section title={say('levels')}>
      {levels.length === 1 && levels[0]?.length === null && levels[0].weight === null ? (
        <Text c="dimmed">{say('noLevels')}</Text>
      ) : (
        <Group align="stretch">
          {levels.map((level) => (
            <Card key={level.name} withBorder padding="md" className="level">
              <Stack gap="xs">
                <Box level={level} label={say(level.name)} />
                <Text fw={600}>{say(level.name)}</Text>
                <Text size="sm">{say('holds', { count: level.units })}</Text>
                <Text size="sm" c="dimmed">
                  {[
                    sizeText([level.length, level.width, level.height]),
                    level.weight === null ? '' : measured('weight', level.weight),
                  ]
                    .filter((text) => text !== '')
                    .join(' · ')}
                </Text>
              </Stack>
            </Card>
          ))}
        </Group>
      )}
    </Section>
  );
}

/** A box in the proportions of the level; a cube when they are unknown. */
function Box({ level, label }: { readonly level: Level; readonly label: string }): ReactElement {
  const sides = [level.length, level.width, level.height].map((side) => (side === null || side <= 0 ? 1 : side));
  const longest = Math.max(...sides);
  const [length = 1, width = 1, height = 1] = sides.map((side) => Math.max(0.15, side / longest) * 60);
  const [depth, top] = [width * 0.5, width * 0.28];
  const front = `M0 ${top}h${length}v${height}h${-length}z`;
  const lid = `M0 ${top}l${depth} ${-top}h${length}l${-depth} ${top}z`;
  const side = `M${length} ${top}l${depth} ${-top}v${height}l${-depth} ${top}z`;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`-2 -2 ${length + depth + 4} ${height + top + 4}`}
      className="box"
      height={90}
    >
      <path d={front} />
      <path d={lid} />
      <path d={side} />
    </svg>
  );
}

function levelsOf(article: AnyRecord): readonly Level[] {
  const amount = (field: string): number | null => (typeof article[field] === 'number' ? article[field] : null);
  const level = (name: ArticleWord, units: number | null, suffix: string, weight: string): Level => ({
    ...{ name, units: units ?? 0, weight: amount(weight) },
    length: amount(`length${suffix}`),
    width: amount(`width${suffix}`),
    height: amount(`height${suffix}`),
  });
  const packs = [
    level('levelSpcb', amount('quantityPerSPCB'), 'PerSPCB', 'grossWeightPerSPCB'),
    level('levelPcb', amount('quantityPerPCB'), 'PerPCB', 'grossWeightPerPCB'),
    level('levelPallet', amount('uvcQuantityPerCartonOrPalette'), 'PerCartonOrPalette', 'weightPerCartonOrPalette'),
  ];
  return [level('levelUvc', 1, 'PerUVC', 'grossWeightPerUVC'), ...packs.filter(isOwnLevel)];
}

/** A pack of one unit without measures of its own is the unit itself. */
function isOwnLevel({ units, length, width, height, weight }: Level): boolean {
  return units > 1 || (units > 0 && [length, width, height, weight].some((measure) => measure !== null));
}
