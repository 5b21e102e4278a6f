// The barcodes and logistical variants of an article in its form.
import { SimpleGrid, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { type ArticleFieldFacts, articleListFacts } from '../generated/article-fields.ts';
import { useLatest } from '../latest.ts';
import { useTexts, useWords } from '../texts/texts.ts';
import { ArticleField } from './article-field.tsx';
import { type ArticleFaults, type ArticleList, type EditedElement, elementsOf, shownText } from './edited.ts';
import { ElementList } from './element-list.tsx';
import { articleWords } from './words.ts';

interface NestedProps {
  readonly elements: readonly EditedElement[];
  readonly faults: ArticleFaults;
  readonly onChange: (elements: readonly EditedElement[]) => void;
}

interface BarcodesProps extends NestedProps {
  /** Number of the variant that they stand in, from 1; null: they stand in the article. */
  readonly variant: number | null;
  readonly place: string;
}

export function BarcodeFields({ elements, faults, onChange, variant, place }: BarcodesProps): ReactElement {
  const say = useWords(articleWords);
  const name = (number: number): string =>
    variant === null ? say('barcode', { place: number }) : say('variantBarcode', { variant, place: number });
  const unit: EditedElement['values'] = variant === null ? { barcodeUnit: 'UVC', barcodeQuantity: '1' } : {};
  return (
    <ElementList
      title={variant === null ? say('barcodes') : say('variantBarcodes', { variant })}
      addText={variant === null ? say('addBarcode') : say('addVariantBarcode', { variant })}
      nameOf={name}
      summaryOf={(barcode) => shownText(barcode, 'code')}
      begun={{ isPrimary: String(elements.length === 0), ...unit }}
      {...{ elements, place, faults, onChange }}
    >
      {(barcode, own) => (
        <ElementFields
          list="barcodes"
          fields={articleListFacts.barcodes}
          element={barcode}
          place={own}
          faults={faults}
          onChange={(changed) =>
            onChange(elements.map((one) => (one.key === changed.key ? changed : demoted(one, changed))))
          }
        />
      )}
    </ElementList>
  );
}

/** One barcode of a list is the primary one: a barcode that became it takes that from the others. */
function demoted(barcode: EditedElement, changed: EditedElement): EditedElement {
  const isMoved = changed.values.isPrimary === 'true' && shownText(barcode, 'isPrimary') === 'true';
  return isMoved ? { ...barcode, values: { ...barcode.values, isPrimary: 'false' } } : barcode;
}

const mainFields = [
  ...['logisticalVariantCode', 'lvTypeCode', 'subpackagingLvCode', 'quantityInSubpackagingLv', 'quantityInBaseLv'],
  ...['baseLv', 'packagingLv', 'managementLv', 'netWeight', 'grossWeight', 'depth', 'width', 'height', 'volume'],
];
const isMain = ({ name }: ArticleFieldFacts): boolean => mainFields.includes(name);
const variantFields = articleListFacts.logisticalVariants;
const [main, further] = [variantFields.filter(isMain), variantFields.filter((field) => !isMain(field))];

export function VariantFields({ elements, faults, onChange }: NestedProps): ReactElement {
  const say = useWords(articleWords);
  const { fieldName } = useTexts();
  const list = 'logisticalVariants';
  return (
    <ElementList
      title={fieldName(list)}
      addText={say('addVariant')}
      nameOf={(number) => say('variant', { place: number })}
      summaryOf={(variant) => shownText(variant, 'logisticalVariantCode')}
      begun={{}}
      place={list}
      {...{ elements, faults, onChange }}
    >
      {(variant, place, index) => {
        const change = (changed: EditedElement): void =>
          onChange(elements.map((one) => (one.key === changed.key ? changed : one)));
        const common = { list, element: variant, place, faults, onChange: change } as const;
        const mustSee = further.some(({ name }) => faults[`${place}/${name}`] !== undefined);
        return (
          <Stack gap="md">
            <ElementFields {...common} fields={main} />
            <details open={mustSee || undefined}>
              <summary className="more">{say('furtherFields')}</summary>
              <ElementFields {...common} fields={further} />
            </details>
            <BarcodeFields
              variant={index + 1}
              elements={elementsOf(variant, 'barcodes')}
              place={`${place}/barcodes`}
              faults={faults}
              onChange={(barcodes) => change({ ...variant, lists: { ...variant.lists, barcodes } })}
            />
          </Stack>
        );
      }}
    </ElementList>
  );
}

function ElementFields(props: {
  readonly list: ArticleList;
  readonly fields: readonly ArticleFieldFacts[];
  readonly element: EditedElement;
  readonly place: string;
  readonly faults: ArticleFaults;
  readonly onChange: (element: EditedElement) => void;
}): ReactElement {
  const { list, fields, element, place, faults, onChange } = props;
  const change = useLatest((name: string, value: string) =>
    onChange({ ...element, values: { ...element.values, [name]: value } }),
  );
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {fields.map((field) => (
        <ArticleField
          key={field.name}
          list={list}
          field={field}
          value={shownText(element, field.name)}
          fault={faults[`${place}/${field.name}`]}
          onChange={change}
        />
      ))}
    </SimpleGrid>
  );
}
