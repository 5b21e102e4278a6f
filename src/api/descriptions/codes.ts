// Describes the units and codes of the warehouse: a section for people, and extensions of the OpenAPI document for
// programs.
import { type Field, type Fields, isScalar } from '../../model/resource.ts';
import { type CodeList, unitOf, type Vocabulary } from '../../model/vocabulary.ts';
import { codedFields } from '../../resources/code-lists.ts';
import { resources } from '../../resources/index.ts';

/** A Markdown section with every published list of codes. */
export function codesSection({ units, lists }: Vocabulary): string {
  const rows = [...codedFields()].flatMap(([name, { paths }]) => {
    const list = lists.get(name);
    return list === undefined ? [] : [`| ${paths.map(fieldText).join(', ')} | ${codesOf(list)} |`];
  });
  return `## Codes and units

Every number says its unit where it is described: weights are in ${units.weight?.words}, lengths in
${units.length?.words}, volumes in ${units.volume?.words}, quantities in ${units.quantity?.words}.

A coded field passes on what the warehouse says, and there may be codes that are not listed: take one that you do not
know for what it is, a new one, and go on.
The OpenAPI document has all lists for programs, in \`x-code-lists\`, and the units in \`x-units\`.

| fields | codes |
| --- | --- |
${rows.join('\n')}`;
}

/** `receptionMethod` (Article) */
function fieldText(path: string): string {
  const [record, ...names] = path.split('.');
  return `\`${names.join('.')}\` (${record})`;
}

function codesOf({ codes }: CodeList): string {
  return codes.map(({ code, meaning }) => `\`${code}\` ${meaning}`).join('; ');
}

/**
 * Members of the OpenAPI document: `x-code-lists`, by name the fields and codes of a list; `x-units`, by field the
 * unit. They are outside the schemas, where strict validators refuse unknown keywords.
 */
export function vocabularyExtensions({ units, lists }: Vocabulary): Readonly<Record<string, unknown>> {
  const codeLists = [...codedFields()].flatMap(([name, { paths }]) => {
    const list = lists.get(name);
    return list === undefined ? [] : [[name, { fields: paths, complete: list.closed, codes: list.codes }] as const];
  });
  const unitOfField = (field: Field): string | null => {
    const unit = unitOf(field, units);
    return unit === null ? null : (unit.code ?? unit.words.replaceAll('`', ''));
  };
  const inFields = (fields: Fields, path: string): readonly (readonly [string, string])[] =>
    Object.entries(fields).flatMap(([name, field]) => {
      if (!isScalar(field)) return inFields(field.fields, `${path}.${name}`);
      const unit = unitOfField(field);
      return unit === null ? [] : [[`${path}.${name}`, unit] as const];
    });
  return {
    'x-code-lists': Object.fromEntries(codeLists),
    'x-units': Object.fromEntries(resources.flatMap(({ record, fields }) => inFields(fields, record))),
  };
}
