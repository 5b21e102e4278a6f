// Fastify with Drizzle: typed tables, prepared statements, the relational query for nested records, response schemas.
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { and, asc, desc, eq, gt, lt, relations, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, boolean, doublePrecision, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import Fastify from 'fastify';
import pg from 'pg';

const { DATABASE_URL, IMPORT, PORT, TOKEN } = process.env;
const described = JSON.parse(readFileSync(new URL('tables.json', import.meta.url), 'utf8'));

const columnKinds = {
  text: (name) => text(name),
  integer: (name) => bigint(name, { mode: 'number' }),
  number: (name) => doublePrecision(name),
  boolean: (name) => boolean(name),
  instant: (name) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' }),
};
const tables = Object.fromEntries(
  described.map(({ name, columns, parent }) => [
    name,
    pgTable(name, {
      position: bigint('position', { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
      ...(parent !== null && { parentPosition: bigint('parentPosition', { mode: 'number' }) }),
      ...Object.fromEntries(columns.map((column) => [column.name, columnKinds[column.kind](column.name)])),
    }),
  ]),
);
const { movement, customer_order, order_line, sub_order, sub_order_line, stock, article, article_barcode } = tables;
const tableRelations = {
  orderRelations: relations(customer_order, ({ many }) => ({
    orderEntries: many(order_line),
    orderSubOrders: many(sub_order),
  })),
  orderLineRelations: relations(order_line, ({ one }) => ({
    order: one(customer_order, { fields: [order_line.parentPosition], references: [customer_order.position] }),
  })),
  subOrderRelations: relations(sub_order, ({ one, many }) => ({
    order: one(customer_order, { fields: [sub_order.parentPosition], references: [customer_order.position] }),
    orderEntries: many(sub_order_line),
  })),
  subOrderLineRelations: relations(sub_order_line, ({ one }) => ({
    subOrder: one(sub_order, { fields: [sub_order_line.parentPosition], references: [sub_order.position] }),
  })),
};

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const db = drizzle(pool, { schema: { ...tables, ...tableRelations } });

/** The fields of a record, without unpublished columns. */
const published = (table) => {
  const { position, parentPosition, ...fields } = Object.fromEntries(
    Object.entries(table).filter(([name]) => name !== 'enableRLS' && name !== '_'),
  );
  return fields;
};
const after = sql.placeholder('after');
const limit = sql.placeholder('limit');
const movementFields = published(movement);
const movements = db
  .select(movementFields)
  .from(movement)
  .where(gt(movement.position, after))
  .orderBy(asc(movement.position))
  .limit(limit)
  .prepare('movements');
const movementsOfArticle = db
  .select(movementFields)
  .from(movement)
  .where(and(eq(movement.articleReference, sql.placeholder('articleReference')), gt(movement.position, after)))
  .orderBy(asc(movement.position))
  .limit(limit)
  .prepare('movements_of_article');
const movementsBefore = db
  .select(movementFields)
  .from(movement)
  .where(lt(movement.movementTimestamp, sql.placeholder('before')))
  .orderBy(desc(movement.movementTimestamp), desc(movement.position))
  .limit(limit)
  .prepare('movements_before');
const stockRows = db
  .select(published(stock))
  .from(stock)
  .where(gt(stock.position, after))
  .orderBy(asc(stock.position))
  .limit(limit)
  .prepare('stock');
const nestedRows = {
  columns: { position: false, parentPosition: false },
  orderBy: (row, { asc: up }) => up(row.position),
};
const orders = db.query.customer_order
  .findMany({
    columns: { position: false },
    where: (row, { gt: more }) => more(row.position, after),
    orderBy: (row, { asc: up }) => up(row.position),
    limit,
    with: {
      orderEntries: nestedRows,
      orderSubOrders: { ...nestedRows, with: { orderEntries: nestedRows } },
    },
  })
  .prepare('orders');

const schemaKinds = {
  text: { type: 'string', nullable: true },
  integer: { type: 'integer', nullable: true },
  number: { type: 'number', nullable: true },
  boolean: { type: 'boolean', nullable: true },
  instant: { type: 'string', nullable: true, format: 'date-time' },
};
const recordSchema = (name) => {
  const { columns } = described.find((table) => table.name === name);
  const nested = described.filter(({ parent }) => parent?.table === name);
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(columns.map((column) => [column.name, schemaKinds[column.kind]])),
      ...Object.fromEntries(
        nested.map((child) => [child.parent.field, { type: 'array', items: recordSchema(child.name) }]),
      ),
    },
  };
};
const listSchema = (name) => ({
  querystring: {
    type: 'object',
    properties: {
      after: { type: 'integer', minimum: 0, default: 0 },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 100 },
      articleReference: { type: 'string', maxLength: 17 },
      before: { type: 'string', format: 'date-time' },
    },
    additionalProperties: false,
  },
  response: { 200: { type: 'array', items: recordSchema(name) } },
});

const app = Fastify({ logger: false });
app.addHook('onRequest', async (request, reply) => {
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return reply.code(401).send({ error: 'unauthorized' });
});
app.get('/movements', { schema: listSchema('movement') }, ({ query }) => {
  if (query.before !== undefined)
    return movementsBefore.execute({ before: new Date(query.before), limit: query.limit });
  return query.articleReference === undefined ? movements.execute(query) : movementsOfArticle.execute(query);
});
app.get('/orders', { schema: listSchema('customer_order') }, ({ query }) => orders.execute(query));
app.get('/stock', { schema: listSchema('stock') }, ({ query }) => stockRows.execute(query));
app.post(
  '/articles',
  {
    bodyLimit: 16 << 20,
    schema: { body: { type: 'array', minItems: 1, maxItems: 500, items: recordSchema('article') } },
  },
  ({ body }) =>
    db.transaction(async (transaction) => {
      const made = await transaction
        .insert(article)
        .values(body)
        .returning({ position: article.position, articleReference: article.articleReference });
      const positions = new Map(made.map((row) => [row.articleReference, row.position]));
      const barcodes = body.flatMap(({ articleReference, barcodes: codes = [] }) =>
        codes.map((code) => ({ ...code, parentPosition: positions.get(articleReference) })),
      );
      if (barcodes.length > 0) await transaction.insert(article_barcode).values(barcodes);
      return { status: 200, passed: body.map(({ articleReference }) => articleReference) };
    }),
);

/** Inserts the movements of a file, a thousand per statement. */
const importMovements = async (path) => {
  let batch = [];
  const write = async () => {
    if (batch.length > 0) await db.insert(movement).values(batch);
    batch = [];
  };
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const record = JSON.parse(line);
    batch.push({
      ...record,
      movementTimestamp: new Date(record.movementTimestamp),
      dateProcessed: new Date(record.dateProcessed),
    });
    if (batch.length === 1000) await write();
  }
  await write();
  await pool.end();
};

if (IMPORT === undefined) await app.listen({ port: Number(PORT), host: '127.0.0.1' });
else await importMovements(IMPORT);
