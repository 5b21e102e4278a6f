// Weights, lengths and volumes with the unit in which the warehouse measures them.
import { useSettings } from './contexts.ts';
import { fieldMeasures } from './generated/resources.ts';
import { useTexts } from './texts/texts.ts';

type Measure = (typeof fieldMeasures)[string];

/** Writes a number with its unit, such as `2.4 kg`; the number alone where it has none. */
export function useMeasured(): (measure: Measure | undefined, value: number) => string {
  const unitOf = useUnits();
  const { number } = useTexts();
  return (measure, value) => {
    const unit = unitOf(measure);
    return unit === null ? number(value) : `${number(value)}\u00a0${unit}`;
  };
}

/** The unit of a measure, such as `kg`; null: none. */
export function useUnits(): (measure: Measure | undefined) => string | null {
  const { units } = useSettings();
  return (measure) => (measure === undefined ? null : (units[measure]?.replace('3', '³') ?? null));
}

/** @param name of a field, dotted where it is one of nested records */
export function measureOf(name: string): Measure | undefined {
  return fieldMeasures[name.slice(name.lastIndexOf('.') + 1)];
}
