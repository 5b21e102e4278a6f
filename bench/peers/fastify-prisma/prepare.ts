// Writes the Prisma schema for the tables; `prisma generate` makes the client from it.
import { readFileSync, writeFileSync } from 'node:fs';

const tables = JSON.parse(readFileSync(new URL('tables.json', import.meta.url), 'utf8'));
const kinds = {
  text: 'String?',
  integer: 'BigInt?',
  number: 'Float?',
  boolean: 'Boolean?',
  instant: 'DateTime? @db.Timestamptz(3)',
};
const models = tables.map(({ name, columns, parent }) => {
  const children = tables.filter((child) => child.parent?.table === name);
  return [
    `model ${name} {`,
    '  position BigInt @id @default(autoincrement())',
    ...columns.map((column) => `  ${column.name} ${kinds[column.kind]}`),
    ...(parent === null
      ? []
      : [
          '  parentPosition BigInt',
          `  parent ${parent.table} @relation(fields: [parentPosition], references: [position])`,
          '  @@index([parentPosition, position])',
        ]),
    ...children.map((child) => `  ${child.parent.field} ${child.name}[]`),
    '}',
  ].join('\n');
});
writeFileSync(
  new URL('schema.prisma', import.meta.url),
  [
    'generator client {',
    '  provider = "prisma-client"',
    '  output = "./generated"',
    '  runtime = "nodejs"',
    '  moduleFormat = "esm"',
    '  generatedFileExtension = "ts"',
    '  importFileExtension = "ts"',
    '  previewFeatures = ["relationJoins"]',
    '}',
    'datasource db {',
    '  provider = "postgresql"',
    '}',
    ...models,
    '',
  ].join('\n'),
);
