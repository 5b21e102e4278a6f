// Writes the step that creates the records' tables, frozen as data, from the resource definitions.
import { writeFileSync } from 'node:fs';
import { resources } from '../src/resources/index.ts';
import { recordTables } from '../src/store/record-tables.ts';

const lines = resources.flatMap((resource) => recordTables(resource)).map((shape) => {
  const columns = shape.columns.map(({ name, type, nullable }) => `      ['${name}', '${type}'${nullable ? '' : ", 'required'"}],`).join('\n');
  const lists = (keys: readonly (readonly string[])[]): string => keys.map((fields) => `      [${fields.map((field) => `'${field}'`).join(', ')}],`).join('\n');
  return `  {\n    name: '${shape.name}',\n    columns: [\n${columns}\n    ],\n    unique: [\n${lists(shape.unique)}\n    ],\n    indexes: [\n${lists(shape.indexes)}\n    ],\n  },`;
});

writeFileSync(new URL('../src/store/migrations/0001-records.ts', import.meta.url), `// Generated once by tools/freeze-migration.ts, then frozen: the records' tables of the first version.
import { createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';
import type { ColumnType } from '../record-tables.ts';

export const records: Migration = {
  name: '0001-records',
  up: async (db, dialect) => {
    for (const { name, columns, unique, indexes } of tables) {
      const shape = columns.map(([column, type, required]) => ({ name: column, type, nullable: required === undefined }));
      await createTable(db, dialect, { name, columns: shape, unique, indexes });
    }
  },
};

interface FrozenTable {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: ColumnType, required?: 'required'])[];
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
}

const tables: readonly FrozenTable[] = [
${lines.join('\n')}
];
`);
