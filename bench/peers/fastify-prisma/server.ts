// Fastify with Prisma by its driver adapter: `findMany` with `include` for nested records, response schemas.
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PrismaPg } from '@prisma/adapter-pg';
import Fastify from 'fastify';
import { PrismaClient } from './generated/client.ts';

const { DATABASE_URL, IMPORT, PORT, TOKEN } = process.env;
const described = JSON.parse(readFileSync(new URL('tables.json', import.meta.url), 'utf8'));
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: DATABASE_URL, max: 10 }) });

/** The published fields, in the form for `select`. */
const published = (name) =>
  Object.fromEntries(described.find((table) => table.name === name).columns.map((column) => [column.name, true]));
const up = { position: 'asc' };
const lines = (name, more = {}) => ({ select: { ...published(name), ...more }, orderBy: up });
const movementFields = published('movement');
const stockFields = published('stock');
const orderFields = {
  ...published('customer_order'),
  orderEntries: lines('order_line'),
  orderSubOrders: lines('sub_order', { orderEntries: lines('sub_order_line') }),
};

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
  const { after, limit: take, articleReference, before } = query;
  if (before !== undefined)
    return prisma.movement.findMany({
      select: movementFields,
      where: { movementTimestamp: { lt: new Date(before) } },
      orderBy: [{ movementTimestamp: 'desc' }, { position: 'desc' }],
      take,
    });
  return prisma.movement.findMany({
    select: movementFields,
    where: { position: { gt: after }, ...(articleReference !== undefined && { articleReference }) },
    orderBy: up,
    take,
  });
});
app.get('/orders', { schema: listSchema('customer_order') }, ({ query: { after, limit: take } }) =>
  prisma.customer_order.findMany({
    relationLoadStrategy: 'join',
    select: orderFields,
    where: { position: { gt: after } },
    orderBy: up,
    take,
  }),
);
app.get('/stock', { schema: listSchema('stock') }, ({ query: { after, limit: take } }) =>
  prisma.stock.findMany({ select: stockFields, where: { position: { gt: after } }, orderBy: up, take }),
);
app.post(
  '/articles',
  {
    bodyLimit: 16 << 20,
    schema: { body: { type: 'array', minItems: 1, maxItems: 500, items: recordSchema('article') } },
  },
  ({ body }) => {
    const create = async (transaction) => {
      const made = await transaction.article.createManyAndReturn({
        data: body.map(({ barcodes, ...fields }) => fields),
        select: { position: true, articleReference: true },
      });
      const positions = new Map(made.map((row) => [row.articleReference, row.position]));
      const data = body.flatMap(({ articleReference, barcodes = [] }) =>
        barcodes.map((barcode) => ({ ...barcode, parentPosition: positions.get(articleReference) })),
      );
      if (data.length > 0) await transaction.article_barcode.createMany({ data });
      return { status: 200, passed: body.map(({ articleReference }) => articleReference) };
    };
    // There are more connections than the pool has; after 2 s without one, Prisma would refuse by default.
    return prisma.$transaction(create, { maxWait: 30_000, timeout: 30_000 });
  },
);

/** Inserts the movements of a file, a thousand per call. */
const importMovements = async (path) => {
  let data = [];
  const write = async () => {
    if (data.length > 0) await prisma.movement.createMany({ data });
    data = [];
  };
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const { articleLotNumber, ...record } = JSON.parse(line);
    data.push(record);
    if (data.length === 1000) await write();
  }
  await write();
  await prisma.$disconnect();
};

if (IMPORT === undefined) await app.listen({ port: Number(PORT), host: '127.0.0.1' });
else await importMovements(IMPORT);
